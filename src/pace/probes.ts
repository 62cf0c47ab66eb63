import { randomBytes } from 'node:crypto';
import type { CallKind } from '../call-kind.ts';
import { messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import { makeLuaScript, type RedisConnection } from '../lua-script.ts';
import type { BreakerQueue } from './breaker-queue.ts';
import type { KnownBreakers } from './known-breakers.ts';

/** The right, of one call in the whole fleet, to leave while a breaker is tripped. */
export type Probe = {
  readonly name: string;
  readonly kind: CallKind;
  /** Lets another try, where this call brought no answer that tells anything; does nothing where it did. */
  giveBack(): Promise<void>;
};

/** Each probe may cost a person a look-up, so they get rare: some 8 in the first five minutes, 12 in each hour after. */
export const LONGEST_WAIT_MS = 300_000;

/** A probe that came to nothing (made before, cancelled meanwhile) is followed by another this soon. */
const NEXT_PROBE_MS = 100;

/** A process that was killed in its probe keeps the others waiting for so long, and no call of theirs. */
const LEASE_MS = 6_000;
/** A breaker that was reset elsewhere is noticed within this; also how often a lease is prolonged. */
const LOOK_EVERY_MS = 1_000;

/**
 * The probes of one process: while somebody waits behind a tripped breaker it asks whether it may try, and gives the probe to the
 * first who waits. It has one at a time, by a lease that ends by itself when the process dies.
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
  const script = (name: string) => makeLuaScript(connection, new URL(`./lua/${name}.lua`, import.meta.url));
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
    const args = [name, has ? 1 : 0, LEASE_MS * 1_000, LONGEST_WAIT_MS * 1_000, ...kinds];
    return breakers.learn(await askProbe([key], args));
  };

  const giveBack = async (name: string, againMs: number): Promise<void> => {
    if (current?.name !== name) return;
    current = undefined;
    // A lease that cannot be given back ends by itself.
    await returnProbe([key], [name, againMs * 1_000]).then(breakers.learn, () => {});
  };

  /** Answers how long the next look may wait. */
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

    /** Asks how the breakers stand, and for no probe. */
    async refresh(): Promise<void> {
      breakers.learn(await askProbe([key], ['', 0, 0, 0]));
    },

    /** The probe has been answered, which ends its lease. Says whether this process had it. */
    end(probe: Probe | undefined): boolean {
      if (!probe || current?.name !== probe.name) return false;
      current = undefined;
      return true;
    },

    /** Looks now and then, for as long as somebody waits or a probe is under way. */
    async watch(): Promise<void> {
      if (watching) return;
      watching = true;
      while (queue.kinds().length > 0 || current) {
        const waitMs = await look().catch((error) => {
          log.debug({ reason: messageOf(error) }, 'the circuit breakers cannot be asked about; trying until they can');
          return LOOK_EVERY_MS;
        });
        // A process that stops takes its callers out of the queue, and nothing else waits for this.
        await new Promise((resolve) => setTimeout(resolve, waitMs).unref());
      }
      watching = false;
    },
  };
}
