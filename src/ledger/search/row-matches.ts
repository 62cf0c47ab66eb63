import { Big } from 'big.js';
import { is, type RowResult } from '../schema/row.ts';
import { type RowId, rowName } from '../schema/row-id.ts';
import { beginsWith, isSameNumber, numbersOf } from './index-words.ts';
import type { RowFilter } from './row-filter.ts';

export type FoundRow = { row: RowId; result: RowResult };

/** Whom a text means as a reference: the row of this request, and all rows of these buyers. */
export type Referred = { request: string; buyers: ReadonlySet<string> };

/** Of what is no reference. */
export const NOBODY: Referred = { request: '', buyers: new Set() };

/** Whether a row is meant by all that the filter says. Pure; amounts are compared exactly. */
export function matches({ row, result }: FoundRow, filter: RowFilter, referred: Referred): boolean {
  const { states, step, problem, cause, status, min, max, text } = filter;
  if (states && states.length > 0 && !states.includes(result.state)) return false;
  if (step !== undefined && result.step !== step) return false;
  if (problem !== undefined && !problemText(result).includes(problem.toLowerCase())) return false;
  if (cause !== undefined && !(result.cause === cause && isFailed(result))) return false;
  if (status !== undefined && result.record.status !== status) return false;
  if (!isBetween(result.request.limit.requested_limit, min, max)) return false;
  if (text === undefined) return true;
  return isNamedBy({ row, result }, text, referred) || beginsWith(result.request.name, text);
}

/** Whether a text is a whole name of a row: its line, its key, a reference, a number or an id. */
export function isNamedBy({ row, result }: FoundRow, text: string, { request, buyers }: Referred): boolean {
  const { line, companyId, limitId, documentIds, request: words } = result;
  if (text === String(line) || text === row.key || text === rowName(row)) return true;
  if (row.key === request || buyers.has(words.buyer)) return true;
  const small = text.toLowerCase();
  const ids = [companyId, limitId, words.companyId ?? '', ...documentIds];
  return (
    ids.some((id) => id !== '' && id.toLowerCase() === small) ||
    numbersOf(words.limit).some((number) => isSameNumber(number, text))
  );
}

function problemText({ problem }: RowResult): string {
  return `${problem?.message ?? ''} ${problem?.body ?? ''}`.toLowerCase();
}

/** The states in which a row is among those of its cause. */
function isFailed({ state }: RowResult): boolean {
  return is('isFailed', state);
}

function isBetween(amount: string, min: string | undefined, max: string | undefined): boolean {
  if (min === undefined && max === undefined) return true;
  if (!/^\d+(\.\d+)?$/.test(amount)) return false;
  return (min === undefined || new Big(amount).gte(min)) && (max === undefined || new Big(amount).lte(max));
}
