import { randomBytes } from 'node:crypto';
import { CALL_KINDS, type CallKind } from '../call-kind.ts';
import { LimitlineError, messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { makeLuaScript, type RedisConnection } from '../lua-script.ts';
import { describeTripped, type Tripped } from './breaker-words.ts';
import { readNamedFields } from './read-pace.ts';

/** The right of one call, among all processes, to leave while its breaker is tripped. */
export type Probe = {
  readonly name: string;
  readonly kind: CallKind;
  /** Gives the right to another call, unless this one got a response that decides. */
  giveBack(): Promise<void>;
};

/** Longest time between probes. Each may leave a person an unknown outcome to resolve: some 8 in the first five minutes, then 12 an hour. */
export const LONGEST_PROBE_WAIT_MS = 300_000;

/** A probe that sent nothing (made before, cancelled meanwhile) is followed by another after this time. */
const NEXT_PROBE_MS = 100;

/**
 * How long a process has the right to a probe without prolonging it. If the process is killed, the next probe is delayed by this time, and
 * no other call.
 */
const LEASE_MS = 6_000;
/** Interval at which the breakers are read and a lease is prolonged. */
const LOOK_EVERY_MS = 1_000;

/**
 * The probes of one process. While calls wait behind a tripped breaker, it asks for a probe and gives it to the first waiting call. It has
 * one probe at a time, by a lease that expires if the process dies.
 */
export function makeProbes(asked: {
  connection: RedisConnection;
  key: string;
  breakers: KnownBreakers;
  queue: BreakerQueue<Probe>;
  log: Log;
}) {
  const { connection, key, breakers, queue, log } = asked;
  const script = (name: string) => makeLuaScript(connection, new URL(`./lua/probes.lua#${name}`, import.meta.url));
  const [askProbe, returnProbe] = [script('ask-probe'), script('return-probe')];
  const processName = randomBytes(6).toString('base64url');
  let names = 0;
  let current: Probe | undefined;
  let watching = false;

  const newName = (): string => {
    names += 1;
    return `${processName}/${names}`;
  };

  const ask = async (name: string, has: boolean): Promise<CallKind | undefined> => {
    const kinds = has ? [] : queue.kinds();
    const args = [name, has ? 1 : 0, LEASE_MS * 1_000, LONGEST_PROBE_WAIT_MS * 1_000, ...kinds];
    return breakers.learn(await askProbe([key], args));
  };

  const giveBack = async (name: string, againMs: number): Promise<void> => {
    if (current?.name !== name) return;
    current = undefined;
    // A lease that cannot be given back expires.
    await returnProbe([key], [name, againMs * 1_000]).then(breakers.learn, () => {});
  };

  /** Asks for a probe or prolongs the lease. Returns the time until the next round. */
  const look = async (): Promise<number> => {
    if (current) {
      await ask(current.name, true);
      return LOOK_EVERY_MS;
    }
    const name = newName();
    const kind = await ask(name, false);
    if (kind !== undefined) {
      current = { name, kind, giveBack: () => giveBack(name, NEXT_PROBE_MS) };
      if (!queue.give(current)) await current.giveBack();
    }
    const dueMs = (breakers.tripped()[0]?.untilMs ?? 0) - Date.now();
    return dueMs > 0 ? Math.min(dueMs + 1, LOOK_EVERY_MS) : LOOK_EVERY_MS;
  };

  return {
    newName,
    giveBack,

    /** Reads the breakers, without asking for a probe. */
    async refresh(): Promise<void> {
      breakers.learn(await askProbe([key], ['', 0, 0, 0]));
    },

    /** Ends the lease of an answered probe. Returns whether this process had it. */
    end(probe: Probe | undefined): boolean {
      if (!probe || current?.name !== probe.name) return false;
      current = undefined;
      return true;
    },

    /** Repeats {@link look} while calls wait or a probe is in flight. */
    async watch(): Promise<void> {
      if (watching) return;
      watching = true;
      while (queue.kinds().length > 0 || current) {
        const waitMs = await look().catch((error) => {
          log.debug({ reason: messageOf(error) }, 'the circuit breakers could not be read; trying again');
          return LOOK_EVERY_MS;
        });
        // The timer need not keep the process alive: a stopping process empties the queue.
        await new Promise((resolve) => setTimeout(resolve, waitMs).unref());
      }
      watching = false;
    },
  };
}

type BreakerQueue<T extends { kind: CallKind }> = ReturnType<typeof makeBreakerQueue<T>>;

type Waiter<T> = { kind: CallKind; pass: (probe: T | undefined) => void };

/** The calls of one process that wait behind a tripped breaker, in order. They hold no slot, permit or claim. */
export function makeBreakerQueue<T extends { kind: CallKind }>() {
  const waiters = new Set<Waiter<T>>();
  return {
    /** Resolves to a probe, or to undefined once the breaker has reset. Rejects with `STOPPED` when the signal is aborted first. */
    wait: (kind: CallKind, signal: AbortSignal): Promise<T | undefined> =>
      new Promise((resolve, reject) => {
        const leave = () => {
          waiters.delete(waiter);
          reject(new LimitlineError('STOPPED', 'The process is stopping; the row waits for another process.'));
        };
        const pass = (probe: T | undefined) => {
          waiters.delete(waiter);
          signal.removeEventListener('abort', leave);
          resolve(probe);
        };
        const waiter: Waiter<T> = { kind, pass };
        if (signal.aborted) {
          leave();
          return;
        }
        signal.addEventListener('abort', leave, { once: true });
        waiters.add(waiter);
      }),

    kinds: (): CallKind[] => [...new Set([...waiters].map(({ kind }) => kind))],

    /** Ends the wait of all calls whose breaker is not tripped; each resolves to undefined. */
    letPass(mayLeave: (kind: CallKind) => boolean): void {
      for (const waiter of [...waiters]) if (mayLeave(waiter.kind)) waiter.pass(undefined);
    },

    /** Gives a probe to the first waiting call of its kind; false if there is none. */
    give(probe: T): boolean {
      for (const waiter of waiters) {
        if (waiter.kind !== probe.kind) continue;
        waiter.pass(probe);
        return true;
      }
      return false;
    },
  };
}

type KnownBreakers = ReturnType<typeof makeKnownBreakers>;

/** Time in ms for which a state of the breakers counts as fresh after it was read. Processes that make calls get a new one more often. */
const FRESH_MS = 1_000;

/**
 * The breakers as this process knows them from the scripts' answers (lua/breaker-state.lua). Logs when a breaker is tripped or reset.
 *
 * @param onLearned called after each answer
 */
export function makeKnownBreakers({ log, onLearned }: { log: Log; onLearned: () => void }) {
  let tripped: readonly Tripped[] = [];
  let learnedAtMs = Number.NEGATIVE_INFINITY;

  const isTripped = (kind: CallKind): boolean => tripped.some((breaker) => breaker.kind === kind);

  const sayTripped = (): void => {
    const [first] = tripped;
    if (first) log.warn({ why: first.why }, `calls wait: ${describeTripped(tripped)}`);
  };

  return {
    isTripped,
    tripped: (): readonly Tripped[] => tripped,
    sayTripped,
    isFresh: (): boolean => performance.now() - learnedAtMs <= FRESH_MS,

    /** Reads a script's answer, and returns the kind that this process shall probe. */
    learn(reply: unknown): CallKind | undefined {
      const answer = readNamedFields(reply);
      const before = tripped;
      const untilMs = Date.now() + answer.number('dueUs') / 1_000;
      const isTried = answer.flag('isTried');
      tripped = CALL_KINDS.filter((kind) => answer.has(`shut:${kind}`)).map((kind) => {
        return { kind, why: answer.text(`shut:${kind}`), untilMs, isTried };
      });
      learnedAtMs = performance.now();
      const opened = before.filter(({ kind }) => !isTripped(kind));
      for (const { kind } of opened) log.info({ kind }, 'calls of this kind go on');
      if (tripped.some(({ kind }) => !before.some((breaker) => breaker.kind === kind))) sayTripped();
      onLearned();
      return CALL_KINDS.find((kind) => kind === answer.text('try'));
    },
  };
}
