import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { z } from 'zod';
import { openDocuments } from '../../src/documents/archive.ts';
import { defaultDocumentsDir, makeDocumentFolder } from '../../src/documents/folder.ts';
import type { DocumentStore } from '../../src/documents/store.ts';
import { LimitlineError } from '../../src/errors.ts';
import { fileFault } from '../../src/files/file-fault.ts';
import type { Buyers } from '../../src/ledger/buyers.ts';
import type { Persist } from '../../src/ledger/persist.ts';
import type { Portfolios } from '../../src/ledger/portfolios.ts';
import { isPortfolioName } from '../../src/ledger/row-id.ts';
import type { Rows } from '../../src/ledger/rows.ts';
import { earlierProblemOf, isErrorsHeader, mendedRowOf } from '../../src/portfolio/columns/result-columns.ts';
import { makeBuyerBook } from '../../src/portfolio/identity/buyer-book.ts';
import { makeFileBuyers } from '../../src/portfolio/identity/in-file/buyers.ts';
import type { Line } from '../../src/portfolio/lines/row.ts';
import { type Opened, openPortfolio, tableOf } from '../../src/portfolio/open-portfolio.ts';
import type { Change, Problem } from '../../src/portfolio/problem.ts';
import { readingFound, readOptionsSchema } from '../../src/portfolio/read-options.ts';
import { readSupplier } from '../../src/portfolio/supplier.ts';
import type { Queues } from '../../src/queue/queues.ts';
import { readToEnd } from '../../src/table/open-table.ts';
import type { TableFile } from '../../src/table/table.ts';
import { type FeedDeps, feed } from '../rows/feed.ts';
import { supplierJob } from '../rows/step-jobs.ts';
import { atMost } from '../steps/wait-for.ts';
import { fileNameOf, makeBuyerStore } from './buyer-store.ts';
import { refuseForeign } from './foreign-rows.ts';
import { countLacking, leaveOutLacking } from './lacking-rows.ts';
import { makeOwnFile } from './own-file.ts';
import { putLines, type Target } from './put-lines.ts';

export type ImportDeps = FeedDeps & {
  rows: Rows;
  portfolios: Portfolios;
  queues: Queues;
  buyers: Buyers;
  imports: DocumentStore;
  documents: DocumentStore;
  /** Waits while Redis is away, and no longer than until `stopping`. */
  persist: Persist;
  requiredColumns: string[];
  maxDocumentMb: number;
  /** Hears how the file is read, before any line of it. */
  onOpened?: (opened: Opened) => void;
  /** Hears of every problem and warning, and of the lines read so far, a batch at a time. */
  onBatch: (batch: { problems: Problem[]; warnings: Problem[]; changed: Change[]; lines: number }) => void;
  stopping: AbortSignal;
};

const payloadSchema = z.object({
  portfolio: z.string().refine(isPortfolioName, 'give letters, digits, spaces, dots, hyphens, at most 64 of them'),
  path: z.string().min(1),
  documentsDir: z.string().optional(),
  supplierPath: z.string().optional(),
  /** The copy in the data folder that is imported, where it was made (`keepFile`) and looked at before. */
  kept: z.string().optional(),
  reading: readOptionsSchema.default({}),
  /** Whether rows of earlier imports that the file lacks are given up, as far as they were not sent. */
  replace: z.boolean().default(false),
});

export type ImportPayload = z.output<typeof payloadSchema>;

/**
 * What an import found. `faults` are of the file as a whole: then nothing was imported. `replaced` are rows of earlier imports
 * that gave way to lines of the file; `lacking`, those that it has no line for and that were not sent, are `givenUp` or stay.
 */
export type Imported = { faults: Problem[]; lines: number; rows: number; invalid: number; duplicate: number } & Earlier;

/** What became of rows of earlier imports. `isPart` says that the file is an errors file, which has some lines only. */
export type Earlier = { replaced: number; lacking: number; givenUp: number; isPart: boolean };

/**
 * Brings a file into a portfolio. The file is first copied into the data folder to its last byte, so that a file that
 * cannot be read to its end leaves no trace, and the results file can be written from the copy later. Importing it
 * again, or going on after a crash, doubles nothing: a line leads to the same row each time.
 */
export const importPortfolio = {
  name: 'import-portfolio',
  parse(data: unknown): ImportPayload {
    const parsed = payloadSchema.safeParse(data);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw new LimitlineError('USAGE', `The ${String(issue?.path[0])} of this import will not do: ${issue?.message}.`);
  },

  async run(payload: ImportPayload, deps: ImportDeps): Promise<Imported> {
    const { documentsDir, path } = payload;
    const documents = documentsDir === undefined ? defaultDocumentsDir(path) : resolve(documentsDir);
    const place = await openDocuments(documents, deps.stopping);
    try {
      return await importFile(payload, place.dir, deps);
    } finally {
      await place.close();
    }
  },
} as const;

async function importFile(payload: ImportPayload, documentsDir: string, deps: ImportDeps): Promise<Imported> {
  const { portfolio, path, supplierPath, kept, reading } = payload;
  const supplier = supplierPath === undefined ? undefined : await readSupplier(supplierPath);
  const importId = kept ?? (await keepFile(path, deps.imports));
  const { path: copy } = deps.imports.open(importId);
  const file = { ...reading, path: copy, givenPath: path, signal: deps.stopping };
  const place = { portfolio, importId: fileNameOf(importId) };
  const store = makeBuyerStore(deps);
  // Ahead of the import, so what its lines bring is not written down yet.
  const openAhead = () => {
    const buyers = makeBuyerBook(makeFileBuyers({ ...place, store }), place);
    return openPortfolio({ ...file, requiredColumns: [], documents: ANY_DOCUMENT, buyers });
  };
  const read = await openPortfolio({
    ...file,
    requiredColumns: deps.requiredColumns,
    documents: makeDocumentFolder({ dir: documentsDir, maxSizeMb: deps.maxDocumentMb }),
    buyers: makeBuyerBook(store, place),
  });
  const opened = await refuseForeign(read, { portfolio, path: copy }, openAhead);
  deps.onOpened?.(opened);
  const isPart = isErrorsHeader(opened.header);
  const found: Imported = {
    ...{ faults: opened.problems, lines: 0, rows: 0, invalid: 0, duplicate: 0 },
    ...{ replaced: 0, lacking: 0, givenUp: 0, isPart },
  };
  if (opened.problems.length > 0) return found;
  if (payload.replace && isPart) {
    await opened.close();
    throw replaceByPart(path);
  }
  if (opened.dialect.sheet !== undefined) await readSheet(tableOf(file), opened);
  const known = { id: importId, fileName: basename(path), reading: JSON.stringify(readingFound(reading, opened)) };
  const start = payload.replace ? deps.portfolios.startReplacing : deps.portfolios.startImport;
  const run = await deps.persist('start import', () => start(portfolio, known));
  if (!run) {
    await opened.close();
    throw otherUnderWay(portfolio);
  }
  const target: Target = {
    ...{ portfolio, run, importId: run.number, fileName: known.fileName },
    mendedRow: mendedRowOf(opened.header),
    earlierProblem: earlierProblemOf(opened.header),
    file: makeOwnFile(openAhead),
  };
  try {
    if (supplier) await deps.persist('supplier', () => rememberSupplier(portfolio, supplier, deps));
    for await (const batch of opened.batches()) {
      const { lines: settled, replaced } = await putLines(target, batch, deps);
      found.replaced += replaced;
      for (const line of settled) found[line.kind === 'row' ? 'rows' : line.kind] += 1;
      found.lines += settled.length;
      await deps.persist('feed', () => feed(deps));
      deps.onBatch({ ...findingsOf(settled), lines: found.lines });
    }
    const whole = { portfolio, fileName: known.fileName, importId: run.number, begun: run.begun };
    if (payload.replace) found.givenUp = await deps.persist('leave out', () => leaveOutLacking(whole, deps));
    else found.lacking = await deps.persist('count', () => countLacking(whole, deps));
  } catch (error) {
    // If this fails as well, the first failure is the one to tell of, and the import counts as gone by itself.
    await atMost(
      LEAVE_MS,
      run.leave().catch(() => {}),
    );
    throw error;
  }
  // What concerns the file as a whole is known when the last line was read.
  deps.onBatch({ problems: [], warnings: opened.warnings, changed: [], lines: found.lines });
  await deps.persist('end import', () => run.end());
  return found;
}

/** Where only the requests of lines are asked for: whether their documents are there was told already. */
const ANY_DOCUMENT = { find: async (name: string) => ({ name, path: name, sizeBytes: 0, mediaType: '' }) };

function replaceByPart(path: string): LimitlineError {
  const message = `${path} is an errors file, which has only lines that want mending: --replace would give up all others that were not sent. Import it without --replace: a mended line replaces its row by itself.`;
  return new LimitlineError('USAGE', message);
}

function otherUnderWay(portfolio: string): LimitlineError {
  const message = `Another file is being imported into portfolio ${portfolio} at this moment, and --replace would give up its rows: wait for its end, or leave --replace out.`;
  return new LimitlineError('USAGE', message);
}

/** An import that ends by a signal says so to a Redis that answers, which takes milliseconds. */
const LEAVE_MS = 1_000;

/**
 * Goes through a workbook's sheet before anything of it is stored. A text is read to its end however broken it is, but a
 * workbook may turn out broken in the middle, when workers have requested the first half.
 */
async function readSheet(file: TableFile, opened: Opened): Promise<void> {
  try {
    await readToEnd(file);
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** Copies the file into the data folder under its digest, which names this import. */
export async function keepFile(path: string, imports: DocumentStore): Promise<string> {
  const { size } = await stat(path).catch((error) => {
    throw fileFault(path, 'read', error);
  });
  return imports.put({ name: basename(path), path: resolve(path), sizeBytes: size, mediaType: 'text/csv' });
}

async function rememberSupplier(
  portfolio: string,
  supplier: Awaited<ReturnType<typeof readSupplier>>,
  { portfolios, queues }: ImportDeps,
): Promise<void> {
  if ('companyId' in supplier) {
    await portfolios.setSupplier(portfolio, { id: supplier.companyId });
    return;
  }
  const known = (await portfolios.read(portfolio)).supplier;
  if (known?.key === supplier.key && known.id) return;
  await portfolios.setSupplier(portfolio, { body: supplier.company, key: supplier.key });
  await queues.forget([supplierJob(portfolio).data]);
}

function findingsOf(batch: Line[]): { problems: Problem[]; warnings: Problem[]; changed: Change[] } {
  return {
    problems: batch.flatMap((line) => (line.kind === 'row' ? [] : line.problems)),
    warnings: batch.flatMap((line) => (line.kind === 'row' ? line.warnings : [])),
    changed: batch.flatMap((line) => line.changed),
  };
}
