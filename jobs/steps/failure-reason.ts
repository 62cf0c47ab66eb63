import { heldRemedy } from '../../src/held-remedy.ts';
import type { RowResult } from '../../src/ledger/schema/row.ts';

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
