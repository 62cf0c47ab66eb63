import { groupedAmount } from '../../src/counted.ts';
import type { Document } from '../../src/documents/folder.ts';
import {
  type AskingLine,
  candidatesFor,
  decideReplacement,
  describeRow,
  isUndecided,
  isUnsent,
  madeProblem,
  mendedBeforeProblem,
  mendedProblem,
  type OwnFile,
  type ReplacingDecision,
  undecidedProblem,
  wasUnsure,
} from '../../src/ledger/portfolios/replacing.ts';
import { type BuyerRow, type BuyerRows, MOST_READ } from '../../src/ledger/rows/buyer-rows.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import type { PutAnswer, RowDocument, RowRequest } from '../../src/ledger/schema/row.ts';
import { type RowId, rowName } from '../../src/ledger/schema/schema.ts';
import { ROW_COLUMN } from '../../src/portfolio/columns/result-columns.ts';
import { alikeOfName, referenceOf, requestKey } from '../../src/portfolio/identity/identity.ts';
import { formsWithZeros } from '../../src/portfolio/identity/leading-zeros.ts';
import type { Line, Row } from '../../src/portfolio/lines/row.ts';
import { makeProblem, type Problem, visible } from '../../src/portfolio/problem.ts';
import { mayBeSame } from '../../src/portfolio/values/currencies.ts';
import { areOfOtherCompanies, companyWords, isSentUnder } from '../rows/sent-for.ts';
import { changedCurrency } from './changed-line.ts';
import { correctionsOf, decideMend } from './mend-rows.ts';

export type RowLine = Extract<Line, { kind: 'row' }>;

/** The import that a line belongs to, and what is known of its file. */
export type Place = {
  portfolio: string;
  /** The number of the import; '' if it has none yet. */
  importId: string;
  /** The line's cell that names the row to correct; '' if there is none. */
  mendedRow: (cells: readonly string[]) => string;
  /** The problem that an errors file gives for a line; '' in other files. */
  earlierProblem: (cells: readonly string[]) => string;
  /** Whether an errors file says that the line comes from another line than the row, of the same file. */
  isOfOtherLine: (cells: readonly string[], row: BuyerRow) => Promise<boolean>;
  /** A request that was sent for a later import of the file that a line of an errors file comes from. */
  sentSince: (cells: readonly string[], rows: readonly BuyerRow[]) => Promise<BuyerRow | undefined>;
  /** Finds a request that was already sent for the same original line, after another errors file had corrected it. */
  sentBefore: (cells: readonly string[], rows: readonly BuyerRow[]) => Promise<BuyerRow | undefined>;
  file: () => Promise<OwnFile>;
  /** The currency that the file names, by its header or the first line that names one. Undefined if it names none. */
  currency: () => Promise<string | undefined>;
  /** The currency in which a row was requested; undefined if no file named one, or it is not known. */
  currencyOf: (row: BuyerRow) => Promise<string | undefined>;
  /** An import collects here in which currencies requests of its lines were sent. */
  sentIn?: Set<string>;
  /** Names the file and import of another row; undefined where they are not known. */
  fileOf: (row: BuyerRow) => Promise<string | undefined>;
};

/**
 * The decision for a line before it goes into the ledger: the row that it replaces, or the problem that refuses it. `isUnclear`: the line may
 * correct any row of its buyer.
 */
export type LineDecision = { asking: AskingLine } & ({ replaces: BuyerRow | undefined } | RefusedFor);

type RefusedFor = { problem: Problem; isUnclear?: boolean };

/**
 * Decides which row of its portfolio a line corrects: the row that its cell `row` names, or else its buyer's unsent row.
 * Changes nothing, so that `check` can call it, too.
 */
export async function decideLine(
  place: Place,
  line: RowLine,
  { ofBuyer, rows }: { ofBuyer: BuyerRows; rows: Pick<Rows, 'ofRow'> },
): Promise<LineDecision> {
  const asking = askingOf(place, line);
  const sent = await sentCorrectionProblem(asking, ofBuyer, rows);
  if (sent !== undefined) return { asking, problem: makeProblem(line.line, 'requested_limit', asking.amount, sent) };
  const currency = await otherCurrencyProblem(line.line, asking, ofBuyer, place);
  if (currency !== undefined) return { asking, problem: currency };
  const cell = place.mendedRow(line.cells);
  const zeros = cell === '' ? zerosProblem(line, ofBuyer.rows) : undefined;
  if (zeros !== undefined) return { asking, problem: zeros };
  const decision =
    cell === ''
      ? await decideByBuyer(asking, line.cells, ofBuyer, place)
      : await decideMend(asking, cell, { rows, file: place.file });
  if (!('problem' in decision)) return { asking, ...decision };
  const problem = makeProblem(line.line, cell === '' ? null : ROW_COLUMN, cell, decision.problem);
  return { asking, problem, isUnclear: cell === '' };
}

/** The buyer's requests after a line was put, for the next line of the same buyer. */
export function buyerRowsAfter(
  { count, rows, isWhole }: BuyerRows,
  { row, line, importId, amount }: AskingLine,
  { is, replaces }: { is: PutAnswer; replaces: BuyerRow | undefined },
): BuyerRows {
  const own = rows.find((one) => rowName(one.row) === rowName(row));
  const isNew = is === 'added' || (own === undefined && is === 'ended');
  const state = is === 'added' || is === 'renewed' ? 'queued' : (own?.state ?? 'skipped');
  const now: BuyerRow = { row, amount, line, importId, state, limit: own?.limit ?? 'free', replaced: undefined };
  const others = rows
    .filter((one) => one !== own)
    .map((one): BuyerRow => {
      const gaveWay = replaces !== undefined && rowName(one.row) === rowName(replaces.row);
      return gaveWay ? replacedRow(one, { row, importId }) : one;
    });
  return { count: isNew ? count + 1 : count, rows: [...others, now], isWhole };
}

/** A row after a line has replaced it. */
export function replacedRow(row: BuyerRow, { row: { key }, importId }: Pick<AskingLine, 'row' | 'importId'>): BuyerRow {
  return { ...row, state: 'cancelled', replaced: { importId, key } };
}

/** Turns a sound line into an invalid one, for a problem found after reading. */
export function refusedLine(
  { row, warnings: _warnings, ...read }: RowLine,
  { problem, isUnclear = false }: RefusedFor,
): Line {
  const { key, name, buyer, limit } = row;
  const told = { key, name, buyer, requested: limit.requested_limit, problems: [problem] };
  return { ...read, kind: 'invalid', ...told, ...(isUnclear ? { isNamed: false } : {}) };
}

/** Refuses a line whose request_reference belongs to another buyer. The line then counts for no row. */
export function otherBuyersLine(
  { row, warnings: _warnings, ...read }: RowLine,
  known: RowRequest & { line?: number },
): Line {
  const where = known.line === undefined ? '' : `line ${known.line}, `;
  const message = `This request_reference already belongs to another buyer's request, ${where}"${known.name}" (${groupedAmount(known.limit.requested_limit)}): give this line another. If it corrects that request, mend it in the file that report --format errors-csv writes, whose column row says which request is meant.`;
  const problems = [makeProblem(read.line, 'request_reference', null, message)];
  const { name, buyer, limit } = row;
  const requested = limit.requested_limit;
  return { ...read, kind: 'invalid', key: '', name, buyer, requested, isNamed: false, problems };
}

/** A document as the ledger keeps it. */
export function rowDocument({ name, mediaType, sizeBytes, purpose }: Document, sha256: string): RowDocument {
  return { name, mediaType, sizeBytes, sha256, ...(purpose === undefined ? {} : { purpose }) };
}

/** A line's row as the ledger keeps it, with its documents by digest. */
export function rowRequest({ name, buyer, company, companyId, limit }: Row, documents: RowDocument[]): RowRequest {
  return { name, buyer, documents, limit, ...(companyId === undefined ? { company } : { companyId }) };
}

/** What a line asks for. The content of its documents is not known here: their names count. */
export function requestedBy({ row }: Pick<RowLine, 'row'>): RowRequest {
  return rowRequest(
    row,
    row.documents.map((document) => rowDocument(document, '')),
  );
}

/**
 * Whether a line may take over an unsent request of the same key with another buyer. It may if the company's name is the same
 * (a number or country was corrected), or if its cell `row` names that very row.
 */
export function mayTake(asked: RowRequest, known: RowRequest, { row, cell }: { row: RowId; cell: string }): boolean {
  return cell === rowName(row) || alikeOfName(asked.name) === alikeOfName(known.name);
}

function askingOf({ portfolio, importId }: Place, { line, row }: RowLine): AskingLine {
  const amount = row.limit.requested_limit;
  return { row: { portfolio, key: row.key }, line, importId, amount, isNamed: hasReference(row) };
}

/** Whether a line names its request by a request_reference. */
export function hasReference({ key, buyer, limit }: RowLine['row']): boolean {
  return key !== requestKey({ buyer, requestedLimit: limit.requested_limit });
}

/** Whether the line's own row is already among the known rows of its buyer. */
function isThere({ row }: AskingLine, { rows }: BuyerRows): boolean {
  return rows.some((one) => rowName(one.row) === rowName(row));
}

async function decideByBuyer(
  asking: AskingLine,
  cells: readonly string[],
  ofBuyer: BuyerRows,
  { earlierProblem, isOfOtherLine, sentSince, sentBefore, file }: Place,
): Promise<ReplacingDecision> {
  const earlier = earlierProblem(cells);
  if (isUndecided(asking, earlier) && !isThere(asking, ofBuyer)) return { problem: undecidedProblem(earlier) };
  if (!ofBuyer.isWhole && !asking.isNamed) return { problem: manyProblem(asking, ofBuyer.count) };
  const candidates: BuyerRow[] = [];
  for (const one of candidatesFor(asking, ofBuyer.rows)) if (!(await isOfOtherLine(cells, one))) candidates.push(one);
  const decision =
    candidates.length === 0 ? { replaces: undefined } : decideReplacement(asking, candidates, await file());
  if ('problem' in decision || decision.replaces || asking.isNamed || isThere(asking, ofBuyer)) return decision;
  const made = ofBuyer.rows.find((one) => one.row.portfolio === asking.row.portfolio && !isUnsent(one));
  if (made && wasUnsure(earlier)) return { problem: madeProblem(made, earlier) };
  const mended = await sentSince(cells, ofBuyer.rows);
  if (mended) return { problem: mendedProblem(mended) };
  const before = await sentBefore(cells, ofBuyer.rows);
  return before ? { problem: mendedBeforeProblem(before) } : decision;
}

/**
 * The problem that a request_reference differs from that of a request of the same buyer by leading zeros alone: a spreadsheet program
 * removed them, and the limit would be requested once more.
 */
function zerosProblem({ line, row: { key, reference = '' } }: RowLine, rows: readonly BuyerRow[]): Problem | undefined {
  if (rows.length === 0 || rows.some(({ row, state }) => row.key === key && state !== 'cancelled')) return undefined;
  for (const form of formsWithZeros(reference)) {
    const { request } = referenceOf(form);
    const other = rows.find(({ row, state }) => row.key === request && state !== 'cancelled');
    if (!other) continue;
    const message = `This request_reference differs only by zeros at its beginning from that of another request of this buyer, ${describeRow(other)}. Spreadsheet programs remove such zeros. Write ${form} as before; or, if a second limit is meant, give the line another request_reference.`;
    return makeProblem(line, 'request_reference', reference, message);
  }
  return undefined;
}

function manyProblem({ amount }: AskingLine, count: number): string {
  return `This buyer has ${count} requests, and of more than ${MOST_READ} it cannot be told which of them this line (${groupedAmount(amount)}) corrects. Give the line a request_reference of its own.`;
}

/**
 * The problem of a line whose own row was replaced by a correction that was sent; nothing otherwise. Importing an old file again would
 * otherwise request the old amount besides the new one. While the correction is unsent, the line imported last counts and replaces it.
 */
async function sentCorrectionProblem(
  asking: AskingLine,
  ofBuyer: BuyerRows,
  rows: Pick<Rows, 'ofRow'>,
): Promise<string | undefined> {
  const sent = await sentCorrection(asking, ofBuyer, rows);
  if (!sent) return undefined;
  const remedy = asking.isNamed ? 'another request_reference' : 'a request_reference of its own';
  return `This request was corrected: ${describeRow(sent)} replaced it and was sent. Leave this line out; or, to request both, give it ${remedy}.`;
}

/**
 * The warning of a line whose request another portfolio sent for a company of another name or country: the answer is that company's. The
 * ledger itself refuses a line that differs from what its own portfolio sent, or in its buyer or amount.
 */
export function otherCompanyWarning({ line, row }: RowLine, { rows }: BuyerRows): Problem | undefined {
  const asked = requestedBy({ row });
  const others = rows.flatMap((one) =>
    isSentUnder(row.key, one) && one.request ? [{ portfolio: one.row.portfolio, request: one.request }] : [],
  );
  const [sent] = others;
  if (!sent || others.some(({ request }) => !areOfOtherCompanies(asked, request))) return undefined;
  const message = `This limit was requested for ${companyWords(sent.request)}, in portfolio ${visible(sent.portfolio)}, and the answer is that company's. To request one for this company too, give the line a request_reference of its own.`;
  return makeProblem(line, 'name', row.name, message);
}

/**
 * The problem of a line whose request was sent, here or in another portfolio, when its file named another currency. The service is told no
 * currency, so the limit may be another one than the line means.
 */
async function otherCurrencyProblem(
  line: number,
  { row: { key }, importId }: AskingLine,
  { rows }: BuyerRows,
  { portfolio, currency, currencyOf, sentIn }: Place,
): Promise<Problem | undefined> {
  for (const one of rows.filter((other) => other.row.key === key && other.limit !== 'free')) {
    const isOfThisFile = one.row.portfolio === portfolio && one.importId === importId;
    const then = await currencyOf(one);
    if (then === undefined) continue;
    const now = isOfThisFile ? undefined : await currency();
    if (now !== undefined && !mayBeSame(then, now)) return changedCurrency(line, now, then);
    sentIn?.add(then);
  }
  return undefined;
}

async function sentCorrection(
  { row }: AskingLine,
  { isWhole, rows: known }: BuyerRows,
  rows: Pick<Rows, 'ofRow'>,
): Promise<BuyerRow | undefined> {
  // Of a buyer with very many requests, only some are known here. So the line's own row may have to be read.
  const own = known.find((one) => rowName(one.row) === rowName(row)) ?? (isWhole ? undefined : await rows.ofRow(row));
  if (own?.state !== 'cancelled') return undefined;
  for await (const next of correctionsOf(own, rows)) if (next && !isUnsent(next)) return next;
  return undefined;
}
