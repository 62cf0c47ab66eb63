import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { DocumentStore } from '../../src/documents/store.ts';
import { isLimitlineError, LimitlineError } from '../../src/errors.ts';
import { heldRemedy } from '../../src/held-remedy.ts';
import type { HostedSessions } from '../../src/ledger/calls/sessions.ts';
import type { MeaningStore } from '../../src/ledger/counts/meaning-store.ts';
import type { RowOutcome } from '../../src/ledger/counts/row-outcome.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import type { ExtraField } from '../../src/portfolio/columns/extra-fields.ts';
import type { Opened } from '../../src/portfolio/open-portfolio.ts';
import { sheetKinds } from '../../src/portfolio/results/line-rewriter.ts';
import type { Decimal } from '../../src/portfolio/values/amounts.ts';
import { type Delimiter, type Dialect, PLAIN_DIALECT } from '../../src/table/dialect.ts';
import { makeEncodingTest } from '../../src/table/encodings/encoders.ts';
import { encodeTable, resultsDialect, tableTexts } from '../../src/table/write-table.ts';
import { writeSheet } from '../../src/table/xlsx/write-sheet.ts';
import { importName, openImported } from '../rows/import-names.ts';
import { exportedLines, extrasOf, type ImportFile } from './export-lines.ts';
import { type ExportTable, errorsTable, type Files, resultsTable } from './results-table.ts';

export type ExportDeps = {
  account: string;
  rows: Rows;
  portfolios: Portfolios;
  statusMeanings: Pick<MeaningStore, 'read'>;
  imports: DocumentStore;
  /** Finds the links of hosted sessions. Without it, the results have no links. */
  calls?: { sessions: Pick<HostedSessions, 'linksOf' | 'isUsed'> } | undefined;
  /** Called with sentences about what the file lacks, or how it differs from what was asked for. */
  say?: (sentence: string) => void;
  signal: AbortSignal;
};

/** The choice of lines and the form of the output; see {@link exportResults}. */
export type ExportPayload = {
  portfolio: string;
  /**
   * `all`: all rows, and lines of the last import without a row. `errors`: lines to correct and import again, without done,
   * skipped, held and replaced ones. `held`: held rows with an empty column `id`, to fill in for `resolve`.
   */
  only: 'all' | 'errors' | 'held';
  /** The only outcome whose rows are written; all by default. Allowed only with `only: 'all'`. */
  outcome?: RowOutcome | undefined;
  /** The id of a cause: only rows that failed for it are written. Allowed only with `only: 'errors'`. */
  cause?: string | undefined;
  /** CSV by default. */
  format?: 'csv' | 'xlsx';
  /**
   * How a CSV resembles the imported file. `all`: encoding, delimiter and line ends; UTF-8 with a byte order mark if the
   * encoding lacks characters. `cells`: delimiter and line ends, in UTF-8. `nothing`, the default: UTF-8 with commas.
   */
  likeInput?: 'all' | 'cells' | 'nothing';
  /** How a CSV is written for a spreadsheet, in place of `likeInput`: amounts and days without the file's own convention, in UTF-8. */
  convention?: CsvConvention | undefined;
};

/** The conventions of a CSV for a spreadsheet. `mark`: it begins with a byte order mark, without which Excel takes UTF-8 for its code page. */
type CsvConvention = { decimal: Decimal; delimiter: Delimiter; mark: boolean };

/**
 * Writes a portfolio line by line: all rows of all imports, and lines of the last import without a row. Joins the copies of the
 * imported files with the ledger, without loading either as a whole. Cells that a spreadsheet would run as formulas are made
 * harmless here, and only here.
 *
 * @throws LimitlineError `NOT_FOUND` where the portfolio has no import, or no row failed for the cause; `USAGE` where its rows
 *   are archived meanwhile: then the output is incomplete
 */
export async function exportResults(payload: ExportPayload, to: Writable, deps: ExportDeps): Promise<void> {
  const { portfolio, only, outcome, cause, format = 'csv', likeInput = 'nothing', convention } = payload;
  const files = await openFiles(portfolio, deps);
  const { file, invalid, duplicate } = await deps.portfolios.read(portfolio);
  if (!file) throw new LimitlineError('NOT_FOUND', `No file was imported into a portfolio named "${portfolio}".`);
  if (cause !== undefined) await checkCause(portfolio, cause, deps);
  const leftOut = { held: 0 };
  const onHeld = () => {
    leftOut.held += 1;
  };
  const options = {
    account: deps.account,
    meanings: await deps.statusMeanings.read(),
    portfolio,
    inSheet: format === 'xlsx' || convention !== undefined,
    onHeld,
    cause,
    outcome,
    isHeldOnly: only === 'held',
    extras: await extrasBehind(portfolio, files, deps),
    hasLinks: await deps.calls?.sessions.isUsed(),
  };
  const table = only === 'errors' ? errorsTable(files, options) : resultsTable(files, options);
  // Links are looked up only where there is a column for them.
  const reading = options.hasLinks ? deps : { ...deps, calls: undefined };
  const records = () => recordsOf({ portfolio, files, table, leftOut }, reading);
  const kindOf = sheetKinds([...files.values()].filter((opened) => opened !== undefined));
  if (format === 'xlsx') {
    await writeSheet(records(), to, { name: portfolio, kindOf });
  } else if (convention) {
    const { decimal, delimiter, mark } = convention;
    const dialect = { ...PLAIN_DIALECT, delimiter, bom: mark };
    await pipeline(encodeTable(tableTexts(withDecimals(records(), decimal, kindOf), dialect), dialect), to);
  } else {
    const last = [...files].find(([{ known }]) => known.number === file.number)?.[1];
    const wanted = resultsDialect(last?.dialect ?? PLAIN_DIALECT, likeInput);
    const dialect = await writableDialect(wanted, records, deps);
    await pipeline(encodeTable(tableTexts(records(), dialect), dialect), to);
  }
  const rowless = invalid + duplicate > 0 ? { of: file.number, invalid, duplicate } : undefined;
  sayWhatIsMissing(files, { held: leftOut.held, rowless, portfolio }, deps);
}

/** The extra fields, those that a mapping sends at a path of the call's body, which occur in rows of files whose copy is gone. */
async function extrasBehind(portfolio: string, files: Files, deps: ExportDeps): Promise<ExtraField[]> {
  const fields = new Set<ExtraField>();
  const gone = [...files.keys()].filter(({ open }) => !open);
  for await (const { found } of exportedLines(portfolio, gone, deps, () => {})) {
    for (const { field } of extrasOf(found?.result.request)) fields.add(field);
  }
  return [...fields].sort();
}

async function checkCause(portfolio: string, cause: string, { portfolios }: ExportDeps): Promise<void> {
  if ((await portfolios.causes(portfolio)).some(({ id }) => id === cause)) return;
  const message = `No row of portfolio "${portfolio}" is refused or held for a cause ${cause}. To see why rows failed, run: npx limitline report "${portfolio}" --causes.`;
  throw new LimitlineError('NOT_FOUND', message);
}

/** All imports of a portfolio, with files read up to the header. An import whose copy is gone has no columns and no lines. */
async function openFiles(portfolio: string, { portfolios, imports, signal }: ExportDeps): Promise<Files> {
  const files = new Map<ImportFile, Opened | undefined>();
  for (const known of await portfolios.allImports(portfolio)) {
    const open = () => openImported(known, { imports, signal });
    const opened = await open().catch((error) => {
      if (isLimitlineError(error, 'FILE', 'NOT_FOUND')) return undefined;
      throw error;
    });
    await opened?.close();
    const isReadable = opened?.problems.length === 0;
    files.set({ known, open: isReadable ? open : undefined }, isReadable ? opened : undefined);
  }
  return files;
}

/** `rowless`: how many lines of the last import, which has this number, led to no row. */
type Missing = {
  held: number;
  rowless: { of: number; invalid: number; duplicate: number } | undefined;
  portfolio: string;
};

function sayWhatIsMissing(files: Files, { held, rowless, portfolio }: Missing, { say }: ExportDeps) {
  for (const [{ known }, opened] of files) {
    if (opened) continue;
    const lines =
      rowless?.of === known.number
        ? ` Its lines that led to no row are missing here: ${rowless.invalid.toLocaleString('en')} invalid, ${rowless.duplicate.toLocaleString('en')} duplicate.`
        : '';
    say?.(
      `The copy of ${importName(known)} is gone from the data folder, so its rows have only what the ledger knows of them.${lines}`,
    );
  }
  if (held === 0) return;
  const rows =
    held === 1
      ? '1 held row is not in this file, because nobody knows what became of its call'
      : `${held.toLocaleString('en')} held rows are not in this file, because nobody knows what became of their calls`;
  say?.(`${rows}. ${heldRemedy(portfolio)}.`);
}

type Pass = { portfolio: string; files: Files; table: ExportTable; leftOut: { held: number } };

async function* recordsOf({ portfolio, files, table, leftOut }: Pass, deps: ExportDeps): AsyncGenerator<string[]> {
  // A second pass over the rows counts the held rows from zero.
  leftOut.held = 0;
  yield table.header;
  const lines = exportedLines(portfolio, [...files.keys()], deps, table.begin, table.isPlain);
  for await (const line of lines) yield* table.write(line);
  // This check comes at the end: rows that were archived meanwhile are missing from the output without a trace.
  await deps.portfolios.mustHaveRows(portfolio);
}

/** The records with this decimal mark in the columns of amounts. */
async function* withDecimals(
  records: AsyncIterable<string[]>,
  decimal: Decimal,
  kindOf: ReturnType<typeof sheetKinds>,
) {
  let amounts: number[] | undefined;
  for await (const cells of records) {
    amounts ??= cells.flatMap((name, at) => (kindOf(name) === 'amount' ? [at] : []));
    for (const at of amounts) cells[at] = (cells[at] ?? '').replace(/^(\d+)\.(?=\d+$)/, `$1${decimal}`);
    yield cells;
  }
}

/** The wanted dialect, or UTF-8 if its encoding lacks a character of the records. In that case, `say` is called. */
async function writableDialect(
  wanted: Dialect,
  records: () => AsyncIterable<string[]>,
  { say }: ExportDeps,
): Promise<Dialect> {
  // Written output cannot be taken back. So the encoding is tested first, on all records.
  if (wanted.encoding.startsWith('utf-') || (await canWrite(records(), wanted))) return wanted;
  const encoding = wanted.encoding.toUpperCase();
  say?.(`${encoding} cannot write every character of the file, so it is written in UTF-8 with a byte order mark.`);
  return { ...wanted, encoding: 'utf-8', bom: true };
}

async function canWrite(records: AsyncIterable<string[]>, { encoding }: Dialect): Promise<boolean> {
  const isWritable = makeEncodingTest(encoding);
  for await (const cells of records) if (!cells.every(isWritable)) return false;
  return true;
}
