import { setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from '../../src/config.ts';
import type { RetryUntilAnswered } from '../../src/ledger/schema/until-answered.ts';
import type { Log } from '../../src/log.ts';
import { makeMessage } from '../../src/notices/make-message.ts';
import type { NoticeOutbox } from '../../src/notices/outbox.ts';
import { WAYS, type Way, type WayName } from '../../src/notices/way.ts';
import { openWays } from '../../src/notices/ways.ts';
import { tryNotice } from './try-notice.ts';

export type DeliverDeps = {
  outbox: Pick<NoticeOutbox, 'take' | 'settle'>;
  settings: Settings;
  account: string;
  retryUntilAnswered: RetryUntilAnswered;
  log: Log;
  /** Those of the settings, where none are given. */
  ways?: readonly Way[];
};

/** What one pass brought: tries, and not notices, since one goes on several ways. */
export type Delivered = { delivered: number; failed: number; undelivered: number };

/** A person who waits for a notice does not mind so long; asked is one script a way. */
const LOOK_EVERY_MS = 2_000;

/** While Redis is away. */
const LOOK_AGAIN_MS = 5_000;

/** A try that is under way when the process stops may take so long; then it is cut off, and sent again by whoever comes next. */
const STOP_MS = 5_000;

/**
 * Delivers what is due, on each way for itself, and then ends: also where a way fails, whose other notices wait for it then.
 *
 * @param signal when it is aborted, what is being sent is cut off, and goes again with the same id
 */
export async function deliverOnce(deps: DeliverDeps, { signal }: { signal: AbortSignal }): Promise<Delivered> {
  const ways = deps.ways ?? openWays(deps.settings);
  const all: Delivered = { delivered: 0, failed: 0, undelivered: 0 };
  const passes = WAYS.map((name) => deliverOn(name, ways, { deps, cutOff: signal, stop: signal }));
  for (const one of await Promise.all(passes)) {
    for (const is of Object.keys(all) as (keyof Delivered)[]) all[is] += one[is];
  }
  return all;
}

/**
 * Delivers notices until it is stopped, or `signal` is aborted; while Redis is away it waits. What is being sent when it
 * stops has five seconds to get its answer.
 */
export function startDelivering(deps: Omit<DeliverDeps, 'log'>, { log, signal }: { log: Log; signal: AbortSignal }) {
  const [stopping, cutting] = [new AbortController(), new AbortController()];
  const ways = deps.ways ?? openWays(deps.settings);
  const run = { deps: { ...deps, log }, stop: stopping.signal, cutOff: cutting.signal };
  const loops = Promise.all(WAYS.map((name) => deliverForEver(name, ways, run)));
  const stop = async (): Promise<void> => {
    signal.removeEventListener('abort', stop);
    stopping.abort();
    const late = setTimeout(() => cutting.abort(), STOP_MS);
    await loops;
    clearTimeout(late);
  };
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) void stop();
  return { stop };
}

type Run = { deps: DeliverDeps; stop: AbortSignal; cutOff: AbortSignal };

async function deliverForEver(name: WayName, ways: readonly Way[], run: Run): Promise<void> {
  let isAway = false;
  while (!run.stop.aborted) {
    try {
      await deliverOn(name, ways, run);
      isAway = false;
    } catch (error) {
      if (!isAway && !run.stop.aborted) run.deps.log.warn({ err: error, way: name }, 'notices cannot be delivered now');
      isAway = true;
    }
    await sleep(isAway ? LOOK_AGAIN_MS : LOOK_EVERY_MS, undefined, { signal: run.stop }).catch(() => {});
  }
}

/** One after the other, the oldest first, until nothing is due. */
async function deliverOn(name: WayName, ways: readonly Way[], { deps, stop, cutOff }: Run): Promise<Delivered> {
  const { outbox, settings, account, retryUntilAnswered, log } = deps;
  const way = ways.find((one) => one.name === name);
  const lacking = way === undefined ? `no ${name} is set any more` : '';
  const done: Delivered = { delivered: 0, failed: 0, undelivered: 0 };
  while (!stop.aborted) {
    const taken = await outbox.take(name, { lacking });
    if (taken.is === 'undelivered') {
      const { id, notice, words } = taken;
      log.error({ notice: id, kind: notice.kind, way: name, reason: words }, 'notice given up: it was not delivered');
      done.undelivered += 1;
    } else if (taken.is === 'go' && way !== undefined) {
      const message = makeMessage(taken, { account, consoleUrl: settings.CONSOLE_URL });
      const after = await tryNotice(taken, message, { way, outbox, retryUntilAnswered, log, signal: cutOff });
      done[after] += 1;
    } else if (taken.is !== 'later' || taken.inMs > 0) return done;
  }
  return done;
}
