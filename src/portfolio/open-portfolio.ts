import type { DocumentFolder } from '../documents/folder.ts';
import type { Delimiter, Dialect } from '../table/dialect.ts';
import type { Above } from '../table/find-header.ts';
import { openTable } from '../table/open-table.ts';
import type { RawRecord, Shape } from '../table/records.ts';
import type { Table, TableFile } from '../table/table.ts';
import { type Column, makeFit, placeOf } from './columns/column.ts';
import { doubtsAround } from './columns/header-doubts.ts';
import { vocabularyOf } from './columns/judge-header.ts';
import { type Conventions, NEEDED } from './columns/known-columns.ts';
import { readHeader } from './columns/read-header.ts';
import { mendedRowOf, ROW_COLUMN } from './columns/result-columns.ts';
import type { BuyerBook } from './identity/buyer-book.ts';
import { makeFileBook } from './identity/in-file/book.ts';
import { makeRecordedBuyerLookup } from './identity/recorded-buyer.ts';
import { addDocuments } from './lines/add-documents.ts';
import { type AdviceDates, adviceDates } from './lines/advice.ts';
import { makeLineClassifier } from './lines/classify-lines.ts';
import { findConventions } from './lines/conventions.ts';
import type { LineDraft } from './lines/draft.ts';
import { type JudgeAlone, makeJudgeAlone } from './lines/judge-alone.ts';
import { type CurrencyCheck, makeCurrencyCheck } from './lines/one-currency.ts';
import { makeCellReader, readConstants, type Values } from './lines/read-cells.ts';
import type { Line } from './lines/row.ts';
import { makeStrayLines } from './lines/stray-lines.ts';
import { tellBuyers } from './lines/tell-buyers.ts';
import { makeProblem, type Problem, WHOLE_FILE } from './problem.ts';
import type { ReadOptions } from './read-options.ts';
import { type LineRewriter, makeLineRewriter } from './results/line-rewriter.ts';
import { outcomeColumns } from './results/outcomes.ts';
import { parseAmount } from './values/amounts.ts';

/** A line of which nothing is asked but its cells. */
export type PlainLine = Pick<Line, 'line' | 'cells' | 'numbers'> & { kind: 'plain' };

/** A portfolio's file, open and read up to its header. */
export type Opened = {
  /** The columns' names as written. */
  header: string[];
  /** How the file is written, as given or as found. */
  dialect: Dialect;
  /** The line on which the header stands; null where there is none. */
  headerLine: number | null;
  /** What stands above it and is not read. */
  above: Above | null;
  /** The columns as they were understood; those that mean nothing to us are kept as they are. */
  columns: Column[];
  /** How its lines are written in a file of their own. */
  rewriter: LineRewriter;
  /** How amounts and dates are written: what was not said is found by a pass over the whole file. @throws LimitlineError `FILE`, `STOPPED` */
  findConventions(): Promise<Conventions>;
  /** Says what one line is by itself, as somebody mends it. */
  judgeAlone: JudgeAlone;
  /** What is wrong with the file as a whole; if anything is, `batches` is empty. */
  problems: Problem[];
  /** Advice for the file as a whole; it is complete when the last batch was given. */
  warnings: Problem[];
  /**
   * The lines in their order, some 250 at a time; may be gone through once. The file is closed at the end, and when
   * the loop over it is left.
   *
   * @throws LimitlineError `FILE` when the file cannot be read on, `STOPPED` when the signal is aborted.
   */
  batches(): AsyncIterable<Line[]>;
  /** The same lines as they stand, in place of `batches` and at a quarter of its cost: for whom what they mean is known already. */
  plainLines(): AsyncIterable<PlainLine[]>;
  /** Closes the file; needed only if its lines are not gone through. */
  close(): Promise<void>;
};

export type PortfolioFile = ReadOptions & {
  path: string;
  /** What a workbook's faults call it, where `path` is a copy. */
  givenPath?: string | undefined;
  /** Further columns, own ones included, that must be there and not be empty. */
  requiredColumns: readonly string[];
  /** Where documents are looked up; without it, a line that names some is invalid. */
  documents?: DocumentFolder | undefined;
  /** Whether it is a results file of ours, whose columns of results are kept and mean nothing. */
  results?: boolean;
  /** Who tells lines their buyers; without one, they are told by what other lines of the file say. */
  buyers?: BuyerBook | undefined;
  signal?: AbortSignal | undefined;
  /** The time by which dates of statements are judged. */
  now?: Date;
};

/**
 * Opens a portfolio's CSV file. Nothing holds the whole of it: memory grows by some 25 bytes a line, for finding
 * duplicates, and where no book of buyers is given by some 90 more.
 *
 * @throws LimitlineError `FILE` when the file cannot be opened or read, `STOPPED` when the signal is aborted.
 */
export async function openPortfolio(file: PortfolioFile): Promise<Opened> {
  const table = await openTable(tableOf(file));
  const dates = adviceDates(file.now ?? new Date());
  const conventions: Conventions = { decimal: file.decimal ?? null, dates: file.dates ?? null };
  const { columns, problems, warnings } = readColumns(table, file);
  const line = table.header?.line ?? 1;
  warnings.push(...(table.leftOut ?? []).map((words) => makeProblem(line, null, null, words)));
  const fixed = readConstants(file.mapping?.constants ?? {}, { line, conventions, today: dates.today });
  problems.push(...fixed.problems);
  const header = columns.map((column) => table.header?.cells[column.index]?.toWellFormed() ?? '');
  if (problems.length > 0) await table.close();
  const currencies = makeCurrencyCheck({ columns, constants: fixed.constants });
  const constants = file.mapping && fixed.constants;
  const batches = () => readBatches({ table, file, columns, warnings, dates, conventions, constants, currencies });
  return {
    header,
    headerLine: table.header?.line ?? null,
    above: table.above,
    columns,
    dialect: table.dialect,
    findConventions: async () => {
      const found = { ...conventions };
      await findOpenConventions(
        { table, file, columns, conventions: found },
        shapeOf(columns, table.dialect.delimiter),
      );
      return found;
    },
    judgeAlone: makeJudgeAlone({ ...file, columns, dialect: table.dialect, constants, conventions, dates }),
    rewriter: makeLineRewriter({ columns, constants: fixed.constants, conventions, currencies }),
    problems,
    warnings,
    batches: problems.length > 0 ? noBatches : batches,
    plainLines:
      problems.length > 0 ? noBatches : () => readPlainLines(table, shapeOf(columns, table.dialect.delimiter)),
    close: table.close,
  };
}

/** The portfolio's file as its table is read. */
export function tableOf<File extends Pick<PortfolioFile, 'path' | 'mapping'>>(file: File): File & TableFile {
  return { ...file, vocabulary: vocabularyOf(file.mapping) };
}

function readColumns(table: Table, file: PortfolioFile): ReturnType<typeof readHeader> {
  const { requiredColumns, mapping, results } = file;
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
    read.problems.push(...doubtsAround({ ...table, ...file, header, columns: read.columns }));
    return read;
  }
  return {
    ...read,
    problems: [makeProblem(header.line, null, header.cells.join(','), header.fault.message)],
  };
}

async function* noBatches(): AsyncGenerator<never> {}

/** Enough that the waits between batches cost nothing. 500 were no faster, and V8 took 25 MB more for their objects. */
const BATCH_LINES = 250;

/** As many as a process calls at once: the first rows go to work before more is read. Later ones are twice the last. */
const FIRST_LINES = 32;

/** A hundred lines of a thousand cells; Excel's widest have 16,384. */
const BATCH_CELLS = 100_000;

/** Some 4 MB of the file: a batch of the longest lines there may be stays small as well. */
const BATCH_READS = 64;

type Reading = {
  table: Table;
  file: PortfolioFile;
  columns: Column[];
  warnings: Problem[];
  dates: AdviceDates;
  conventions: Conventions;
  constants: Values | undefined;
  currencies: CurrencyCheck;
};

async function* readBatches(reading: Reading): AsyncGenerator<Line[]> {
  const { table, file, columns, warnings, dates, currencies } = reading;
  const readCells = makeCellReader({ ...reading, dialect: table.dialect, today: dates.today });
  const shape = shapeOf(columns, table.dialect.delimiter);
  const strays = makeStrayLines({ columns, delimiter: table.dialect.delimiter, hiddenRows: file.hiddenRows });
  const classifier = makeLineClassifier({ columns, dates });
  const mendedRow = mendedRowOf(columns.map(({ written }) => written));
  const telling = {
    book: file.buyers ?? makeFileBook({ portfolio: '', importId: '' }),
    sameBuyer: file.sameBuyer,
    mendedRow,
    known: file.results ? makeRecordedBuyerLookup(columns, rowColumnAt(columns)) : undefined,
  };
  let areConventionsFound = false;
  try {
    for await (const records of recordBatches(table, shape)) {
      let drafts: LineDraft[] = records.map((record) => ({ record, ...readCells(record), documents: [] }));
      if (!areConventionsFound && drafts.some((draft) => draft.open)) {
        areConventionsFound = true;
        await findOpenConventions(reading, shape);
        drafts = drafts.map(({ record }) => ({ record, ...readCells(record), documents: [] }));
      }
      // What became of lines is no file of lines: it has those of several files, each with a currency of its own.
      if (!file.results) for (const draft of drafts) if (!strays.judge(draft)) currencies.judge(draft);
      await addDocuments(drafts, columns, file.documents);
      await tellBuyers(drafts, telling);
      yield drafts.map(classifier.classify);
    }
    warnings.push(...strays.fileWarnings(), ...currencies.fileWarnings(), ...classifier.fileWarnings());
  } finally {
    await table.close();
  }
}

async function* readPlainLines(table: Table, shape: Shape): AsyncGenerator<PlainLine[]> {
  try {
    for await (const records of recordBatches(table, shape)) {
      // What was not UTF-8 becomes U+FFFD, as in what is wrong with such a line.
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

/** The records below the header, some of them at a time, in their order. */
async function* recordBatches(table: Table, shape: Shape): AsyncGenerator<RawRecord[]> {
  for (let most = FIRST_LINES; ; most = Math.min(2 * most, BATCH_LINES)) {
    const records: RawRecord[] = [];
    let reads = 0;
    let cells = 0;
    while (records.length === 0 || (records.length < most && reads < BATCH_READS && cells < BATCH_CELLS)) {
      const record = table.next(shape);
      cells += record?.cells.length ?? 0;
      if (record) records.push(record);
      else if (await table.more()) reads += 1;
      else break;
    }
    if (records.length === 0) return;
    yield records;
  }
}

/** Where a results file names its rows. */
function rowColumnAt(columns: readonly Column[]): number {
  return outcomeColumns(columns.map(({ written }) => written))?.get(ROW_COLUMN) ?? -1;
}

/** What a person said stands; for the rest, the whole file is asked. */
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
}

function shapeOf(columns: Column[], delimiter: Delimiter): Shape {
  const amountAt = placeOf(columns, 'requested_limit');
  const fits = makeFit(columns);
  return {
    fits,
    // Addresses and long names are written over several lines, and what own columns hold is not ours to say.
    mayBreak: (index) => [null, 'street', 'name'].includes(columns[index]?.known ?? null),
    standsAlone(line) {
      const cells = line.split(delimiter);
      const amount = (cells[amountAt] ?? '').replaceAll('"', '').trim();
      const reading = parseAmount(amount);
      return fits(cells) && ('value' in reading || reading.open === true);
    },
  };
}
