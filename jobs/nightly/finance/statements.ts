import type { CheckName, FoundItem } from '../../../src/ledger/nightly/checks.ts';
import type { RowState } from '../../../src/ledger/row.ts';
import { lackingStatements, OLDEST_MONTHS } from '../../../src/portfolio/lines/advice.ts';
import type { WalkedRow } from '../row-check.ts';
import { rowItem } from './row-item.ts';

/**
 * How far a row is whose statements are looked at. One that is under way is looked at once it has ended; a request that was given up
 * or made before is none of its own.
 */
const STAGES: Readonly<Partial<Record<RowState, string>>> = {
  awaiting: 'not sent yet',
  held: 'held',
  refused: 'refused',
  done: 'limit made',
};

/**
 * Finds a request above what audited statements are advised for (docs/service.md, "Advice") that names no document, or whose
 * statements are too old; pure. The rule is that of the import's warning, by the night's date: statements grow old.
 *
 * @param oldest the oldest date that statements may have, YYYY-MM-DD (`adviceDates`)
 */
export function statementsOf(walked: WalkedRow, oldest: string): FoundItem | undefined {
  const { state, request, statements } = walked.result;
  const stage = STAGES[state];
  if (stage === undefined) return undefined;
  const amount = request.limit.requested_limit;
  const lacking = lackingStatements({ amount, hasDocuments: request.documents.length > 0, dated: statements }, oldest);
  if (lacking === null) return undefined;
  const [check, what]: [CheckName, string] =
    lacking === 'none' ? ['no statements', 'no document is named'] : ['old statements', OLD];
  const more = statements === undefined ? {} : { detail: `statements of ${statements}` };
  return rowItem(check, walked, `${stage}: ${what}`, more);
}

const OLD = `the statements are older than ${OLDEST_MONTHS} months`;
