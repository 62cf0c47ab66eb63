import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import type { DocumentStore } from '../../src/documents/store.ts';
import { isLimitlineError, LimitlineError } from '../../src/errors.ts';
import type { Portfolios } from '../../src/ledger/portfolios.ts';
import type { Rows } from '../../src/ledger/rows.ts';
import { CLOSED_BOOK } from '../../src/portfolio/identity/buyer-book.ts';
import { type Opened, openPortfolio, type PortfolioFile } from '../../src/portfolio/open-portfolio.ts';
import { type ReadOptions, readOptionsSchema } from '../../src/portfolio/read-options.ts';
import { resultsDialect } from '../../src/portfolio/results/results-dialect.ts';
import { sheetKinds } from '../../src/portfolio/results/sheet-values.ts';
import { type Dialect, PLAIN_DIALECT } from '../../src/table/dialect.ts';
import { makeEncodingTest } from '../../src/table/encodings/encoders.ts';
import { encodeTable, makeTableText } from '../../src/table/write-table.ts';
import { writeSheet } from '../../src/table/xlsx/write-sheet.ts';
import { exportedLines, type ImportFile } from './export-lines.ts';
import { errorTable, type Files, importName, resultTable, type Table } from './export-tables.ts';

export type ExportDeps = {
  account: string;
  rows: Rows;
  portfolios: Portfolios;
  imports: DocumentStore;
  /** Hears in a sentence that the file is not written as it was asked for, or what it lacks. */
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
 * `all`: all rows, and the last import's lines that led to none. `errors`: those that are not done, skipped, held or replaced,
 * to be mended and imported again.
 * `xlsx`: an Excel workbook. `likeInput`: a CSV in the imported file's own encoding, delimiter and line ends, or in UTF-8
 * with a byte order mark where that encoding cannot write all there is; `cutLikeInput`: UTF-8 in the
 * file's own delimiter and line ends; else UTF-8 with commas.
 */
export type ExportPayload = z.output<typeof payloadSchema>;

/**
 * Writes a portfolio line by line: all its rows, whichever import they came from, and the last import's lines that led to
 * none. The copies of the imported files are read again and joined with the ledger, so that neither stands in memory. Cells
 * that a spreadsheet would run as a formula are made harmless here, and only here.
 */
export const exportResults = {
  name: 'export-results',
  parse: (data: unknown): ExportPayload => payloadSchema.parse(data),

  async run(payload: ExportPayload, to: Writable, deps: ExportDeps): Promise<void> {
    const { portfolio, only, likeInput, cutLikeInput, format } = payload;
    const files = await openFiles(portfolio, deps);
    const { file } = await deps.portfolios.read(portfolio);
    if (!file) throw new LimitlineError('NOT_FOUND', `No file was imported into a portfolio named "${portfolio}".`);
    let held = 0;
    const onHeld = () => {
      held += 1;
    };
    const { account } = deps;
    const how = { account, inSheet: format === 'xlsx', onHeld };
    const table = only === 'all' ? resultTable(files, how) : errorTable(files, how);
    if (format === 'xlsx') {
      const kindOf = sheetKinds([...files.values()].filter((opened) => opened !== undefined));
      await writeSheet(records({ portfolio, files, table }, deps), to, { name: portfolio, kindOf });
    } else {
      const last = [...files].find(([{ known }]) => known.number === file.number)?.[1];
      let dialect = resultsDialect(
        last?.dialect ?? PLAIN_DIALECT,
        likeInput ? 'all' : cutLikeInput ? 'cells' : 'nothing',
      );
      if (
        !dialect.encoding.startsWith('utf-') &&
        !(await canWrite(records({ portfolio, files, table }, deps), dialect))
      ) {
        const encoding = dialect.encoding.toUpperCase();
        deps.say?.(
          `${encoding} cannot be written with all that stands in the file: it is UTF-8 with a byte order mark.`,
        );
        dialect = { ...dialect, encoding: 'utf-8', bom: true };
      }
      held = 0;
      const lines = records({ portfolio, files, table }, deps);
      await pipeline(lines, makeTableText(dialect), (texts: AsyncIterable<Buffer>) => encodeTable(texts, dialect), to);
    }
    sayWhatIsAmiss(files, { held, portfolio }, deps);
  },
} as const;

/** All imports of a portfolio, their files read up to the header. One whose copy is gone gives no columns and no lines. */
async function openFiles(portfolio: string, { portfolios, imports, signal }: ExportDeps): Promise<Files> {
  const files = new Map<ImportFile, Opened | undefined>();
  for (const known of await portfolios.allImports(portfolio)) {
    const reading = readOptionsSchema.parse(JSON.parse(known.reading));
    const open = async () => openImported({ ...reading, path: imports.open(known.id).path, signal });
    const opened = await open().catch((error) => {
      if (isLimitlineError(error, 'FILE')) return undefined;
      throw error;
    });
    await opened?.close();
    const isReadable = opened?.problems.length === 0;
    files.set({ known, open: isReadable ? open : undefined }, isReadable ? opened : undefined);
  }
  return files;
}

function sayWhatIsAmiss(files: Files, { held, portfolio }: { held: number; portfolio: string }, { say }: ExportDeps) {
  for (const [file, opened] of files) {
    if (opened) continue;
    say?.(
      `The copy of ${importName(file)} is gone from the data folder: its rows have only what the ledger knows of them.`,
    );
  }
  if (held === 0) return;
  const rows = held === 1 ? '1 held row is' : `${held.toLocaleString('en')} held rows are`;
  say?.(
    `${rows} not in this file, since nobody knows what became of their calls: say so with npx limitline resolve "${portfolio}".`,
  );
}

type Wanted = { portfolio: string; files: Files; table: Table };

async function* records({ portfolio, files, table }: Wanted, deps: ExportDeps): AsyncGenerator<string[]> {
  yield table.header;
  for await (const line of exportedLines(portfolio, [...files.keys()], deps, table.begin)) yield* table.write(line);
}

/** Opens the copy as the import did. Whether a line is good enough was decided then; here it only has to be recognised. */
function openImported(file: Pick<PortfolioFile, 'path' | 'signal'> & ReadOptions): Promise<Opened> {
  const documents = { find: async (name: string) => ({ name, path: name, sizeBytes: 0, mediaType: '' }) };
  return openPortfolio({ ...file, requiredColumns: [], documents, buyers: CLOSED_BOOK });
}

/** Known only when all was read, and what was written cannot be taken back: so it costs a pass of its own. */
async function canWrite(lines: AsyncIterable<string[]>, { encoding }: Dialect): Promise<boolean> {
  const isWritable = makeEncodingTest(encoding);
  for await (const cells of lines) if (!cells.every(isWritable)) return false;
  return true;
}
