import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { LimitlineError } from '../src/errors.ts';
import type { Portfolios } from '../src/ledger/portfolios.ts';
import type { RowResult, Rows } from '../src/ledger/rows.ts';
import { PLAIN_DIALECT } from '../src/portfolio/dialect.ts';
import type { DocumentStore } from '../src/portfolio/document-store.ts';
import { makeEncodable } from '../src/portfolio/encoders.ts';
import { type Opened, openPortfolio } from '../src/portfolio/open-portfolio.ts';
import { visible } from '../src/portfolio/problem.ts';
import { readOptionsSchema } from '../src/portfolio/read-options.ts';
import type { Line } from '../src/portfolio/row.ts';
import { encodeTable, makeTableText } from '../src/portfolio/write-table.ts';
import { writeSheet } from '../src/portfolio/xlsx/write-sheet.ts';

export type ExportDeps = {
  account: string;
  rows: Rows;
  portfolios: Portfolios;
  imports: DocumentStore;
  signal: AbortSignal;
};

const payloadSchema = z.object({
  portfolio: z.string(),
  only: z.enum(['all', 'errors']),
  likeInput: z.boolean().default(false),
  format: z.enum(['csv', 'xlsx']).default('csv'),
});

/**
 * `all`: every line of the last import. `errors`: those that are not done or skipped, to be mended and imported again.
 * `xlsx`: an Excel workbook. `likeInput`: a CSV in the imported file's own encoding, delimiter and line ends; else UTF-8 with commas.
 */
export type ExportPayload = z.output<typeof payloadSchema>;

/** The account that it all happened in; a name that no column of a finance team's has. */
const ACCOUNT_COLUMN = 'limitline_account';

/** What a results file adds to the file's own columns. */
const RESULT_COLUMNS = [
  ...['state', 'step', 'company_id', 'document_ids', 'buyer_limit_id', 'status', 'total_limit', 'available_limit'],
  ...['problem', 'updated', ACCOUNT_COLUMN],
];

/** Which of them are amounts: numbers in a workbook. */
const AMOUNTS = ['total_limit', 'available_limit'].map((name) => RESULT_COLUMNS.indexOf(name));

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

  async run({ portfolio, only, likeInput, format }: ExportPayload, to: Writable, deps: ExportDeps): Promise<void> {
    const { file } = await deps.portfolios.read(portfolio);
    if (!file) throw new LimitlineError('NOT_FOUND', `No file was imported into a portfolio named "${portfolio}".`);
    const { path } = deps.imports.open(file.id);
    const opened = await openPortfolio({
      ...readOptionsSchema.parse(JSON.parse(file.reading)),
      path,
      // Whether a line was good enough was decided when it was imported; here it only has to be recognised.
      requiredColumns: [],
      documents: { find: async (name) => ({ name, path: name, sizeBytes: 0, mediaType: '' }) },
      signal: deps.signal,
    });
    const dialect = likeInput && format === 'csv' ? opened.dialect : PLAIN_DIALECT;
    const lines = records({ portfolio, opened, only, encoding: dialect.encoding }, deps);
    if (format === 'xlsx') {
      const isAmount = (column: number) => only === 'all' && AMOUNTS.includes(column - opened.header.length);
      await writeSheet(lines, to, { name: portfolio, isAmount });
      return;
    }
    await pipeline(lines, makeTableText(dialect), (texts: AsyncIterable<Buffer>) => encodeTable(texts, dialect), to);
  },
} as const;

type Wanted = { portfolio: string; opened: Opened; only: ExportPayload['only']; encoding: string };

async function* records(wanted: Wanted, deps: ExportDeps): AsyncGenerator<string[]> {
  const { portfolio, opened, only } = wanted;
  const write = only === 'all' ? resultCells(deps.account, opened.header.length) : errorCells(deps.account, wanted);
  yield only === 'all' ? [...opened.header, ...RESULT_COLUMNS] : errorHeader(opened.standalone.header);
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
  const keys = batch.map((line, place) => (line.kind === 'row' && !faulty[place] ? line.row.key : ''));
  const results = await rows.read(keys.map((key) => ({ portfolio, key })));
  return batch.map((_line, place) => {
    const fault = faulty[place];
    if (fault) return { state: fault.kind, problem: fault.message, result: undefined };
    const result = results[place];
    if (result) return { state: result.state, problem: problemText(result), result };
    return {
      state: '',
      problem: 'Not imported: the import was interrupted. Import the file again.',
      result: undefined,
    };
  });
}

/** The sentence, then what the service said, as it came, or what was sent to it in vain. */
function problemText({ problem, again }: RowResult): string {
  if (again) return `Made twice at the service: ${again.id} and ${again.again}; ask the service to withdraw one`;
  if (!problem) return '';
  const said = problem.body ? `${problem.message}: ${problem.body}` : problem.message;
  return problem.sent ? `${said}; what was sent: ${problem.sent}` : said;
}

function resultCells(account: string, width: number) {
  return function* ({ cells }: Line, { state, problem, result }: Outcome): Generator<string[]> {
    const { record = {}, companyId = '', documentIds = [], limitId = '', step = '' } = result ?? {};
    yield [
      ...fitted(cells, width),
      ...[state, step, companyId || (result?.request.companyId ?? ''), documentIds.join('|'), limitId],
      ...[record.status ?? '', record.total_limit ?? '', record.available_limit ?? ''],
      ...[problem, result ? new Date(result.updatedMs).toISOString() : '', account],
    ];
  };
}

/** The text of a line whose cells cannot be believed, for the person who fills them in. */
const LINE_COLUMN = 'limitline_line';

/** The columns that an errors file adds. Those that the file has already, from an earlier round, give way to them. */
const ERROR_COLUMNS = [LINE_COLUMN, 'problem', ACCOUNT_COLUMN];

function errorHeader(header: string[]): string[] {
  return [...header.filter((name) => !ERROR_COLUMNS.includes(name)), ...ERROR_COLUMNS];
}

/**
 * Lines that want mending: their own cells as they were, and why. One that is broken as a record has its cells empty: cut
 * or filled up they might be a sound line, and be requested though nobody mended it. Nor may an encoding change a cell.
 */
function errorCells(account: string, { opened: { standalone, header, dialect }, encoding }: Wanted) {
  const isOwn = standalone.header.map((name) => !ERROR_COLUMNS.includes(name));
  const isEncodable = makeEncodable(encoding);
  const earlier = header.indexOf(LINE_COLUMN);
  return function* (line: Line, { state, problem }: Outcome): Generator<string[]> {
    if ((state === 'done' || state === 'skipped') && problem === '') return;
    const own = (cells: string[]) => cells.filter((_cell, column) => isOwn[column]);
    const cells = own(standalone.cells(line.cells));
    const lost = cells.every(isEncodable) ? undefined : line.cells.join(dialect.delimiter);
    const text = line.kind === 'invalid' ? (line.broken ?? lost) : lost;
    yield [
      ...(text === undefined ? cells : own(standalone.blank())),
      // What an earlier round could not believe is still what the cells are to be filled in from.
      text === undefined ? (line.cells[earlier] ?? '') : visible(text),
      ...[problem || `It is ${state}.`, account],
    ];
  };
}

/** A ragged line is filled up or cut, so that the columns behind it stand where they belong. */
function fitted(cells: string[], width: number): string[] {
  return Array.from({ length: width }, (_none, column) => cells[column] ?? '');
}
