import { cutText } from '../../../src/cut-text.ts';
import type { DocumentStore } from '../../../src/documents/store.ts';
import { isLimitlineError } from '../../../src/errors.ts';
import type { FoundItem, FoundSink } from '../../../src/ledger/nightly/checks.ts';
import type { ImportedFile } from '../../../src/ledger/portfolios/imports.ts';
import type { Portfolios } from '../../../src/ledger/portfolios/portfolios.ts';
import { type BuyerRow, type BuyerRows, NO_BUYER_ROWS } from '../../../src/ledger/rows/buyer-rows.ts';
import type { Buyers } from '../../../src/ledger/rows/buyers.ts';
import type { Rows } from '../../../src/ledger/rows/rows.ts';
import type { RowRequest } from '../../../src/ledger/schema/row.ts';
import { rowName } from '../../../src/ledger/schema/schema.ts';
import type { RetryUntilAnswered } from '../../../src/ledger/schema/until-answered.ts';
import { placeOf } from '../../../src/portfolio/columns/column.ts';
import { COLUMNS } from '../../../src/portfolio/columns/known-columns.ts';
import { type BuyerBook, type BuyerStore, CLOSED_BOOK } from '../../../src/portfolio/identity/buyer-book.ts';
import { type Line, requestOf } from '../../../src/portfolio/lines/row.ts';
import type { Opened } from '../../../src/portfolio/open-portfolio.ts';
import { type Problem, visible } from '../../../src/portfolio/problem.ts';
import { makeBuyerStore } from '../../import/buyer-store.ts';
import { changedProblem, differingFields, sentRequest } from '../../import/changed-line.ts';
import { type RowLine, requestedBy } from '../../import/decide-line.ts';
import { checkCommand } from '../../import/other-files.ts';
import { makeImportLook, openImported } from '../../rows/import-names.ts';
import { areOfOtherCompanies, isSentUnder } from '../../rows/sent-for.ts';
import { quoted } from '../walk-ledger.ts';
import { type DayFile, type DayImport, dayImports, linesMended, unlessUnread } from './days-files.ts';
import { openRowlessBook } from './rowless-book.ts';

export type LinesDeps = {
  rows: Pick<Rows, 'atLines' | 'ofBuyers' | 'ofRow' | 'read'>;
  portfolios: Pick<Portfolios, 'read' | 'faultyLines' | 'allImports'>;
  /** The account's buyers, used read-only. */
  store: BuyerStore;
  sink: FoundSink;
};

/**
 * Reports each line of a file whose request no row of any portfolio has. Left out are duplicates; lines that were corrected (a later import
 * of the portfolio has a request of the buyer, or is an errors file with the line); and cancelled or replaced requests, which have a row.
 *
 * @param duplicates whether duplicates are told, too, until the buyer comes again in a later file
 *
 * The file is read as a stream. Only for lines without a row is the buyer looked up: 90 bytes of memory each.
 */
export async function tellUnrequested(file: DayFile, deps: LinesDeps, duplicates = false): Promise<void> {
  const { portfolio, fileName, importId, mended, unread, command } = file;
  const book = openRowlessBook(file, deps);
  const asked = { file, rows: deps.rows, importOf: makeImportLook(deps) };
  let refusedLater: Promise<ReadonlySet<string>> | undefined;
  const item = (says: string, more: Partial<FoundItem>): FoundItem => {
    const given = command === undefined ? {} : { command };
    return { check: 'not requested', portfolio, says, isMended: false, ...given, ...more };
  };
  try {
    const opened = await file.open(book);
    if (opened.problems.length > 0) await deps.sink.found(item(unread.says, { detail: fileName, rows: unread.rows }));
    const isLast = importId !== undefined && (await deps.portfolios.read(portfolio)).file?.number === Number(importId);
    for await (const batch of opened.batches()) {
      const asking = batch.filter(
        ({ kind, line }) => (duplicates || kind !== 'duplicate') && !book.hasRow(line) && !mended.has(line),
      );
      const known = await deps.rows.ofBuyers([...new Set(asking.flatMap((line) => buyerOf(line) ?? []))]);
      const sent = await readSent(asking, known, asked);
      const left: Line[] = [];
      for (const line of asking) {
        if (await hasRequest(line, { ...asked, known, sent })) continue;
        const told = line.kind === 'row' ? line.row.key : line.buyer;
        if (told !== undefined && known.get(buyerOf(line) ?? '')?.rows.some(({ row }) => row.portfolio === portfolio)) {
          refusedLater ??= refusedLaterIn(file, deps);
          if ((await refusedLater).has(told)) continue;
        }
        left.push(line);
      }
      const numbers = left.map(({ line }) => line);
      const faults = isLast ? await deps.portfolios.faultyLines(portfolio, numbers) : [];
      for (const [place, line] of left.entries()) {
        const changed = await changedWords(line, portfolio, deps.rows);
        const told = wordsOf(line, { opened, file, fault: faults[place]?.message, changed });
        // An amount without a portfolio gets the currency that its file names. Within a portfolio, the currency of all its files counts.
        const currency = portfolio === '' ? opened.currency() : undefined;
        const shown = { ...shownOf(line, opened), ...(currency !== undefined && { currency }) };
        await deps.sink.found(item(told.says, { line: line.line, ...shown, detail: told.detail }));
      }
    }
  } catch (error) {
    if (!isLimitlineError(error, 'FILE', 'NOT_FOUND')) throw error;
    await deps.sink.found(item(unread.says, { detail: fileName, rows: unread.rows }));
  }
}

const buyerOf = (line: Line): string | undefined => (line.kind === 'row' ? line.row.buyer : line.buyer);

type Asked = {
  file: DayFile;
  known: ReadonlyMap<string, BuyerRows>;
  /** The requests of rows that have the key of a line, by the names of the rows. */
  sent: ReadonlyMap<string, RowRequest | undefined>;
  rows: Pick<Rows, 'ofRow'>;
  importOf: ReturnType<typeof makeImportLook>;
};

/** Reads the rows that have the key of a line of the batch, of this portfolio those that no later import took. */
async function readSent(
  lines: readonly Line[],
  known: ReadonlyMap<string, BuyerRows>,
  { file: { portfolio, later }, rows }: { file: DayFile; rows: Pick<Rows, 'read'> },
): Promise<Asked['sent']> {
  const asked = lines.filter(isRowLine).flatMap(({ row: { buyer, key } }) => {
    const its = (known.get(buyer)?.rows ?? []).filter(({ row }) => row.key === key);
    return its.filter((one) => one.row.portfolio !== portfolio || !later.has(one.importId)).map(({ row }) => row);
  });
  const results = await rows.read(asked);
  return new Map(asked.map((row, place) => [rowName(row), results[place]?.request]));
}

function isRowLine(line: Line): line is RowLine {
  return line.kind === 'row';
}

/** Why the import refused a line whose request was sent with other words; undefined for other lines. */
async function changedWords(line: Line, portfolio: string, rows: LinesDeps['rows']): Promise<string | undefined> {
  if (line.kind !== 'row') return undefined;
  const sent = await sentRequest({ portfolio, key: line.row.key }, line.row.buyer, rows);
  return sent && changedProblem({ line: line.line, portfolio }, requestedBy(line), sent).message;
}

async function hasRequest(line: Line, { file, known, sent, rows, importOf }: Asked): Promise<boolean> {
  const { portfolio, importId, atMs, later } = file;
  const key = requestOf(line);
  const { isWhole, rows: its } = known.get(buyerOf(line) ?? '') ?? NO_BUYER_ROWS;
  const requestIn = ({ row }: BuyerRow) => sent.get(rowName(row));
  /** A request that another portfolio made is the line's own, too, if name and country are the same, whatever else it says of the buyer. */
  const isAlike = (one: BuyerRow): boolean => {
    if (one.amount !== (line.kind === 'row' ? line.row.limit.requested_limit : line.requested)) return false;
    const request = requestIn(one);
    if (line.kind !== 'row' || !request) return true;
    if (one.row.portfolio !== portfolio) return !areOfOtherCompanies(requestedBy(line), request);
    return differingFields(requestedBy(line), request).length === 0;
  };
  /** Whether the limit of a skipped row was requested for another company, so that the row is no request of its own. */
  const isForOther = (one: BuyerRow): boolean => {
    const [own, made] = [requestIn(one), its.filter((other) => isSentUnder(key, other)).map(requestIn)];
    return one.state === 'skipped' && made.some((other) => own && other && areOfOtherCompanies(own, other));
  };
  /**
   * A line whose amount cannot be read may correct a request that came before it, and so does one that differs from it. Only a request that
   * came later is theirs.
   */
  const isIts = async (one: BuyerRow): Promise<boolean> => {
    const isHere = one.row.portfolio === portfolio;
    if (isHere && later.has(one.importId)) return true;
    if (key === '' || one.row.key !== key || line.kind === 'duplicate') return false;
    if (!isHere && isForOther(one)) return false;
    if (isAlike(one)) return true;
    if (isHere && one.importId === importId) return false;
    return ((await importOf(one.row, one.importId))?.lastMs ?? 0) > atMs;
  };
  for (const one of its) if (await isIts(one)) return true;
  // Of a buyer with very many requests, only some are known here. So the row of this line is looked up.
  if (isWhole || key === '' || portfolio === '') return false;
  const own = await rows.ofRow({ portfolio, key });
  return own !== undefined && isIts(own);
}

/**
 * The buyers and requests of lines of later files that can be read and led to no row, such as one that differs from what was sent: the row
 * of its buyer does not say that the line came. A copy that cannot be read has none.
 */
async function refusedLaterIn({ portfolio, refusing }: DayFile, deps: LinesDeps): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const { importId, open } of refusing) {
    const book = openRowlessBook({ portfolio, importId }, deps);
    await unlessUnread(
      (async () => {
        for await (const batch of (await open(book)).batches())
          for (const { line, row } of batch.filter(isRowLine))
            if (!book.hasRow(line)) found.add(row.buyer).add(row.key);
      })(),
      undefined,
    );
  }
  return found;
}

/** The company and the amount, if the line's cells can be trusted. */
function shownOf(line: Line, { columns }: Opened): Pick<FoundItem, 'name' | 'requested'> {
  if (line.kind === 'row') return { name: line.row.name, requested: line.row.limit.requested_limit };
  if (line.kind === 'invalid' && line.broken !== undefined) return {};
  const name = line.cells[placeOf(columns, 'name')]?.trim() ?? '';
  return {
    ...(name === '' ? {} : { name: visible(name.slice(0, MOST_CHARACTERS)) }),
    ...(line.requested === undefined ? {} : { requested: line.requested }),
  };
}

/** The most characters of a name that are reported: longer than any real name, because a cell may have a megabyte. */
const MOST_CHARACTERS = 200;

type Told = { says: string; detail: string };

function wordsOf(
  line: Line,
  { opened, file, fault, changed }: { opened: Opened; file: DayFile } & Record<'fault' | 'changed', string | undefined>,
): Told {
  const { fileName, why } = file;
  const [problem] = line.kind === 'invalid' ? line.problems : [];
  if (!problem) {
    // Only the import saw the problem, for example a missing document or an earlier request.
    const says = fault === undefined ? why : 'the line was invalid when it was imported';
    const problem = fault ?? changed;
    return { says, detail: problem === undefined ? fileName : cutText(`${fileName}: ${problem}`, MOST_SAID) };
  }
  const { column } = problem;
  const says = column === null ? 'the line is invalid' : `the line is invalid: ${cutText(visible(column), MOST_SAID)}`;
  return { says, detail: isOpen(problem, opened) ? cutText(`${fileName}: ${problem.message}`, MOST_SAID) : fileName };
}

/** Whether a problem's text may be reported. A text may quote its cell, so columns with personal data are only named. */
function isOpen({ column }: Problem, { columns }: Opened): boolean {
  if (column === null) return true;
  const known = columns.find(({ written }) => written === column)?.known;
  return known ? COLUMNS[known].shown === 'open' : false;
}

/** The most characters of a line's problem that are reported, about two sentences. The errors file has the whole text. */
const MOST_SAID = 400;

type ImportedDeps = { imports: DocumentStore; rows: Pick<Rows, 'atLines'>; signal: AbortSignal };

/** The copy of a file that was imported and has lines without a row. */
export async function importedFile(day: DayImport, deps: ImportedDeps): Promise<DayFile> {
  const open = (known: ImportedFile, buyers: BuyerBook = CLOSED_BOOK) =>
    openImported(known, { imports: deps.imports, signal: deps.signal, buyers });
  const { portfolio, known, isBrokenOff, later } = day;
  const { fileName, number, found } = known;
  const name = quoted(portfolio);
  return {
    portfolio,
    fileName,
    importId: String(number),
    atMs: known.lastMs,
    later: new Set(later.map(({ number }) => String(number))),
    refusing: later
      .filter(({ found }) => found?.invalid !== 0)
      .map((one) => ({ importId: String(one.number), open: (buyers) => open(one, buyers) })),
    mended: await linesMended(day, open, deps),
    why: isBrokenOff ? 'its import broke off before it' : 'it led to no request',
    unread: {
      says: 'lines led to no request, and the copy of their file cannot be read here',
      rows: found?.invalid ?? 1,
    },
    // An import that broke off is continued with the same file, called FILE here because its path is not stored. The errors file of a
    // report has only lines of the last import, so the file of an earlier import is checked instead.
    command: isBrokenOff
      ? `import FILE --portfolio ${name}`
      : later.length > 0
        ? checkCommand(portfolio, later.some((one) => one.fileName === fileName) ? undefined : fileName)
        : `report ${name} --format errors-csv`,
    open: (buyers) => open(known, buyers),
  };
}

export type UnrequestedDeps = ImportedDeps & {
  rows: Rows;
  portfolios: Portfolios;
  buyers: Buyers;
  retryUntilAnswered: RetryUntilAnswered;
};

/**
 * Whether the nightly check would name lines of this import, since nothing was requested for them and no later file corrected them; or
 * whether lines of it repeat others, and nobody decided whether a second limit is meant.
 */
export async function hasUnrequested(
  { portfolio, number }: { portfolio: string; number: number },
  { portfolios, rows, ...deps }: UnrequestedDeps,
): Promise<boolean> {
  let isFound = false;
  const sink = {
    async found() {
      isFound = true;
    },
  };
  const lines = { rows, portfolios, store: makeBuyerStore(deps), sink };
  for await (const day of dayImports(0, { ...portfolios, names: async () => [portfolio] }, true)) {
    if (day.known.number === number) await tellUnrequested(await importedFile(day, { ...deps, rows }), lines, true);
  }
  return isFound;
}
