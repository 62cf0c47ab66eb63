import { randomBytes } from 'node:crypto';
import type { CallKind } from '../call-kind.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { makeLuaScript, type RedisConnection } from '../lua-script.ts';
import { makeDoorQueue } from './door-queue.ts';
import { describeShut, type Shut } from './door-words.ts';

export type Doors = ReturnType<typeof makeDoors>;

/** The right, of one call in the whole fleet, to leave by a shut door. */
export type Trial = {
  readonly name: string;
  readonly kind: CallKind;
  /** Lets another try, where this call brought no answer that tells anything; does nothing where it did. */
  giveBack(): Promise<void>;
};

/** Whose fault a 401 is; `wait` says that it cannot be told yet, `aside` that only others can show it, who are to go first. */
export type Blame = 'row' | 'everybody' | 'wait' | 'aside';

/** A token that was new and is refused to a call, for how long that has been going on, and whether others are to come. */
export type Suspicion = { token: string; sentAtMs: number; firstSentAtMs: number; asked: number; othersOpen: boolean };

/** One or two lost answers are the network's; three with none between them are a service that cannot be heard. */
const SHUT_AFTER_ANSWERS = 3;

/** Each trial may hold a row, so they get rare: some 8 in the first five minutes, 12 in each hour after. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 300_000;

/** A service that fails again so soon bears no more than a trial; its door opens no sooner than the last time. */
const RELAPSE_MS = 10_000;

/** While no token can be had, no row is at stake, and a service that is back is noticed within this. */
const TOKEN_AGAIN_MS = 2_000;
/** A trial that came to nothing (made before, cancelled meanwhile) needs no other token call so soon. */
const TOKEN_GOOD_MS = 1_000;
const NEXT_TRIAL_MS = 100;

/** A process that was killed in its trial keeps the others waiting for so long, and no call of theirs. */
const LEASE_MS = 6_000;
/** A door that was opened elsewhere is noticed within this; also how often a lease is prolonged. */
const LOOK_EVERY_MS = 1_000;
/** What is known of the doors is believed for so long; a process that calls hears of them more often. */
const FRESH_MS = 1_000;
/** Known answers are told together. */
const TELL_EVERY_MS = 250;

/** Askings in a row, after which one call that alone is answered 401 need not wait for a proof by others. */
const ALONE_AFTER_ASKINGS = 4;

type EnterOptions = { signal: AbortSignal; tryToken: () => Promise<boolean>; waitMs?: () => number };
type Heard = { answeredAtMs: number; token: string; sentAtMs: number };

/**
 * A door for each kind of call, the same for all processes. Some unknown answers in a row shut it: whatever leaves by it
 * then has to be looked up by a person. It is tried with one call at a time, after a token call, which makes nothing; a
 * known answer opens it. lua/door-state.lua is what Redis holds of it.
 *
 * @param key the doors' key, one an account
 */
export function makeDoors({ connection, key, log }: { connection: RedisConnection; key: string; log: Log }) {
  const script = (name: string) => makeLuaScript(connection, new URL(`./lua/${name}.lua`, import.meta.url));
  const [tellUnknown, tellKnown] = [script('unknown-answer'), script('known-answers')];
  const [askTrial, returnTrial, askBlame] = [script('door-trial'), script('door-give-back'), script('blame')];
  const queue = makeDoorQueue<Trial>();
  const processName = randomBytes(6).toString('base64url');
  const heard = new Map<CallKind, Heard>();
  let names = 0;
  let shut: readonly Shut[] = [];
  let held: Trial | undefined;
  let learnedAtMs = Number.NEGATIVE_INFINITY;
  let refreshing: Promise<unknown> | undefined;
  let tokenAtMs = Number.NEGATIVE_INFINITY;
  let watching = false;
  let telling: NodeJS.Timeout | undefined;

  const newName = (): string => {
    names += 1;
    return `${processName}/${names}`;
  };
  const isShut = (kind: CallKind): boolean => shut.some((door) => door.kind === kind);

  /** Takes in what a script answered, and says which kind this process shall try. */
  const learn = (reply: unknown): CallKind | '' => {
    const [dueUs, granted, tried, ...words] = reply as [number, CallKind | '', number, ...string[]];
    const before = shut;
    const untilMs = Date.now() + dueUs / 1_000;
    shut = Array.from({ length: words.length / 2 }, (_, at) => ({
      kind: words[2 * at] as CallKind,
      why: words[2 * at + 1] ?? '',
      untilMs,
      isTried: tried === 1,
    }));
    learnedAtMs = performance.now();
    const opened = before.filter(({ kind }) => !isShut(kind));
    for (const { kind } of opened) log.info({ kind }, 'the outcome of these calls is known again: the line goes on');
    if (shut.some(({ kind }) => !before.some((door) => door.kind === kind))) sayShut();
    queue.letPass((kind) => !isShut(kind));
    return granted;
  };
  const sayShut = (): void => {
    const [first] = shut;
    if (first) log.warn({ why: first.why }, `the line waits: ${describeShut(shut)}`);
  };

  const ask = async (name: string, has: boolean): Promise<CallKind | ''> =>
    learn(
      await askTrial(
        [key],
        [name, has ? 1 : 0, LEASE_MS * 1_000, LONGEST_WAIT_MS * 1_000, ...(has ? [] : queue.kinds())],
      ),
    );

  const makeTrial = (name: string, kind: CallKind): Trial => ({
    name,
    kind,
    giveBack: () => giveBack(name, NEXT_TRIAL_MS),
  });

  /** Answers how long the next look may wait. */
  const look = async (): Promise<number> => {
    if (held) {
      await ask(held.name, true);
      return LOOK_EVERY_MS;
    }
    const name = newName();
    const kind = await ask(name, false);
    if (kind !== '') {
      held = makeTrial(name, kind);
      if (!queue.give(held)) await held.giveBack();
    }
    const dueMs = (shut[0]?.untilMs ?? 0) - Date.now();
    return dueMs > 0 ? Math.min(dueMs + 1, LOOK_EVERY_MS) : LOOK_EVERY_MS;
  };

  const watch = async (): Promise<void> => {
    if (watching) return;
    watching = true;
    while (queue.kinds().length > 0 || held) {
      const waitMs = await look().catch((error) => {
        log.debug({ reason: messageOf(error) }, 'the doors cannot be asked about; trying until they can');
        return LOOK_EVERY_MS;
      });
      // A process that stops takes its callers out of the queue, and nothing else waits for this.
      await new Promise((resolve) => setTimeout(resolve, waitMs).unref());
    }
    watching = false;
  };

  /** Asks where nothing was heard for a while. */
  const refresh = async (): Promise<void> => {
    if (performance.now() - learnedAtMs <= FRESH_MS) return;
    refreshing ??= askTrial([key], ['', 0, 0, 0])
      .then(learn)
      .catch((error) => log.debug({ reason: messageOf(error) }, 'the doors cannot be asked about'))
      .finally(() => {
        refreshing = undefined;
      });
    await refreshing;
  };

  const giveBack = async (name: string, againMs: number): Promise<void> => {
    if (held?.name !== name) return;
    held = undefined;
    // A lease that cannot be given back ends by itself.
    await returnTrial([key], [name, againMs * 1_000]).then(learn, () => {});
  };

  const tell = async (trial?: Trial): Promise<void> => {
    clearTimeout(telling);
    telling = undefined;
    const words = [...heard].flatMap(([kind, { answeredAtMs, token, sentAtMs }]) => [
      ...[kind, microsecondsSince(answeredAtMs), token, microsecondsSince(sentAtMs)],
    ]);
    heard.clear();
    if (words.length === 0) return;
    learn(await tellKnown([key], [trial?.name ?? '', trial?.kind ?? '', ...words]));
  };

  return {
    /**
     * Waits until calls of this kind may leave. Answers a trial where this call is the one by which that is tried: a
     * token call has worked just before. Rejects with `STOPPED` when the signal is aborted first.
     *
     * @param tryToken makes a token call, and answers whether there is a token
     * @param waitMs how long the service wishes that nothing is sent, after a token call that failed
     */
    async enter(kind: CallKind, { signal, tryToken, waitMs = () => 0 }: EnterOptions): Promise<Trial | undefined> {
      for (;;) {
        await refresh();
        if (!isShut(kind)) return undefined;
        const waiting = queue.wait(kind, signal);
        void watch();
        const trial = await waiting;
        if (!trial) continue;
        if (performance.now() - tokenAtMs < TOKEN_GOOD_MS) return trial;
        if (await tryToken()) {
          tokenAtMs = performance.now();
          return trial;
        }
        await giveBack(trial.name, Math.max(TOKEN_AGAIN_MS, waitMs()));
      }
    },

    /** Whether this process knows of the kind's door that it is shut: to be asked when all other waiting is over. */
    isShut,

    /** Asks how the doors stand, for a process in which nobody comes to them. */
    async look(): Promise<readonly Shut[]> {
      await refresh();
      return shut;
    },

    /** The doors that are shut, as this process heard last. */
    shut: (): readonly Shut[] => shut,

    /** A call was answered, or was not, so that nobody knows what became of it. `why` in short, for people and the log. */
    async unknown(kind: CallKind, why: string, trial: Trial | undefined): Promise<void> {
      // What was heard before it is told before it.
      void tell().catch(() => {});
      const args = [kind, why, newName(), trial?.name ?? '', SHUT_AFTER_ANSWERS];
      const waits = [FIRST_WAIT_MS, LONGEST_WAIT_MS, RELAPSE_MS].map((ms) => ms * 1_000);
      learn(await tellUnknown([key], [...args, ...waits]));
      if (!trial || held?.name !== trial.name) return;
      held = undefined;
      sayShut();
    },

    /** A call was answered so that its outcome is known. Costs no trip to Redis of its own, but for a trial. */
    async known(kind: CallKind, made: { token: string; sentAtMs: number } | undefined, trial?: Trial): Promise<void> {
      const before = heard.get(kind) ?? { token: '', sentAtMs: 0 };
      heard.set(kind, { ...before, ...made, answeredAtMs: performance.now() });
      if (trial === undefined) {
        telling ??= setTimeout(() => tell().catch(() => {}), TELL_EVERY_MS).unref();
        return;
      }
      await tell(trial);
      if (held?.name === trial.name) held = undefined;
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
    async blame(
      { kind, key: callKey }: { kind: CallKind; key: string },
      { token, sentAtMs, firstSentAtMs, asked, othersOpen }: Suspicion,
    ): Promise<Blame> {
      await tell();
      const ages = [sentAtMs, firstSentAtMs].map(microsecondsSince);
      const words = [kind, callKey, token, ...ages, asked, ALONE_AFTER_ASKINGS, othersOpen ? 1 : 0];
      return (await askBlame([key], words)) as Blame;
    },
  };
}

function microsecondsSince(ms: number): number {
  return Math.round((performance.now() - ms) * 1_000);
}
