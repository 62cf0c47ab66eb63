import { randomBytes } from 'node:crypto';
import type { CallKind } from '../call-kind.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { makeLuaScript, type RedisConnection } from '../lua-script.ts';
import type { BreakerQueue } from './breaker-queue.ts';
import type { KnownBreakers } from './known-breakers.ts';

/** The right of one call, among all processes, to leave while its breaker is tripped. */
export type Probe = {
  readonly name: string;
  readonly kind: CallKind;
  /** Gives the right to another call, unless this one got a response that decides. */
  giveBack(): Promise<void>;
};

/**
 * Longest time between probes. Each may leave a person an unknown outcome to resolve: some 8 in the first five minutes, then 12 an hour.
 */
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
export function makeProbes({
  connection,
  key,
  breakers,
  queue,
  log,
}: {
  connection: RedisConnection;
  key: string;
  breakers: KnownBreakers;
  queue: BreakerQueue<Probe>;
  log: Log;
}) {
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
