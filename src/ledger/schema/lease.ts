import { randomUUID } from 'node:crypto';
import { LimitlineError } from '../../errors.ts';
import type { RedisConnection } from '../../lua-script.ts';
import { onceAtATime } from '../../once-at-a-time.ts';
import { ledgerScript } from './gated-script.ts';

/** A lease that was not renewed for this long is lost. Its holder renews it every {@link SIGN_EVERY_MS}. */
export const LEASE_MS = 8_000;
const SIGN_EVERY_MS = 2_000;

/** A right that one process at a time has, such as to archive or restore portfolios of the account. */
type Right = {
  connection: RedisConnection;
  /** Key of the string that names the holder. */
  key: string;
};

/**
 * Runs work that one process at a time may do, under a lease. The lease is renewed every two seconds and released whatever the outcome.
 * A dead process loses it some seconds later. A process that was suspended for longer may run beside the next holder for a moment:
 * the work itself must make that harmless.
 *
 * @param right.what name of the work, for the error if another process takes over
 * @param work is given the holder's name, and a signal that is aborted if another process takes over
 * @returns the result of the work; undefined if another process has the lease
 */
export async function underLease<T>(
  { processId, what, ...right }: Right & { processId: string; what: string },
  work: (holder: string, lost: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  // Unique within one process too: a person's request and a scheduled run may come at the same moment.
  const holder = `${processId} ${randomUUID()}`;
  const lost = new AbortController();
  const fault = new LimitlineError('STOPPED', `Another process has taken over ${what}.`);
  const lease = await takeLease({ ...right, holder, onLost: () => lost.abort(fault) });
  if (!lease) return undefined;
  try {
    return await work(holder, lost.signal);
  } finally {
    await lease.release();
  }
}

/** Takes a lease and renews it until it is released; undefined if another process has it. */
export async function takeLease(
  given: Right & { holder: string; onLost?: () => void },
): Promise<{ release(): Promise<void> } | undefined> {
  const { connection, key, holder, onLost = () => {} } = given;
  const hold = ledgerScript(connection, 'general#lease');
  const say = async (ms: number) => (await hold({ right: key }, { process: holder, lastsMs: ms })) === 1;
  if (!(await say(LEASE_MS))) return undefined;
  const stop = startSigns(async () => (await say(LEASE_MS)) || onLost(), SIGN_EVERY_MS);
  return {
    async release() {
      await stop();
      // An error is ignored: without Redis the lease expires by itself.
      await say(0).catch(() => {});
    },
  };
}

/**
 * Sends a heartbeat at an interval. While Redis is away one heartbeat waits and no others pile up. Errors are ignored, since the work
 * itself fails then.
 *
 * @returns stops the heartbeats, and waits for the one under way: a later one would revive what has ended
 */
export function startSigns(sign: () => Promise<unknown>, everyMs: number): () => Promise<void> {
  let underWay: Promise<unknown> = Promise.resolve();
  const signOnce = onceAtATime(() => sign().catch(() => {}));
  const timer = setInterval(() => {
    underWay = signOnce();
  }, everyMs).unref();
  return async () => {
    clearInterval(timer);
    await underWay;
  };
}
