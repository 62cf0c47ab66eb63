import type { CallKind } from '../call-kind.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { makeLuaScript, type RedisConnection } from '../lua-script.ts';
import { onceAtATime } from '../once-at-a-time.ts';
import { makeBreakerQueue } from './breaker-queue.ts';
import { OURS, type Tripped } from './breaker-words.ts';
import { makeKnownAnswers } from './known-answers.ts';
import { makeKnownBreakers } from './known-breakers.ts';
import { microsecondsSince } from './microseconds.ts';
import { LONGEST_WAIT_MS, makeProbes, type Probe } from './probes.ts';

export type Breakers = ReturnType<typeof makeBreakers>;

/** Whose fault a 401 is; `wait` says that it cannot be told yet, `aside` that only others can show it, who are to go first. */
export type Blame = 'row' | 'everybody' | 'wait' | 'aside';

/** A token that was new and is refused to a call, for how long that has been going on, and whether others are to come. */
type Suspicion = { token: string; sentAtMs: number; firstSentAtMs: number; asked: number; othersOpen: boolean };

/** One or two lost answers are the network's; three with none between them are a service that cannot be understood. */
const SHUT_AFTER_ANSWERS = 3;

/** The wait before the first probe, which doubles from one to the next. */
const FIRST_WAIT_MS = 1_000;

/** A breaker that trips again within this time doubles its last wait before the next probe. */
const RELAPSE_MS = 10_000;

/** A process reports a fault of its own data folder this often at the most, so that processes that reach theirs outweigh it. */
const OURS_EVERY_MS = 4_000;
/** Trying it again costs the service a token call at the most. */
const OURS_LONGEST_WAIT_MS = 10_000;

/** While no token can be had, no row is at stake, and a service that is back is noticed within this. */
const TOKEN_AGAIN_MS = 2_000;
/** A token call that worked is good for the probes of the next second too. */
const TOKEN_GOOD_MS = 1_000;

/** Askings in a row, after which one call that alone is answered 401 need not wait for a proof by others. */
const ALONE_AFTER_ASKINGS = 4;

type EnterOptions = { signal: AbortSignal; tryToken: () => Promise<boolean>; waitMs?: () => number };

/**
 * A circuit breaker for each kind of call, the same for all processes. Some unknown answers in a row trip it: whatever leaves by it
 * then has to be looked up by a person. It is tried with one call at a time, after a token call, which makes nothing; a
 * known answer resets it. lua/breaker-state.lua is what Redis has of it.
 *
 * @param key the breakers' key, one an account
 */
export function makeBreakers({ connection, key, log }: { connection: RedisConnection; key: string; log: Log }) {
  const script = (name: string) => makeLuaScript(connection, new URL(`./lua/${name}.lua`, import.meta.url));
  const [tellUnknown, tellKnown, askBlame] = [script('unknown-answer'), script('known-answers'), script('blame')];
  const queue = makeBreakerQueue<Probe>();
  const breakers = makeKnownBreakers({ log, onLearned: () => queue.letPass((kind) => !breakers.isTripped(kind)) });
  const probes = makeProbes({ connection, key, breakers, queue, log });
  const answers = makeKnownAnswers({ tellKnown, key, onTold: breakers.learn });
  let tokenAtMs = Number.NEGATIVE_INFINITY;

  const refreshOnce = onceAtATime(() =>
    probes
      .refresh()
      .catch((error) => log.debug({ reason: messageOf(error) }, 'the circuit breakers cannot be asked about')),
  );
  /** Asks where nothing was learned for a while. */
  const refresh = async (): Promise<void> => {
    if (!breakers.isFresh()) await refreshOnce();
  };

  const ask = async (
    { kind, key: callKey }: { kind: CallKind; key: string },
    { token, sentAtMs, firstSentAtMs, asked, othersOpen }: Suspicion,
    onlyProof: boolean,
  ): Promise<Blame> => {
    await answers.tell();
    const ages = [sentAtMs, firstSentAtMs].map(microsecondsSince);
    const args = [kind, callKey, token, ...ages, asked, ALONE_AFTER_ASKINGS, othersOpen ? 1 : 0, onlyProof ? 1 : 0];
    return (await askBlame([key], args)) as Blame;
  };

  const unknown = async (kind: CallKind, why: string, probe: Probe | undefined, longestMs: number): Promise<void> => {
    // What came before it is told before it.
    void answers.tell().catch(() => {});
    const args = [kind, why, probes.newName(), probe?.name ?? '', SHUT_AFTER_ANSWERS];
    const waits = [FIRST_WAIT_MS, longestMs, RELAPSE_MS].map((ms) => ms * 1_000);
    breakers.learn(await tellUnknown([key], [...args, ...waits]));
    if (probes.end(probe)) breakers.sayTripped();
  };
  const oursAtMs = new Map<CallKind, number>();

  return {
    /**
     * Waits until calls of this kind may leave. Answers a probe where this call is the one by which that is tried: a
     * token call has worked just before. Rejects with `STOPPED` when the signal is aborted first.
     *
     * @param tryToken makes a token call, and answers whether there is a token
     * @param waitMs how long the service wishes that nothing is sent, after a token call that failed
     */
    async enter(kind: CallKind, { signal, tryToken, waitMs = () => 0 }: EnterOptions): Promise<Probe | undefined> {
      for (;;) {
        await refresh();
        if (!breakers.isTripped(kind)) return undefined;
        const waiting = queue.wait(kind, signal);
        void probes.watch();
        const probe = await waiting;
        if (!probe) continue;
        if (performance.now() - tokenAtMs < TOKEN_GOOD_MS) return probe;
        if (await tryToken()) {
          tokenAtMs = performance.now();
          return probe;
        }
        await probes.giveBack(probe.name, Math.max(TOKEN_AGAIN_MS, waitMs()));
      }
    },

    /** Whether this process knows of the kind's breaker that it is tripped: to be asked when all other waiting is over. */
    isTripped: breakers.isTripped,

    /** Whether calls of this kind may leave, as this process has heard just now: who would have to ask first waits ({@link enter}). */
    isOpenNow: (kind: CallKind): boolean => breakers.isFresh() && !breakers.isTripped(kind),

    /** Asks how the breakers stand, for a process in which nobody comes to them. */
    async look(): Promise<readonly Tripped[]> {
      await refresh();
      return breakers.tripped();
    },

    /** The breakers that are tripped, as this process knows them. */
    tripped: breakers.tripped,

    /** A call was answered, or was not, so that nobody knows what became of it. `why` in short, for people and the log. */
    unknown: (kind: CallKind, why: string, probe: Probe | undefined): Promise<void> =>
      unknown(kind, why, probe, LONGEST_WAIT_MS),

    /**
     * A call could not leave, since this process does not reach its data folder. So many in a row trip the breaker as well, unless other
     * processes reach theirs: then they alone go on.
     */
    async ours(kind: CallKind, why: string, probe: Probe | undefined): Promise<void> {
      const nowMs = performance.now();
      if (!probe && nowMs - (oursAtMs.get(kind) ?? Number.NEGATIVE_INFINITY) < OURS_EVERY_MS) return;
      oursAtMs.set(kind, nowMs);
      await unknown(kind, `${OURS} (${why.replace(/\.$/, '')})`, probe, OURS_LONGEST_WAIT_MS);
    },

    /** A call was answered so that its outcome is known. Costs no trip to Redis of its own, but for a probe. */
    async known(kind: CallKind, made: { token: string; sentAtMs: number } | undefined, probe?: Probe): Promise<void> {
      answers.add(kind, made);
      if (probe === undefined) {
        answers.tellSoon();
        return;
      }
      await answers.tell(probe);
      probes.end(probe);
    },

    /**
     * Whose fault it is that a call was answered 401 although its token was new: its own, where other calls of its kind
     * make something with that token meanwhile; see lua/blame.lua.
     *
     * @param sentAtMs when it was first sent with this token
     * @param firstSentAtMs when it was first sent and answered so, with whichever token
     * @param asked how often this has been asked of it
     * @param othersOpen whether others are at calls of this kind, or may come to one
     */
    blame: (call: { kind: CallKind; key: string }, suspicion: Suspicion): Promise<Blame> => ask(call, suspicion, false),

    /** Whether others have made something with that token since, so that it is the call's own fault. */
    isOwnFault: async (call: { kind: CallKind; key: string }, suspicion: Suspicion): Promise<boolean> =>
      (await ask(call, suspicion, true)) === 'row',
  };
}
