import type { CallKind } from '../call-kind.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { type LuaScript, makeLuaScript, type RedisConnection } from '../lua-script.ts';
import { onceAtATime } from '../once-at-a-time.ts';
import { OURS, type Tripped } from './breaker-words.ts';
import { LONGEST_PROBE_WAIT_MS, makeBreakerQueue, makeKnownBreakers, makeProbes, type Probe } from './probes.ts';

export type Breakers = ReturnType<typeof makeBreakers>;

/**
 * Whose fault a 401 is: the row's own, or that of the credentials, which concerns everybody. `wait`: not decided yet. `aside`: not decided
 * until other calls were sent with the same token, so this call waits and lets them leave first.
 */
export type Blame = 'row' | 'everybody' | 'wait' | 'aside';

/** A call that got a 401 with new tokens: the latest token and when the call was sent with it. The fields are explained at `blame`. */
type Suspicion = { token: string; sentAtMs: number; firstSentAtMs: number; asked: number; othersOpen: boolean };

/** Unknown outcomes in a row that trip a breaker: one or two may be the network's, three are the service's. */
const SHUT_AFTER_ANSWERS = 3;

/** The wait before the first probe after a breaker tripped; it doubles with each probe. */
const FIRST_WAIT_MS = 1_000;

/** Time in ms after a reset within which a breaker that trips again doubles its last wait before the next probe. */
const RELAPSE_MS = 10_000;

/** Interval in ms at which a process may report a fault of its data folder at most, so that known outcomes of healthy processes outweigh it. */
const OURS_EVERY_MS = 4_000;
/**
 * Longest wait in ms before the next probe after a fault of a data folder. It is short, since such a probe costs the service only a token
 * call.
 */
const OURS_LONGEST_WAIT_MS = 10_000;

/** The wait after a probe's failed token call: no row is at stake, and a service that is back is noticed within this time. */
const TOKEN_AGAIN_MS = 2_000;
/** Time in ms for which a successful token call counts: probes within it need no token call of their own. */
const TOKEN_GOOD_MS = 1_000;

/** After this many questions to `blame`, a call to which alone the service answers 401 counts as at fault without a proof by other calls. */
const ALONE_AFTER_ASKINGS = 4;

type EnterOptions = { signal: AbortSignal; tryToken: () => Promise<boolean>; waitMs?: () => number };

/**
 * A circuit breaker for each kind of call, shared by all processes. Some unknown outcomes in a row trip it, since a person must resolve
 * each one. A probe, after a token call that makes nothing, tries the service; a known outcome resets the breaker. lua/breaker-state.lua
 * describes its state in Redis.
 *
 * @param key the breakers' key, one for each account
 */
export function makeBreakers({ connection, key, log }: { connection: RedisConnection; key: string; log: Log }) {
  const script = (name: string) => makeLuaScript(connection, new URL(`./lua/breakers.lua#${name}`, import.meta.url));
  const [tellUnknown, tellKnown, askBlame] = [script('unknown-answer'), script('known-answers'), script('blame')];
  const queue = makeBreakerQueue<Probe>();
  const breakers = makeKnownBreakers({ log, onLearned: () => queue.letPass((kind) => !breakers.isTripped(kind)) });
  const probes = makeProbes({ connection, key, breakers, queue, log });
  const answers = makeKnownAnswers({ tellKnown, key, onTold: breakers.learn });
  let tokenAtMs = Number.NEGATIVE_INFINITY;

  const refreshOnce = onceAtATime(() =>
    probes
      .refresh()
      .catch((error) => log.debug({ reason: messageOf(error) }, 'the circuit breakers could not be read')),
  );
  /** Reads the breakers from Redis, unless their known state is fresh. */
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
    // Known outcomes that came before this one are reported first.
    void answers.tell().catch(() => {});
    const args = [kind, why, probes.newName(), probe?.name ?? '', SHUT_AFTER_ANSWERS];
    const waits = [FIRST_WAIT_MS, longestMs, RELAPSE_MS].map((ms) => ms * 1_000);
    breakers.learn(await tellUnknown([key], [...args, ...waits]));
    if (probes.end(probe)) breakers.sayTripped();
  };
  const oursAtMs = new Map<CallKind, number>();

  return {
    /**
     * Waits until calls of this kind may leave. Resolves to a probe if this call is one; a token call has worked just before. Rejects with
     * `STOPPED` when the signal is aborted first.
     *
     * @param tryToken makes a token call, and returns whether there is a token
     * @param waitMs how long the service asks for a pause, after a failed token call
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

    /** Whether the kind's breaker is tripped, as far as this process knows. It is the last check before a call leaves, after all waiting. */
    isTripped: breakers.isTripped,

    /** Whether calls of this kind may leave. False also if this process has no fresh state of the breakers; {@link enter} then asks Redis. */
    isOpenNow: (kind: CallKind): boolean => breakers.isFresh() && !breakers.isTripped(kind),

    /** The tripped breakers, read from Redis unless the known state is fresh; for a process that does not make calls through `enter`. */
    async look(): Promise<readonly Tripped[]> {
      await refresh();
      return breakers.tripped();
    },

    /** The tripped breakers, as far as this process knows. */
    tripped: breakers.tripped,

    /** Reports an unknown outcome. `why`: a short reason for people and the log. */
    unknown: (kind: CallKind, why: string, probe: Probe | undefined): Promise<void> =>
      unknown(kind, why, probe, LONGEST_PROBE_WAIT_MS),

    /**
     * Reports that a call could not leave, since this process cannot use its data folder. Several such reports in a row trip the breaker
     * for all processes, unless other processes get known outcomes in between.
     */
    async ours(kind: CallKind, why: string, probe: Probe | undefined): Promise<void> {
      const nowMs = performance.now();
      if (!probe && nowMs - (oursAtMs.get(kind) ?? Number.NEGATIVE_INFINITY) < OURS_EVERY_MS) return;
      oursAtMs.set(kind, nowMs);
      await unknown(kind, `${OURS} (${why.replace(/\.$/, '')})`, probe, OURS_LONGEST_WAIT_MS);
    },

    /** Reports a known outcome. That of a probe is sent to Redis at once, others soon and together. */
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
     * Whose fault a 401 with a new token is: the call's own, if other calls of its kind make something with that token; see lua/breakers.lua.
     *
     * @param sentAtMs when the call was first sent with this token
     * @param firstSentAtMs when it was first sent and got a 401, with any token
     * @param asked how often this was asked for the call
     * @param othersOpen whether other rows have calls of this kind to make, now or later
     */
    blame: (call: { kind: CallKind; key: string }, suspicion: Suspicion): Promise<Blame> => ask(call, suspicion, false),

    /**
     * Whether other calls have made something with that token since this call was sent with it, which proves that the 401 is this call's
     * own fault.
     */
    isOwnFault: async (call: { kind: CallKind; key: string }, suspicion: Suspicion): Promise<boolean> =>
      (await ask(call, suspicion, true)) === 'row',
  };
}

/** Interval in ms at which the gathered responses are reported to Redis together. */
const TELL_EVERY_MS = 250;

type Latest = { answeredAtMs: number; token: string; sentAtMs: number };

/**
 * Gathers responses with a known outcome, and reports the latest of each kind to Redis now and then (lua/breakers.lua).
 *
 * @param onTold called with the script's answer
 */
function makeKnownAnswers(given: { tellKnown: LuaScript; key: string; onTold: (reply: unknown) => void }) {
  const { tellKnown, key, onTold } = given;
  const latest = new Map<CallKind, Latest>();
  let telling: NodeJS.Timeout | undefined;

  const tell = async (probe?: { name: string; kind: CallKind }): Promise<void> => {
    clearTimeout(telling);
    telling = undefined;
    const args = [...latest].flatMap(([kind, { answeredAtMs, token, sentAtMs }]) => {
      return [kind, microsecondsSince(answeredAtMs), token, microsecondsSince(sentAtMs)];
    });
    latest.clear();
    if (args.length === 0) return;
    onTold(await tellKnown([key], [probe?.name ?? '', probe?.kind ?? '', ...args]));
  };

  return {
    /** Adds a response with a known outcome. @param made if the call made something: the token and the time of the send */
    add(kind: CallKind, made: { token: string; sentAtMs: number } | undefined): void {
      const before = latest.get(kind) ?? { token: '', sentAtMs: 0 };
      latest.set(kind, { ...before, ...made, answeredAtMs: performance.now() });
    },

    /** Reports the gathered responses now. `probe`: the probe to which one of these responses belongs, if any does. */
    tell,

    /** Reports the gathered responses soon, together with others. */
    tellSoon(): void {
      telling ??= setTimeout(() => tell().catch(() => {}), TELL_EVERY_MS).unref();
    },
  };
}

/** Whole µs since a time of `performance.now()`. Scripts get ages instead of times, since clocks differ. */
const microsecondsSince = (ms: number): number => Math.round((performance.now() - ms) * 1_000);
