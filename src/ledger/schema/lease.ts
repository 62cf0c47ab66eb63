import { randomUUID } from 'node:crypto';
import { LimitlineError } from '../../errors.ts';
import { makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import { onceAtATime } from '../../once-at-a-time.ts';

/** A process that gave no sign for so long has vanished. It gives four of them in this time. */
export const LEASE_MS = 8_000;
const SIGN_EVERY_MS = 2_000;

/** A right that one process at a time has, such as to take portfolios of the account out of Redis or to put them back. */
type Right = {
  connection: RedisConnection;
  /** The string in Redis that says who has it. */
  key: string;
};

/**
 * Does what one process at a time may do, under a lease that is given up whatever becomes of the work. Who has it says so every two seconds;
 * one whose process dies is another's some seconds later. A process that stood still for longer may find that another goes on: what it
 * does has to be harmless then, and not this.
 *
 * @param right.what is called so where another process has taken it over
 * @param work hears by which name it has the lease, and is told by a signal where it is another's by now
 * @returns what the work came to; nothing where another process has the lease
 */
export async function underLease<T>(
  { processId, what, ...right }: Right & { processId: string; what: string },
  work: (holder: string, lost: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  // Also in one process: what a person asked for, and what is done by itself, may come at the same moment.
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

/** Asks for a right, and says that it goes on until it is released; nothing where another has it. */
export async function takeLease({
  connection,
  key,
  holder,
  onLost = () => {},
}: Right & { holder: string; onLost?: () => void }): Promise<{ release(): Promise<void> } | undefined> {
  const hold = makeLuaScript(connection, new URL('../lua/lease.lua', import.meta.url));
  const say = async (ms: number) => (await hold({ right: key }, { process: holder, lastsMs: ms })) === 1;
  if (!(await say(LEASE_MS))) return undefined;
  const stop = startSigns(async () => (await say(LEASE_MS)) || onLost(), SIGN_EVERY_MS);
  return {
    async release() {
      await stop();
      // Where Redis is away, it ends by itself.
      await say(0).catch(() => {});
    },
  };
}

/**
 * Gives a sign of life again and again. While Redis is away, one sign waits and no more of them pile up; that the work itself fails then is
 * said by the work.
 *
 * @returns ends that. No sign comes after it: one that overtook the end would be a sign of something that is gone
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
