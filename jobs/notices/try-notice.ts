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
 * Sends a notice that was taken, notes what came of it, and says in the log what a person should know: that it arrived, the
 * first failure of a way, each refusal of what a person has to mend, and that it was given up.
 */
export async function tryNotice(
  taken: TakenNotice,
  message: Message,
  { way, outbox, retryUntilAnswered, log, signal }: TryDeps,
): Promise<'delivered' | 'failed' | 'undelivered'> {
  const sent = await way.send(message, { signal });
  const settled = { ...settledBy(sent, taken), where: way.where };
  // What was delivered while Redis went away would otherwise be sent again when the lease is over.
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

/** What the outbox is told: a fault of the way makes all wait for it, one of the notice this one alone. */
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
