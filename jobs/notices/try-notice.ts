import { type RetryUntilAnswered, untilStopped } from '../../src/ledger/schema/until-answered.ts';
import type { Log } from '../../src/log.ts';
import { backoffMs } from '../../src/notices/backoff.ts';
import type { DeliveryResult, TakenNotice } from '../../src/notices/deliveries.ts';
import type { NoticeOutbox } from '../../src/notices/outbox.ts';
import type { Message, SendResult, Way } from '../../src/notices/way.ts';

type TryDeps = {
  way: Way;
  outbox: Pick<NoticeOutbox, 'settle'>;
  retryUntilAnswered: RetryUntilAnswered;
  log: Log;
  signal: AbortSignal;
};

/**
 * Sends a notice, records the result, and logs what a person should know: success, the first failure of a channel, each refusal
 * that a person must fix, and giving up.
 */
export async function tryNotice(
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
  if (sent.fault === 'ours') log.info({ ...facts, ...reason }, 'notice not sent to its end; it is sent again');
  else if (!sent.passes)
    log.warn({ ...facts, ...reason }, 'notice refused; it is tried again, and somebody should mend this');
  else if (taken.failures === 0) log.warn({ ...facts, ...reason }, 'notice not delivered; it is tried again');
  else log.debug({ ...facts, ...reason }, 'notice not delivered again');
  return 'failed';
}

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
