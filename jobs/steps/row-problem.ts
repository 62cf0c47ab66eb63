import { heldRemedy } from '../../src/held-remedy.ts';
import type { RowProblem, RowResult, Step } from '../../src/ledger/schema/row.ts';
import { isWebPage } from '../../src/web-page.ts';
import type { CallEnding } from './call-once.ts';
import type { CallRequest } from './call-request.ts';

/** Outcomes that end a row without success. */
export type Failure = Exclude<CallEnding, { is: 'made' | 'later' | 'moved' }>;

/** The most characters of a request that its row's problem quotes: enough to find the request at the service. */
const KEPT_SENT_CHARACTERS = 2_000;

/** The problem of a row whose call was not successful, as people read it. Pure. */
export function rowProblemOf(
  step: Step,
  { what, sent }: Pick<CallRequest, 'what' | 'sent'>,
  failure: Failure,
): RowProblem {
  switch (failure.is) {
    case 'refused': {
      const { status, body } = failure;
      const page = isWebPage(body) ? ' and a web page: check that SERVICE_URL is the address of the service' : '';
      return { step, message: `The service refused ${what} with status ${status}${page}`, status, body };
    }
    case 'unknown': {
      const { reason, sentMs = 0, body, sentFor } = failure;
      const sentAt = sentMs > 0 ? `sent ${new Date(sentMs).toISOString()}, then ` : '';
      const whose = sentFor ? `; it was sent for ${senderWords(sentFor)}, which asks for something else` : '';
      const message = `It is unknown whether ${what} was made: ${sentAt}${reason}${whose}`;
      const kept = sent.slice(0, KEPT_SENT_CHARACTERS);
      return { step, message, sent: kept, ...(body && { body }), ...(sentFor && { sentFor }) };
    }
    case 'other': {
      const message = `changed after it was requested: ${what} was made for another line of this name, for another buyer or amount (${failure.id}). A request_reference of its own would request a SECOND one. If no second one is meant, write the line as it was sent, or leave it out`;
      return { step, message };
    }
    case 'put off': {
      const { times, reason } = failure;
      return {
        step,
        message: `The service put ${what} off ${times} times (${reason}) while others of this step passed`,
      };
    }
  }
}

/** The row for which a call was sent, by its name; the name of a supplier's call has no row (`q4/`). */
const senderWords = (name: string): string =>
  name.endsWith('/') ? `the supplier of portfolio ${name.slice(0, -1)}` : `row ${name}`;

/**
 * Why a row's job failed, for BullMQ and its dashboards: line and cause only. The buyer and the service's text may name people; the ledger
 * has both. Pure.
 *
 * @param result the row in the ledger; undefined if it was deleted
 */
export function failureReason(
  state: 'refused' | 'held',
  result: Pick<RowResult, 'line' | 'problem' | 'cause'> | undefined,
  portfolio: string,
): string {
  if (!result) return `a row that no longer exists: ${state}`;
  const { line, problem, cause } = result;
  const facts = [...(problem ? [`step ${problem.step}`] : []), ...(cause === undefined ? [] : [`cause ${cause}`])];
  const why = facts.length === 0 ? '' : ` (${facts.join(', ')})`;
  if (state === 'held') {
    return `line ${line}: held, since it is unknown what became of its call${why}. ${heldRemedy(portfolio)}`;
  }
  const status = problem?.status === undefined ? '' : ` with status ${problem.status}`;
  return `line ${line}: refused${status}${why}`;
}
