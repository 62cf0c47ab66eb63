import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { LimitlineError } from '../src/errors.ts';
import type { Buyers } from '../src/ledger/buyers.ts';
import type { Persist } from '../src/ledger/persist.ts';
import type { Portfolios } from '../src/ledger/portfolios.ts';
import type { RowResult, Rows } from '../src/ledger/rows.ts';
import { makeBuyerBook } from '../src/portfolio/buyer-book.ts';
import type { Dialect } from '../src/portfolio/dialect.ts';
import type { DocumentStore } from '../src/portfolio/document-store.ts';
import { makeEncodingTest } from '../src/portfolio/encoders.ts';
import { type Opened, openPortfolio, type PortfolioFile } from '../src/portfolio/open-portfolio.ts';
import { visible } from '../src/portfolio/problem.ts';
import { type ReadOptions, readOptionsSchema } from '../src/portfolio/read-options.ts';
import { ERROR_COLUMNS, errorColumnsOf, LINE_COLUMN, RESULT_COLUMNS } from '../src/portfolio/result-columns.ts';
import { resultsDialect } from '../src/portfolio/results-dialect.ts';
import { type Line, requestOf } from '../src/portfolio/row.ts';
import { makeSheetValues } from '../src/portfolio/sheet-values.ts';
import { encodeTable, makeTableText } from '../src/portfolio/write-table.ts';
import { writeSheet } from '../src/portfolio/xlsx/write-sheet.ts';
import { makeBuyerStore } from './buyer-store.ts';
import { fileNameOf } from './import-portfolio.ts';

export type ExportDeps = {
  account: string;
  rows: Rows;
  portfolios: Portfolios;
  buyers: Buyers;
  persist: Persist;
  imports: DocumentStore;
  /** Hears in a sentence that the file is not written as it was asked for. */
  say?: (words: string) => void;
  signal: AbortSignal;
};

const payloadSchema = z.object({
  portfolio: z.string(),
  only: z.enum(['all', 'errors']),
  likeInput: z.boolean().default(false),
  cutLikeInput: z.boolean().default(false),
  format: z.enum(['csv', 'xlsx']).default('csv'),
});

/**
 * `all`: every line of the last import. `errors`: those that are not done or skipped, to be mended and imported again.
 * `xlsx`: an Excel workbook. `likeInput`: a CSV in the imported file's own encoding, delimiter and line ends, or in UTF-8
 * with a byte order mark where that encoding cannot write all there is; `cutLikeInput`: UTF-8 in the
 * file's own delimiter and line ends; else UTF-8 with commas.
 */
export type ExportPayload = z.output<typeof payloadSchema>;

/** What a line has come to: its state, and the row behind it where there is one. */
type Outcome = { state: string; problem: string; result: RowResult | undefined };

/**
 * Writes the last import's lines, each once and in order: the copy of the imported file is read again, line by
 * line, and joined with the ledger, so that neither stands in memory. Cells that a spreadsheet would run as a formula
 * are made harmless here, and only here.
 */
export const exportResults = {
  name: 'export-results',
  parse: (data: unknown): ExportPayload => payloadSchema.parse(data),

  async run(payload: ExportPayload, to: Writable, deps: ExportDeps): Promise<void> {
    const { portfolio, only, likeInput, cutLikeInput, format } = payload;
    const { file } = await deps.portfolios.read(portfolio);
    if (!file) throw new LimitlineError('NOT_FOUND', `No file was imported into a portfolio named "${portfolio}".`);
    const { path } = deps.imports.open(file.id);
    const reading = readOptionsSchema.parse(JSON.parse(file.reading));
    // What lines brought is known since they were imported; here nothing is written.
    const store = { ...makeBuyerStore(deps), write: async () => true };
    const buyers = makeBuyerBook(store, { portfolio, importId: fileNameOf(file.id) });
    const open = () => openImported({ ...reading, path, buyers, signal: deps.signal });
    const opened = await open();
    if (format === 'xlsx') {
      const values = makeSheetValues(opened);
      const lines = records({ portfolio, opened, only, cellsOf: values.cells }, deps);
      await writeSheet(lines, to, { name: portfolio, kindOf: values.kindOf });
      return;
    }
    let dialect = resultsDialect(opened.dialect, likeInput ? 'all' : cutLikeInput ? 'cells' : 'nothing');
    let lines = records({ portfolio, opened, only }, deps);
    if (!dialect.encoding.startsWith('utf-')) {
      if (!(await canWrite(lines, dialect))) {
        const encoding = dialect.encoding.toUpperCase();
        deps.say?.(
          `${encoding} cannot be written with all that stands in the file: it is UTF-8 with a byte order mark.`,
        );
        dialect = { ...dialect, encoding: 'utf-8', bom: true };
      }
      lines = records({ portfolio, opened: await open(), only }, deps);
    }
    await pipeline(lines, makeTableText(dialect), (texts: AsyncIterable<Buffer>) => encodeTable(texts, dialect), to);
  },
} as const;

/** Opens the copy as the import did. Whether a line is good enough was decided then; here it only has to be recognised. */
function openImported(file: Pick<PortfolioFile, 'path' | 'buyers' | 'signal'> & ReadOptions): Promise<Opened> {
  const documents = { find: async (name: string) => ({ name, path: name, sizeBytes: 0, mediaType: '' }) };
  return openPortfolio({ ...file, requiredColumns: [], documents });
}

/** Known only when all was read, and what was written cannot be taken back: so it costs a pass of its own. */
async function canWrite(lines: AsyncIterable<string[]>, { encoding }: Dialect): Promise<boolean> {
  const isWritable = makeEncodingTest(encoding);
  for await (const cells of lines) if (!cells.every(isWritable)) return false;
  return true;
}

/** @property cellsOf how a line's own cells are written, where it is not as a text file has them */
type Wanted = {
  portfolio: string;
  opened: Opened;
  only: ExportPayload['only'];
  cellsOf?: (line: Line) => readonly string[];
};

async function* records({ portfolio, opened, only, cellsOf }: Wanted, deps: ExportDeps): AsyncGenerator<string[]> {
  const tableOf = only === 'all' ? resultTable : errorTable;
  const { header, write } = tableOf(opened, deps.account, cellsOf);
  yield header;
  for await (const batch of opened.batches()) {
    const outcomes = await outcomesOf(portfolio, batch, deps);
    for (const [place, line] of batch.entries()) {
      const outcome = outcomes[place];
      if (outcome) yield* write(line, outcome);
    }
  }
}

async function outcomesOf(portfolio: string, batch: Line[], { rows, portfolios }: ExportDeps): Promise<Outcome[]> {
  const faulty = await portfolios.faultyLines(
    portfolio,
    batch.map(({ line }) => line),
  );
  // A line that reads as a repetition here may itself have led to the row: the import found the line that it repeats faulty.
  const keys = batch.map(requestOf);
  const kept = await portfolios.keptRows(portfolio, keys);
  const results = await rows.read(keys.map((key) => ({ portfolio, key })));
  return batch.map(({ kind, line }, place) => {
    const fault = faulty[place];
    const found = results[place];
    const isOwn = fault ? kept[place] === line : kind !== 'duplicate' || found?.line === line;
    const result = isOwn ? found : undefined;
    if (result) return { state: result.state, problem: joined(fault?.message, problemText(result)), result };
    if (fault) return { state: fault.kind, problem: fault.message, result };
    return {
      state: '',
      problem: 'Not imported: the import was interrupted. Import the file again.',
      result: undefined,
    };
  });
}

function joined(...problems: (string | undefined)[]): string {
  return problems.filter((problem) => problem).join('; ');
}

/** The sentence, then what the service said, as it came, or what was sent to it in vain. */
function problemText({ problem, again }: RowResult): string {
  if (again) return `Made twice at the service: ${again.id} and ${again.again}; ask the service to withdraw one`;
  if (!problem) return '';
  const said = problem.body ? `${problem.message}: ${problem.body}` : problem.message;
  return problem.sent ? `${said}; what was sent: ${problem.sent}` : said;
}

/** What is written: a header, and for a line the records that it leads to, none or one. */
type Written = { header: string[]; write(line: Line, outcome: Outcome): Iterable<string[]> };

function resultTable({ header }: Opened, account: string, cellsOf: Wanted['cellsOf'] = ({ cells }) => cells): Written {
  const width = header.length;
  function* write(line: Line, { state, problem, result }: Outcome): Generator<string[]> {
    const { record = {}, companyId = '', documentIds = [], limitId = '', step = '' } = result ?? {};
    yield [
      ...fitted(cellsOf(line), width),
      ...[state, step, companyId || (result?.request.companyId ?? ''), documentIds.join('|'), limitId],
      ...[record.status ?? '', record.total_limit ?? '', record.available_limit ?? ''],
      ...[problem, result ? new Date(result.updatedMs).toISOString() : '', account],
    ];
  }
  return { header: [...header, ...RESULT_COLUMNS], write };
}

/**
 * Lines that want mending: their own cells as they were, and why. One that is broken as a record has its cells empty: cut
 * or filled up they might be a sound line, and be requested though nobody mended it. Our columns of an earlier round give
 * way to new ones.
 */
function errorTable({ standalone }: Opened, account: string, cellsOf: Wanted['cellsOf'] = standalone.cells): Written {
  const earlier = errorColumnsOf(standalone.header);
  const own = (cells: readonly string[]) => cells.filter((_cell, column) => !earlier.has(column));
  const lineAt = standalone.header.findLastIndex((name, column) => name === LINE_COLUMN && earlier.has(column));
  function* write(line: Line, { state, problem }: Outcome): Generator<string[]> {
    if ((state === 'done' || state === 'skipped') && problem === '') return;
    const broken = line.kind === 'invalid' ? line.broken : undefined;
    yield [
      ...own(broken === undefined ? cellsOf(line) : standalone.blank()),
      // What an earlier round could not believe is still what the cells are to be filled in from.
      broken === undefined ? (line.cells[lineAt] ?? '') : visible(broken),
      ...[problem || `It is ${state}.`, account],
    ];
  }
  return { header: [...own(standalone.header), ...ERROR_COLUMNS], write };
}

/** A ragged line is filled up or cut, so that the columns behind it stand where they belong. */
function fitted(cells: readonly string[], width: number): string[] {
  return Array.from({ length: width }, (_none, column) => cells[column] ?? '');
}
