import { groupedAmount } from '../../src/counted.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import type { RowRequest } from '../../src/ledger/schema/row.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import { extrasIn, isPath, shownIn } from '../../src/portfolio/columns/extra-fields.ts';
import { fieldOf, KNOWN_COLUMNS } from '../../src/portfolio/columns/known-columns.ts';
import { makeProblem, type Problem } from '../../src/portfolio/problem.ts';
import { companyWords, isSentUnder } from '../rows/sent-for.ts';

type SentRequest = RowRequest & { portfolio: string };

/**
 * The request of a row. If this portfolio has no such row, the buyer's request with the same key that another portfolio sent; undefined
 * where there is none.
 */
export async function sentRequest(
  row: RowId,
  buyer: string,
  rows: Pick<Rows, 'read' | 'ofBuyers'>,
): Promise<SentRequest | undefined> {
  const [own] = await rows.read([row]);
  if (own) return { ...own.request, portfolio: row.portfolio };
  const others = (await rows.ofBuyers([buyer])).get(buyer)?.rows ?? [];
  const other =
    others.find((one) => isSentUnder(row.key, one)) ??
    others.find((one) => one.row.key === row.key && one.limit !== 'free');
  const [found] = other ? await rows.read([other.row]) : [];
  return found && other && { ...found.request, portfolio: other.row.portfolio };
}

/** The advice on a changed line: a new request_reference makes a second limit, so a person must know that before writing one. */
const SECOND_LIMIT =
  'A request_reference of its own would request a SECOND limit. If no second one is meant, write the line as it was sent, or leave it out';

/** The problem of a line that differs from its request, which was sent already. A sent request is never changed. */
export function changedProblem(
  { line, portfolio }: { line: number; portfolio: string },
  asked: RowRequest,
  sent: SentRequest | undefined,
): Problem {
  const now = asked.limit.requested_limit;
  const before = sent?.limit.requested_limit;
  const isOtherAmount = before !== now;
  const isOfBuyer = sent !== undefined && sent.buyer === asked.buyer;
  const where = isOfBuyer && sent.portfolio !== portfolio ? ` in portfolio ${sent.portfolio}` : '';
  const stays = isOfBuyer
    ? `the request stays as it was sent${where}`
    : 'the request of this line belongs to another buyer or amount';
  const differs = isOfBuyer ? differenceWords(asked, sent) : sent ? ` (sent for ${companyWords(sent)})` : '';
  return {
    line,
    column: isOtherAmount ? 'requested_limit' : null,
    value: isOtherAmount ? now : null,
    message: `changed after it was requested${differs}; ${stays}. ${isOfBuyer ? wayOut(asked, sent) : SECOND_LIMIT}`,
  };
}

/** The problem of a line whose request was sent when its file named another currency. */
export function changedCurrency(line: number, now: string, before: string): Problem {
  const message = `changed after it was requested (sent in ${before}, and this file names ${now}); the request stays as it was sent. ${SECOND_LIMIT}`;
  return makeProblem(line, 'currency', now, message);
}

/**
 * Words such as ` (sent: 1,000; name differs; sent for "Acme AG", DE)`: the amount that was sent, the names of the other columns and extra
 * fields that differ, and the company if its name or country is one of them.
 */
function differenceWords(asked: RowRequest, sent: RowRequest): string {
  const { requested_limit: amount } = sent.limit;
  const names = differingFields(asked, sent).filter((name) => name !== 'requested_limit');
  const isOtherAmount = amount !== asked.limit.requested_limit;
  // No field of a request tells that the content of a document changed.
  if (names.length === 0 && !isOtherAmount && sent.documents.length > 0) names.push('supporting_documents');
  const words = [
    ...(isOtherAmount ? [`sent: ${groupedAmount(amount)}`] : []),
    ...(names.length > 0 ? [`${names.join(', ')} ${names.length === 1 ? 'differs' : 'differ'}`] : []),
    ...(names.some((name) => name === 'name' || name === 'country_code') ? [`sent for ${companyWords(sent)}`] : []),
  ];
  return words.length > 0 ? ` (${words.join('; ')})` : '';
}

/**
 * The advice on a changed line. A line that only lacks something was probably read without a column: the column has another name now, or its
 * mapping was forgotten. One that only has more was probably read with a column that was kept before, since its name was unknown then.
 */
function wayOut(asked: RowRequest, sent: RowRequest): string {
  const names = differingFields(asked, sent);
  if (areLacking(names, asked)) {
    const otherwise = names.every(isPath)
      ? 'if the column was read as that before, read it so again'
      : 'if the file has it under another name, say so with --map';
    return `It was sent with ${names.join(', ')}, which this line lacks: ${otherwise}, or leave the line out`;
  }
  if (!areLacking(names, sent)) return SECOND_LIMIT;
  return `It was sent without ${names.join(', ')}. If the file had the same column then, say --map "COLUMN=" with its name, so that it is not sent. Otherwise leave the cell empty, or leave the line out`;
}

/** Whether a request has none of these fields; documents are told by more than their column. */
function areLacking(names: readonly string[], request: RowRequest): boolean {
  const has = fieldsOf(request);
  return names.length > 0 && names.every((name) => name !== 'supporting_documents' && has.get(name) === undefined);
}

/** The columns and extra fields in which two requests differ. Of documents, names and purposes count. */
export function differingFields(asked: RowRequest, sent: RowRequest): string[] {
  const [now, then] = [fieldsOf(asked), fieldsOf(sent)];
  return [...new Set([...then.keys(), ...now.keys()])].filter((name) => now.get(name) !== then.get(name));
}

/** A request's values by column or, for extra fields, by path. Of documents, names and purposes count. */
function fieldsOf({ company, companyId, documents, limit }: RowRequest): Map<string, unknown> {
  const shown = [...shownIn('company', company), ...shownIn('buyer_limit', limit)];
  const extras = [...extrasIn('company', company), ...extrasIn('buyer_limit', limit)];
  const columnOf = (name: string) => KNOWN_COLUMNS.find((one) => fieldOf(one) === name) ?? name;
  return new Map<string, unknown>([
    ...shown.map(([name, value]) => [columnOf(name), value] as const),
    ...extras.map(({ field, text }) => [field, text] as const),
    ['company_id', companyId],
    ['supporting_documents', JSON.stringify(documents.map(({ name, purpose }) => [name, purpose]))],
  ]);
}
