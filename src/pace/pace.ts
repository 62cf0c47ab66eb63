import type { Log } from '../log.ts';
import { makeLuaScript, type RedisConnection } from '../lua-script.ts';
import { type Grant, makeTurnstile, type Taken } from './turnstile.ts';

/** Why nothing leaves for now, in words for people, and until when. */
export type Blocked = { why: string; untilMs: number };

export type Pace = ReturnType<typeof makePace>;

/** The first wait after a 429 or an outage without a wish of the service's, and how far doubling goes. */
const FIRST_WAIT_MS = 250;
/** A service that is back is noticed within this. */
const LONGEST_WAIT_MS = 4_000;

/** While the service is being tried again, one call at a time and no faster than this. */
const TRIAL_INTERVAL_MS = 250;

/**
 * A given ceiling must hold in every second as the service sees it, so the spacing leaves room for calls that arrive
 * 20 ms later than they were sent and so crowd the next second.
 */
const CEILING_MARGIN = 0.98;

/** Turns are handed out this far ahead: one trip to Redis serves many calls, and a killed process wastes few. */
const AHEAD_MS = 100;

/**
 * One pace for all processes: when the next call may leave. Kept in Redis, on its clock.
 *
 * @param key the pace's key; one a service and set of credentials
 * @param ceilingPerS calls a second that are never exceeded, all processes together
 */
export function makePace({
  connection,
  key,
  ceilingPerS,
  log,
}: {
  connection: RedisConnection;
  key: string;
  ceilingPerS: number | undefined;
  log: Log;
}) {
  const script = (name: string) => makeLuaScript(connection, new URL(`./lua/${name}.lua`, import.meta.url));
  const [take, block] = [script('take'), script('block')];
  const ratePerS = ceilingPerS === undefined ? 0 : ceilingPerS * CEILING_MARGIN;
  let onTrial = false;
  let blocked: Blocked | undefined;

  const ask = async (wanted: number): Promise<Grant> => {
    const words = [wanted, ratePerS, AHEAD_MS * 1_000, TRIAL_INTERVAL_MS * 1_000];
    const [turns, firstUs, betweenUs, episode, strikes, why] = (await take([key], words)) as [
      ...[number, number, number, number, number],
      string?,
    ];
    onTrial = strikes > 0;
    blocked = turns === 0 && why ? { why, untilMs: Date.now() + firstUs / 1_000 } : undefined;
    return { turns, firstMs: firstUs / 1_000, betweenMs: betweenUs / 1_000, episode };
  };
  const turnstile = makeTurnstile(ask, (error) =>
    log.debug({ err: error }, 'the pace cannot be asked; trying until it can'),
  );

  return {
    /**
     * Waits for a turn. Answers `later` where that takes long (see the turnstile), so that the row can be put back.
     * Rejects with `STOPPED` when the signal is aborted first.
     */
    take: (signal: AbortSignal): Promise<Taken> => turnstile.take(signal),

    /** The service answered, so it is there: the line goes on at its pace. */
    async answered(): Promise<void> {
      if (!onTrial) return;
      onTrial = false;
      await connection.hset(key, 'strikes', 0);
    },

    /**
     * Stops the line for everybody: for `askedMs` where the service asked for it, else for a wait that doubles with each
     * episode in a row. A 429 of a call whose turn came before the present episode changes nothing unless it asks.
     */
    async block({
      why,
      askedMs = 0,
      episode,
    }: {
      why: string;
      askedMs?: number | undefined;
      episode: number;
    }): Promise<void> {
      const words = [askedMs * 1_000, FIRST_WAIT_MS * 1_000, LONGEST_WAIT_MS * 1_000, why, episode];
      const [waitUs, , opened] = (await block([key], words)) as [number, number, number];
      blocked = { why, untilMs: Date.now() + waitUs / 1_000 };
      if (opened === 1) log.warn({ waitMs: Math.round(waitUs / 1_000) }, `the line waits: ${why}`);
    },

    /** What holds the line up, as this process saw it last. */
    blocked(): Blocked | undefined {
      return blocked && blocked.untilMs > Date.now() ? blocked : undefined;
    },
  };
}
