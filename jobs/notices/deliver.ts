import { setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from '../../src/config.ts';
import { type RetryUntilAnswered, untilStopped } from '../../src/ledger/schema/until-answered.ts';
import type { Log } from '../../src/log.ts';
import type { DeliveryResult, NoticeOutbox, TakenNotice } from '../../src/notices/outbox.ts';
import { backoffMs, type SendResult, WAYS, type Way, type WayName } from '../../src/notices/way.ts';
import { makeMessage, openWays } from '../../src/notices/ways.ts';

export type DeliverDeps = {
  outbox: Pick<NoticeOutbox, 'take' | 'settle'>;
  settings: Settings;
  account: string;
  retryUntilAnswered: RetryUntilAnswered;
  log: Log;
  /** The channels; those of the settings by default. */
  ways?: readonly Way[];
};

/** The result of a pass. Counts tries and not notices, because a notice may go to several channels. */
type Delivered = { delivered: number; failed: number; undelivered: number };

/** How often it is checked which notices are due: often enough for a person who waits. Each pass runs one script per channel. */
const LOOK_EVERY_MS = 2_000;

/** How soon delivering is tried again while Redis is away. */
const LOOK_AGAIN_MS = 5_000;

/**
 * How long an attempt to deliver may go on after the process was told to stop. Then it is cut off, and the next process sends the notice
 * again.
 */
const STOP_MS = 5_000;

/**
 * Delivers notices that are due, on each channel independently, and ends. After a failure, a channel's other notices wait.
 *
 * @param signal when aborted, cuts off what is being sent; it is sent again with the same id
 */
export async function deliverOnce(deps: DeliverDeps, { signal }: { signal: AbortSignal }): Promise<Delivered> {
  const run = { deps, ways: deps.ways ?? openWays(deps.settings), cutOff: signal, stop: signal, done: noneYet() };
  await Promise.all(WAYS.map((name) => deliverOn(name, run)));
  return run.done;
}

/** Delivers notices until stopped or `signal` is aborted. Waits while Redis is away. A try under way at the end has five seconds. */
export function startDelivering(deps: Omit<DeliverDeps, 'log'>, { log, signal }: { log: Log; signal: AbortSignal }) {
  const [stopping, cutting] = [new AbortController(), new AbortController()];
  const ways = deps.ways ?? openWays(deps.settings);
  const run = { deps: { ...deps, log }, ways, stop: stopping.signal, cutOff: cutting.signal, done: noneYet() };
  const loops = Promise.all(WAYS.map((name) => deliverForEver(name, run)));
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

type Run = { deps: DeliverDeps; ways: readonly Way[]; stop: AbortSignal; cutOff: AbortSignal; done: Delivered };

const noneYet = (): Delivered => ({ delivered: 0, failed: 0, undelivered: 0 });

async function deliverForEver(name: WayName, run: Run): Promise<void> {
  let isAway = false;
  while (!run.stop.aborted) {
    try {
      await deliverOn(name, run);
      isAway = false;
    } catch (error) {
      if (!isAway && !run.stop.aborted) run.deps.log.warn({ err: error, way: name }, 'notices cannot be delivered now');
      isAway = true;
    }
    await sleep(isAway ? LOOK_AGAIN_MS : LOOK_EVERY_MS, undefined, { signal: run.stop }).catch(() => {});
  }
}

/** Delivers one notice after the other, oldest first, until none is due. */
async function deliverOn(name: WayName, run: Run): Promise<void> {
  const { outbox, log } = run.deps;
  const way = run.ways.find((one) => one.name === name);
  const lacking = way === undefined ? `no ${name} is set any more` : '';
  while (!run.stop.aborted) {
    const taken = await outbox.take(name, { lacking });
    if (taken.is === 'undelivered') {
      const { id, notice, words } = taken;
      log.error({ notice: id, kind: notice.kind, way: name, reason: words }, 'notice given up: it was not delivered');
      run.done.undelivered += 1;
    } else if (taken.is === 'go' && way !== undefined) {
      run.done[await tryNotice(taken, way, run)] += 1;
    } else if (taken.is !== 'later' || taken.inMs > 0) return;
  }
}

/** Sends a notice, and records and logs the result. */
async function tryNotice(taken: TakenNotice, way: Way, { deps, cutOff: signal }: Run): Promise<'delivered' | 'failed'> {
  const { outbox, settings, account, retryUntilAnswered, log } = deps;
  const sent = await way.send(makeMessage(taken, { account, consoleUrl: settings.CONSOLE_URL }), { signal });
  const settled = { ...settledBy(sent, taken), words: sent.words, where: way.where };
  // Without retries, a notice delivered while Redis is away would be sent again after its lease.
  const note = signal.aborted ? retryUntilAnswered : untilStopped(retryUntilAnswered, signal);
  await note('what came of a notice', () => outbox.settle(way.name, taken, settled));
  const facts = { notice: taken.id, kind: taken.notice.kind, way: way.name, where: way.where, tries: taken.tries };
  const [level, said] = logOf(sent, taken);
  log[level]({ ...facts, ...(sent.words === '' ? {} : { reason: sent.words }) }, said);
  return sent.is;
}

/** What the outbox notes: after a fault of the channel, all its notices wait; after a fault of the notice, only this one. */
function settledBy(sent: SendResult, { tries, failures }: TakenNotice): Pick<DeliveryResult, 'outcome' | 'waitMs'> {
  const outcome = sent.is === 'delivered' ? sent.is : sent.fault;
  if (sent.is === 'delivered' || outcome === 'ours') return { outcome, waitMs: 0 };
  return { outcome, waitMs: backoffMs({ ...sent, failures: outcome === 'notice' ? tries : failures + 1 }) };
}

/** What a person should know: success, the first failure of a channel, and each refusal that a person must fix. */
function logOf(sent: SendResult, { failures }: TakenNotice): ['debug' | 'info' | 'warn', string] {
  if (sent.is === 'delivered') {
    return sent.words === '' ? ['info', 'notice delivered'] : ['warn', 'notice delivered, but not to everybody'];
  }
  if (sent.fault === 'ours') return ['info', 'sending a notice was cut off; the notice is sent again'];
  if (!sent.passes) return ['warn', 'notice refused; it is tried again, and somebody should mend this'];
  return failures === 0 ? ['warn', 'notice not delivered; it is tried again'] : ['debug', 'notice not delivered again'];
}
