import { createHash } from 'node:crypto';
import type { CallKind } from '../../src/call-kind.ts';
import type { Calls } from '../../src/ledger/calls/calls.ts';
import type { Thing } from '../../src/ledger/calls/claim-answers.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import { ROW_STATES, type RowDocument, type RowRequest, type RowState } from '../../src/ledger/schema/row.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import type { FoundRow } from '../../src/ledger/search/row-filter.ts';
import { pagesOf } from '../../src/ledger/search/row-pages.ts';

export type { FoundRow };

/** Visits all rows of a state in line order, even while rows move to other states. Answers how often `visit` said that it moved the row. */
export async function walkRows(
  rows: Rows,
  portfolio: string,
  state: RowState,
  visit: (found: FoundRow) => Promise<boolean>,
): Promise<number> {
  let moved = 0;
  for await (const page of foundPages(rows, portfolio, state)) {
    moved += (await Promise.all(page.map(visit))).filter(Boolean).length;
  }
  return moved;
}

/** Rows of a state page by page, each read when its page is reached. */
export async function* foundPages(rows: Rows, portfolio: string, state: RowState): AsyncGenerator<FoundRow[]> {
  for await (const page of pagesOf(rows, portfolio, state)) yield await readFound(page, rows);
}

/** Reads these rows, without those that do not exist. */
export async function readFound(page: readonly RowId[], rows: Pick<Rows, 'read'>): Promise<FoundRow[]> {
  const results = await rows.read(page);
  return page.flatMap((row, place) => {
    const result = results[place];
    return result ? [{ row, result }] : [];
  });
}

/** All rows of a state with this line number, of any import. */
export async function rowsAtLine(rows: Rows, portfolio: string, state: RowState, line: number): Promise<FoundRow[]> {
  const found: FoundRow[] = [];
  for await (const page of pagesOf(rows, portfolio, state, { from: line, to: line })) {
    found.push(...(await readFound(page, rows)));
  }
  return found;
}

/**
 * The rows of a state with this line number. If the last import has such a line, only its row counts: results files show that
 * import's lines. Otherwise rows of earlier imports count.
 */
export async function rowsOfLine(
  { rows, portfolios }: { rows: Rows; portfolios: Portfolios },
  portfolio: string,
  state: RowState,
  line: number,
): Promise<FoundRow[]> {
  const found = await rowsAtLine(rows, portfolio, state, line);
  const { file } = await portfolios.read(portfolio);
  const latest = found.filter(({ result }) => result.importId === String(file?.number));
  if (latest.length > 0) return latest;
  // The last import's row of that line may be in another state. Then no row is meant.
  for (const other of ROW_STATES) {
    const others = await rowsAtLine(rows, portfolio, other, line);
    if (others.some(({ result }) => result.importId === String(file?.number))) return [];
  }
  return found;
}

/** The calls of a row's current step, in the order in which the step makes them. */
export function callsOf({ row, result }: FoundRow): Pick<Thing, 'kind' | 'key'>[] {
  const call = (kind: CallKind, key: string) => ({ kind, key });
  switch (result.step) {
    case 'company':
      return [call('company', result.request.buyer)];
    case 'documents':
      return result.request.documents.map((document) => call('document', documentKey(document)));
    case 'limit':
      return [call('limit', row.key)];
  }
}

/** A document's key in the ledger. Two documents are the same if content, file name and purpose are. */
export function documentKey({ sha256, name, purpose }: Pick<RowDocument, 'sha256' | 'name' | 'purpose'>): string {
  return createHash('sha256')
    .update(JSON.stringify([sha256, name, ...(purpose === undefined ? [] : [purpose])]))
    .digest('base64url')
    .slice(0, 16);
}

/** A row's requests as they would be sent, with texts in place of ids that earlier calls answer. */
export function shownRequests({
  company,
  companyId,
  documents,
  limit,
}: Pick<RowRequest, 'company' | 'companyId' | 'limit'> & { documents: readonly Parameters<typeof withPurpose>[0][] }) {
  const names = documents.map(({ name }) => name);
  return {
    company: companyId === undefined ? (company ?? null) : null,
    documents: documents.map(withPurpose),
    limit: {
      company: companyId ?? '(the id of the company above)',
      ...limit,
      requested_limit: Number(limit.requested_limit),
      ...(names.length > 0 ? { supporting_documents: names.map((name) => `(the id of ${name})`) } : {}),
    },
  };
}

/** A document's name, with its purpose where a person names one. */
export function withPurpose({ name, purpose }: { name: string; purpose?: string }): string {
  return purpose === undefined ? name : `${name}, as ${purpose}`;
}

/**
 * Whether a call of a held row's step is still in doubt. A call that the ledger has forgotten counts as in doubt. Documents are
 * the exception: some of a row's documents may never have been sent.
 */
export async function isInDoubt(found: FoundRow, calls: Pick<Calls, 'isUnknown' | 'isForgotten'>): Promise<boolean> {
  const doubts = callsOf(found).map(async (call) => {
    return (await calls.isUnknown(call)) || (found.result.step !== 'documents' && (await calls.isForgotten(call)));
  });
  return (await Promise.all(doubts)).includes(true);
}

export type CallInDoubt = Pick<Thing, 'kind' | 'key'>;

/**
 * The first call of the row's step that is in doubt: an answer about the row concerns this call. Without one in doubt, the
 * first call of the step; such a row goes on by itself.
 */
export async function callInDoubt(
  found: FoundRow,
  { calls }: { calls: Pick<Calls, 'isUnknown'> },
): Promise<CallInDoubt | undefined> {
  const all: CallInDoubt[] = callsOf(found);
  for (const call of all) {
    if (await calls.isUnknown(call)) return call;
  }
  return all[0];
}
