import { setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from '../../src/config.ts';
import { type RetryUntilAnswered, untilStopped } from '../../src/ledger/schema/until-answered.ts';
import type { Log } from '../../src/log.ts';
import type { DeliveryResult, NoticeOutbox, TakenNotice } from '../../src/notices/outbox.ts';
import { backoffMs, type Message, type SendResult, WAYS, type Way, type WayName } from '../../src/notices/way.ts';
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
  const ways = deps.ways ?? openWays(deps.settings);
  const all: Delivered = { delivered: 0, failed: 0, undelivered: 0 };
  const passes = WAYS.map((name) => deliverOn(name, ways, { deps, cutOff: signal, stop: signal }));
  for (const one of await Promise.all(passes)) {
    for (const is of Object.keys(all) as (keyof Delivered)[]) all[is] += one[is];
  }
  return all;
}

/**
 * Delivers notices until stopped or `signal` is aborted. Waits while Redis is away. A try under way at the end has five
 * seconds.
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

/**
 * Sends a notice, records the result, and logs what a person should know: success, the first failure of a channel, each refusal
 * that a person must fix, and giving up.
 */
async function tryNotice(
  taken: TakenNotice,
  message: Message,
  { way, outbox, retryUntilAnswered, log, signal }: TryDeps,
): Promise<'delivered' | 'failed' | 'undelivered'> {
  const sent = await way.send(message, { signal });
  const settled = { ...settledBy(sent, taken), where: way.where };
  // Without retries, a notice delivered while Redis is away would be sent again after its lease.
  const note = signal.aborted ? retryUntilAnswered : untilStopped(retryUntilAnswered, signal);
  const after = await note('what came of a notice', () => outbox.settle(taken, settled));
  const facts = { notice: taken.id, kind: taken.notice.kind, way: way.name, where: way.where, tries: taken.tries };
  const reason = sent.words === '' ? {} : { reason: sent.words };
  if (sent.is === 'delivered') {
    if (sent.words === '') log.info(facts, 'notice delivered');
    else log.warn({ ...facts, ...reason }, 'notice delivered, but not to everybody');
    return 'delivered';
  }
  if (after === 'undelivered') {
    log.error({ ...facts, ...reason }, 'notice given up: it was not delivered');
    return 'undelivered';
  }
  if (sent.fault === 'ours')
    log.info({ ...facts, ...reason }, 'sending a notice was cut off; the notice is sent again');
  else if (!sent.passes)
    log.warn({ ...facts, ...reason }, 'notice refused; it is tried again, and somebody should mend this');
  else if (taken.failures === 0) log.warn({ ...facts, ...reason }, 'notice not delivered; it is tried again');
  else log.debug({ ...facts, ...reason }, 'notice not delivered again');
  return 'failed';
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

/** Delivers one notice after the other, oldest first, until none is due. */
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

type TryDeps = {
  way: Way;
  outbox: Pick<NoticeOutbox, 'settle'>;
  retryUntilAnswered: RetryUntilAnswered;
  log: Log;
  signal: AbortSignal;
};

/** The result for the outbox: after a fault of the channel, all its notices wait; after a fault of the notice, only this one. */
function settledBy(sent: SendResult, { tries, failures }: TakenNotice): Omit<DeliveryResult, 'where'> {
  const { words } = sent;
  if (sent.is === 'delivered') return { isDelivered: true, words, waitMs: 0, putOffMs: undefined };
  if (sent.fault === 'ours') return { isDelivered: false, words, waitMs: 0, putOffMs: undefined };
  const { passes, askedMs } = sent;
  if (sent.fault === 'notice') {
    return { isDelivered: false, words, waitMs: backoffMs({ failures: tries, passes, askedMs }), putOffMs: 'well' };
  }
  const waitMs = backoffMs({ failures: failures + 1, passes, askedMs });
  return { isDelivered: false, words, waitMs, putOffMs: waitMs };
}
