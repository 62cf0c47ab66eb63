import type { CheckName, FoundItem } from '../../../src/ledger/nightly/checks.ts';
import type { WalkedRow } from '../row-check.ts';

/**
 * What a check found of a row: the company, the line and the amount, and nothing of a person. Nothing is mended here: what finance
 * wants to know of is for people.
 *
 * @param says what is the matter, in words that all rows of the same kind share
 */
export function rowItem(
  check: CheckName,
  { row, result }: WalkedRow,
  says: string,
  more: Pick<FoundItem, 'granted' | 'detail' | 'sinceMs' | 'command'> = {},
): FoundItem {
  const { name, limit } = result.request;
  return {
    check,
    portfolio: row.portfolio,
    key: row.key,
    line: result.line,
    name,
    requested: limit.requested_limit,
    says,
    isMended: false,
    ...more,
  };
}
