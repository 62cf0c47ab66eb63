import type { DocumentFolder } from '../documents/folder.ts';
import type { Delimiter, Dialect } from '../table/dialect.ts';
import type { Above } from '../table/find-header.ts';
import { openTable } from '../table/open-table.ts';
import type { Shape } from '../table/records.ts';
import type { Table, TableFile } from '../table/table.ts';
import { type Column, makeFit, placeOf } from './columns/column.ts';
import { doubtsOfCells, LINES_JUDGED } from './columns/doubtful-names.ts';
import { doubtsAround, vocabularyOf } from './columns/header-doubts.ts';
import { type Conventions, NEEDED } from './columns/known-columns.ts';
import { readHeader } from './columns/read-header.ts';
import { ACCOUNT_COLUMN, mendedRowOf, ROW_COLUMN } from './columns/result-columns.ts';
import type { BuyerBook } from './identity/buyer-book.ts';
import { saidInVainWords } from './identity/buyer-words.ts';
import { makeFileBook } from './identity/in-file/buyers.ts';
import { makeRecordedBuyerLookup } from './identity/recorded-buyer.ts';
import { type AdviceDates, type AdviseAbove, adviceDates } from './lines/advice.ts';
import { addDocuments, type JudgeAlone, makeJudgeAlone, makeLineClassifier } from './lines/classify-lines.ts';
import { findConventions } from './lines/conventions.ts';
import { tellBuyers } from './lines/make-row.ts';
import { mergedCells } from './lines/merged-cells.ts';
import { type CurrencyCheck, makeCurrencyCheck } from './lines/one-currency.ts';
import { type LineDraft, makeCellReader, readConstants, type Values } from './lines/read-cells.ts';
import { makeRecordBatches, type RecordBatches } from './lines/record-batches.ts';
import type { Line } from './lines/row.ts';
import { makeStrayLines } from './lines/stray-lines.ts';
import { makeUnfilledLines } from './lines/unfilled-lines.ts';
import { makeProblem, type Problem, WHOLE_FILE } from './problem.ts';
import type { ReadOptions } from './read-options.ts';
import { type LineRewriter, makeLineRewriter } from './results/line-rewriter.ts';
import { outcomeColumns } from './results/outcomes.ts';
import { parseAmount } from './values/amounts.ts';

/** A line read without interpreting its cells. */
export type PlainLine = Pick<Line, 'line' | 'cells' | 'numbers'> & { kind: 'plain' };

/** A portfolio's file, open and read up to its header. */
export type Opened = {
  /** The columns' names as written. */
  header: string[];
  /** Encoding, delimiter or sheet, as given or as detected. */
  dialect: Dialect;
  /** The line number of the header; null if the file has none. */
  headerLine: number | null;
  /** The lines among which the header was sought; empty if there was no doubt about it. */
  first: Table['first'];
  /** Text above the header, which is not read. */
  above: Above | null;
  /** The columns as they were understood. Unknown columns are kept unchanged. */
  columns: Column[];
  /** Writes lines of this file into another file. */
  rewriter: LineRewriter;
  /** Detects amount and date formats left open, from the whole file. @throws LimitlineError `FILE`, `STOPPED` */
  findConventions(): Promise<Conventions>;
  /** Checks a single line without the others, for a person who corrects it. */
  judgeAlone: JudgeAlone;
  /** Problems of the file as a whole. If there are any, `batches` is empty. */
  problems: Problem[];
  /** Warnings about the file as a whole. Complete only after the last batch. */
  warnings: Problem[];
  /** Those of the warnings that are about totals in the file which differ from the sum of the lines above them, or may do so. */
  misstated: Problem[];
  /** The currency that the file names: its ISO 4217 code where that is sure, else as it is written. Known only after the last batch. */
  currency(): string | undefined;
  /**
   * The lines in their order, 250 at a time. Can be iterated once. The end of the loop, or leaving it, closes the file.
   *
   * @throws LimitlineError `FILE` when the file becomes unreadable, `STOPPED` when the signal is aborted.
   */
  batches(): AsyncIterable<Line[]>;
  /** The same lines without interpretation, at a quarter of the cost of `batches`. Use one of the two, not both. */
  plainLines(): AsyncIterable<PlainLine[]>;
  /** Closes the file. Needed only if the caller does not iterate over its lines. */
  close(): Promise<void>;
};

export type PortfolioFile = ReadOptions & {
  path: string;
  /** The name under which a workbook's errors mention the file, where `path` is a copy. */
  givenPath?: string | undefined;
  /** Further columns that must exist and must not be empty. They may be the team's own columns. By default none. */
  requiredColumns?: readonly string[] | undefined;
  /** Amounts above which audited financial statements are advised, by currency, besides the service's own advice. */
  adviseAbove?: AdviseAbove | undefined;
  /** Where documents are looked up. Without a folder, a line that names documents is invalid. */
  documents?: DocumentFolder | undefined;
  /** Whether this is a results file of Limitline. Its result columns are kept and not interpreted. */
  results?: boolean;
  /** Decides which buyer each line means. Without a book, only the file's own lines are compared. */
  buyers?: BuyerBook | undefined;
  signal?: AbortSignal | undefined;
  /** The contradictions that an earlier reading of the whole file found; given where a single line is judged. */
  contradictions?: Conventions['contradictions'];
  /** The current time, for judging the dates of financial statements. Default: now. */
  now?: Date;
};

/**
 * Opens a portfolio's CSV file or workbook. The file is never held whole: memory grows by some 25 bytes a line, to find
 * duplicates (45 if it has a request_reference), and by some 90 more without a book of buyers.
 *
 * @throws LimitlineError `FILE` when the file cannot be opened or read, `STOPPED` when the signal is aborted.
 */
export async function openPortfolio(file: PortfolioFile): Promise<Opened> {
  const table = await openTable(tableOf(file));
  const dates = adviceDates(file.now ?? new Date());
  const conventions: Conventions = {
    decimal: file.decimal ?? null,
    dates: file.dates ?? null,
    contradictions: file.contradictions,
  };
  const { columns, problems, warnings } = readColumns(table, file);
  const line = table.header?.line ?? 1;
  const shape = shapeOf(columns, table.dialect.delimiter);
  const records = makeRecordBatches(table, shape);
  if (problems.length === 0 && !file.results && !table.header?.cells.includes(ACCOUNT_COLUMN)) {
    problems.push(...doubtsOfCells(line, columns, records.ahead(LINES_JUDGED)));
  }
  warnings.push(...(table.leftOut ?? []).map((words) => makeProblem(line, null, null, words)));
  const fixed = readConstants(file.mapping?.constants ?? {}, { line, conventions, today: dates.today });
  problems.push(...fixed.problems);
  const header = columns.map((column) => table.header?.cells[column.index]?.toWellFormed() ?? '');
  if (problems.length > 0) await table.close();
  const currencies = makeCurrencyCheck({ columns, constants: fixed.constants });
  const constants = file.mapping && fixed.constants;
  const misstated: Problem[] = [];
  const reading = {
    table,
    records,
    shape,
    file,
    columns,
    warnings,
    misstated,
    dates,
    conventions,
    constants,
    currencies,
  };
  const batches = () => readBatches(reading);
  return {
    header,
    headerLine: table.header?.line ?? null,
    first: table.first,
    above: table.above,
    columns,
    dialect: table.dialect,
    findConventions: async () => {
      const found = { ...conventions };
      await findOpenConventions({ table, file, columns, conventions: found }, shape);
      return found;
    },
    judgeAlone: makeJudgeAlone({ ...file, columns, dialect: table.dialect, constants, conventions, dates, currencies }),
    rewriter: makeLineRewriter({ columns, constants: fixed.constants, conventions, currencies }),
    problems,
    warnings,
    misstated,
    currency: currencies.ofFile,
    batches: problems.length > 0 ? noBatches : batches,
    plainLines: problems.length > 0 ? noBatches : () => readPlainLines(table, records),
    close: table.close,
  };
}

/** The options for reading the file as a table: adds the vocabulary that finds the header. */
export function tableOf<File extends Pick<PortfolioFile, 'path' | 'mapping'>>(file: File): File & TableFile {
  return { ...file, vocabulary: vocabularyOf(file.mapping) };
}

function readColumns(table: Table, file: PortfolioFile): ReturnType<typeof readHeader> {
  const { requiredColumns = [], mapping, results } = file;
  const { header, unusable } = table;
  if (unusable) return { columns: [], problems: [makeProblem(WHOLE_FILE, null, null, unusable)], warnings: [] };
  if (!header) {
    const message = `The file is empty: it needs a header that names the columns, ${NEEDED.join(' and ')} at least.`;
    return { columns: [], problems: [makeProblem(WHOLE_FILE, null, null, message)], warnings: [] };
  }
  const { delimiter } = table.dialect;
  const foreign = results ? new Set(outcomeColumns(header.cells)?.values()) : undefined;
  const read = readHeader(header, { ...mapping, delimiter, needed: [...NEEDED, ...requiredColumns], foreign });
  if (!header.fault) {
    read.problems.push(...doubtsAround({ ...table, ...file, ...table.dialect, header, columns: read.columns }));
    return read;
  }
  return { ...read, problems: [makeProblem(header.line, null, header.cells.join(delimiter), header.fault.message)] };
}

async function* noBatches(): AsyncGenerator<never> {}

/** Closes a file that is refused as a whole: it has these problems, and no lines. */
export async function refusedWhole(opened: Opened, problems: Problem[]): Promise<Opened> {
  await opened.close();
  return { ...opened, problems, batches: noBatches };
}

type Reading = {
  table: Table;
  records: RecordBatches;
  shape: Shape;
  file: PortfolioFile;
  columns: Column[];
  warnings: Problem[];
  misstated: Problem[];
  dates: AdviceDates;
  conventions: Conventions;
  constants: Values | undefined;
  currencies: CurrencyCheck;
};

async function* readBatches(reading: Reading): AsyncGenerator<Line[]> {
  const { table, file, columns, warnings, dates, currencies } = reading;
  const readCells = makeCellReader({ ...reading, dialect: table.dialect, today: dates.today });
  const titles = table.above?.texts;
  const strays = makeStrayLines({ columns, titles, delimiter: table.dialect.delimiter, hiddenRows: file.hiddenRows });
  const sayWhyUnfilled = makeUnfilledLines(columns);
  const classifier = makeLineClassifier({ ...file, columns, dates, currencies });
  const mendedRow = mendedRowOf(columns.map(({ written }) => written));
  const telling = {
    book: file.buyers ?? makeFileBook({ portfolio: '', importId: '' }),
    sameBuyer: file.sameBuyer,
    mendedRow,
    known: file.results ? makeRecordedBuyerLookup(columns, rowColumnAt(columns)) : undefined,
  };
  let areConventionsFound = false;
  const inVain: number[] = [];
  try {
    for await (const records of reading.records.batches()) {
      let drafts: LineDraft[] = records.map((record) => ({ record, ...readCells(record), documents: [] }));
      if (!areConventionsFound && drafts.some((draft) => draft.open)) {
        areConventionsFound = true;
        await findOpenConventions(reading, reading.shape);
        drafts = drafts.map(({ record }) => ({ record, ...readCells(record), documents: [] }));
      }
      // Results files are exempt: their lines come from several files, each with its own currency.
      if (!file.results) for (const draft of drafts) if (!strays.judge(draft)) currencies.judge(draft);
      drafts.forEach(sayWhyUnfilled);
      currencies.warnFew();
      await addDocuments(drafts, columns, file.documents);
      inVain.push(...(await tellBuyers(drafts, telling)));
      yield drafts.map(classifier.classify);
    }
    if (inVain.length > 0) warnings.push(makeProblem(WHOLE_FILE, null, null, saidInVainWords(inVain)));
    reading.misstated.push(...strays.misstated);
    const ofLines = classifier.fileWarnings(table.readBytes?.());
    warnings.push(...strays.fileWarnings(), ...currencies.fileWarnings(), ...mergedCells(table, columns), ...ofLines);
  } finally {
    await table.close();
  }
}

async function* readPlainLines(table: Table, { batches }: RecordBatches): AsyncGenerator<PlainLine[]> {
  try {
    for await (const records of batches()) {
      // Bytes that are not UTF-8 become U+FFFD, as they do in problem messages.
      yield records.map(({ line, cells, sheet }) => ({
        kind: 'plain',
        line,
        cells: cells.map((one) => one.toWellFormed()),
        numbers: sheet?.numbers,
      }));
    }
  } finally {
    await table.close();
  }
}

/** The index of the column with row ids in a results file; -1 if there is none. */
function rowColumnAt(columns: readonly Column[]): number {
  return outcomeColumns(columns.map(({ written }) => written))?.get(ROW_COLUMN) ?? -1;
}

/** Finds out from the whole file how amounts and dates are written, as far as no person said it. */
async function findOpenConventions(
  { table, file, columns, conventions }: Pick<Reading, 'table' | 'file' | 'columns' | 'conventions'>,
  shape: Shape,
): Promise<void> {
  const { encoding, delimiter } = table.dialect;
  if (!table.rereadable) return;
  const headerLine = table.header?.line;
  const found = await findConventions({ ...tableOf(file), encoding, delimiter, headerLine }, { columns, shape });
  conventions.decimal ??= found.decimal;
  conventions.dates ??= found.dates;
  conventions.contradictions = found.contradictions;
}

function shapeOf(columns: Column[], delimiter: Delimiter): Shape {
  const amountAt = placeOf(columns, 'requested_limit');
  const fits = makeFit(columns, delimiter);
  return {
    fits,
    // Addresses and long names may contain line breaks, and so may the team's own columns.
    mayBreak: (index) => [null, 'street', 'name'].includes(columns[index]?.known ?? null),
    standsAlone(line) {
      const cells = line.split(delimiter);
      const amount = (cells[amountAt] ?? '').replaceAll('"', '').trim();
      const reading = parseAmount(amount);
      return fits(cells) && ('value' in reading || reading.open === true);
    },
  };
}
