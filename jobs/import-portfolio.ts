import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { z } from 'zod';
import { LimitlineError } from '../src/errors.ts';
import type { Buyers } from '../src/ledger/buyers.ts';
import type { FaultyLine, ImportRun, NotedLine } from '../src/ledger/imports.ts';
import type { Persist } from '../src/ledger/persist.ts';
import type { Portfolios } from '../src/ledger/portfolios.ts';
import { isPortfolioName, type RowId } from '../src/ledger/row-id.ts';
import type { RowDocument, RowRequest, Rows } from '../src/ledger/rows.ts';
import { makeBuyerBook } from '../src/portfolio/buyer-book.ts';
import { openDocuments } from '../src/portfolio/document-archive.ts';
import type { DocumentStore } from '../src/portfolio/document-store.ts';
import { defaultDocumentsDir, makeDocumentFolder } from '../src/portfolio/documents.ts';
import { fileFault } from '../src/portfolio/file-fault.ts';
import { type Opened, openPortfolio } from '../src/portfolio/open-portfolio.ts';
import { readOptionsSchema } from '../src/portfolio/read-options.ts';
import { type Change, type Line, type Problem, type Row, requestOf } from '../src/portfolio/row.ts';
import { readSupplier } from '../src/portfolio/supplier.ts';
import { readToEnd, type TableFile } from '../src/portfolio/table.ts';
import type { Queues } from '../src/queue/queues.ts';
import { makeBuyerStore } from './buyer-store.ts';
import { type FeedDeps, feed } from './feed.ts';
import { supplierJob } from './step.ts';
import { atMost } from './wait-for.ts';

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
  /** Hears of every problem and warning, and of the lines read so far, a batch at a time. */
  onBatch: (batch: { problems: Problem[]; warnings: Problem[]; changed: Change[]; lines: number }) => void;
  stopping: AbortSignal;
};

const payloadSchema = z.object({
  portfolio: z.string().refine(isPortfolioName, 'give letters, digits, spaces, dots, hyphens, at most 64 of them'),
  path: z.string().min(1),
  documentsDir: z.string().optional(),
  supplierPath: z.string().optional(),
  reading: readOptionsSchema.default({}),
});

export type ImportPayload = z.output<typeof payloadSchema>;

/** What an import found. `faults` are of the file as a whole: then nothing was imported. */
export type Imported = { faults: Problem[]; lines: number; rows: number; invalid: number; duplicate: number };

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
  const { portfolio, path, supplierPath, reading } = payload;
  const supplier = supplierPath === undefined ? undefined : await readSupplier(supplierPath);
  const importId = await keepFile(path, deps.imports);
  const { path: copy } = deps.imports.open(importId);
  const file = { ...reading, path: copy, givenPath: path, signal: deps.stopping };
  const opened = await openPortfolio({
    ...file,
    requiredColumns: deps.requiredColumns,
    documents: makeDocumentFolder({ dir: documentsDir, maxSizeMb: deps.maxDocumentMb }),
    buyers: makeBuyerBook(makeBuyerStore(deps), { portfolio, importId: fileNameOf(importId) }),
  });
  const found: Imported = { faults: opened.problems, lines: 0, rows: 0, invalid: 0, duplicate: 0 };
  if (opened.problems.length > 0) return found;
  if (opened.dialect.sheet !== undefined) await readSheet(file, opened);
  const known = { id: importId, fileName: basename(path), reading: JSON.stringify(reading) };
  const run = await deps.persist('start import', () => deps.portfolios.startImport(portfolio, known));
  try {
    if (supplier) await deps.persist('supplier', () => rememberSupplier(portfolio, supplier, deps));
    for await (const batch of opened.batches()) {
      const settled = await importBatch({ portfolio, importId, run }, batch, deps);
      for (const line of settled) found[line.kind === 'row' ? 'rows' : line.kind] += 1;
      found.lines += settled.length;
      await deps.persist('feed', () => feed(deps));
      deps.onBatch({ ...findingsOf(settled), lines: found.lines });
    }
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

/** Tells files apart by which buyers were brought; it stands in every buyer's record, so it is cut to what does. 48 bits. */
export function fileNameOf(importId: string): string {
  return importId.slice(0, 12);
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
async function keepFile(path: string, imports: DocumentStore): Promise<string> {
  const { size } = await stat(path).catch((error) => {
    throw fileFault(path, 'read', error);
  });
  return imports.put({ name: basename(path), path: resolve(path), sizeBytes: size, mediaType: 'text/csv' });
}

type Target = { portfolio: string; importId: string; run: ImportRun };

/** Answers the lines as the ledger took them: one that asks for something else than what was sent is a problem. */
async function importBatch({ portfolio, importId, run }: Target, batch: Line[], deps: ImportDeps): Promise<Line[]> {
  // First what leads to no row, and what no longer does not: no line is counted twice at any moment.
  const found = new Map(batch.map((line) => [line.line, noted(line)]));
  await deps.persist('note lines', () => run.noteLines(found));
  const renewed: RowId[] = [];
  const changed = new Map<number, NotedLine>();
  const settled = await Promise.all(
    batch.map(async (line): Promise<Line> => {
      if (line.kind !== 'row') return line;
      const row = { portfolio, key: line.row.key };
      const request = await toRequest(line.row, deps.documents);
      const put = () => deps.rows.put(row, line.line, importId, request, run.generation);
      const answer = await deps.persist('put', put);
      if (answer === 'renewed') renewed.push(row);
      if (answer !== 'changed') return line;
      const [sent] = await deps.persist('read', () => deps.rows.read([row]));
      const refused = {
        ...line,
        kind: 'invalid' as const,
        key: line.row.key,
        problems: [changedProblem(line.line, request, sent?.request)],
      };
      changed.set(line.line, noted(refused));
      return refused;
    }),
  );
  await deps.persist('note lines', () => run.noteLines(changed));
  await deps.queues.forget(renewed);
  return settled;
}

/** A request that was sent keeps its words; what the line says instead of them has to be asked for on purpose. */
function changedProblem(line: number, asked: RowRequest, sent: RowRequest | undefined): Problem {
  const [now, before] = [asked.limit.requested_limit, sent?.limit.requested_limit];
  const difference = before !== undefined && before !== now ? ` (sent: ${before})` : '';
  const stays =
    sent === undefined || sent.buyer !== asked.buyer
      ? 'under this name another buyer or amount was asked for'
      : 'the request stays as it was sent';
  return {
    ...{ line, column: before !== now ? 'requested_limit' : null, value: before !== now ? now : null },
    message: `changed after it was requested${difference}; ${stays}. To ask on purpose, give the line a request_reference of its own`,
  };
}

function noted(line: Line): NotedLine {
  return { key: requestOf(line), fault: faultOf(line) };
}

function faultOf(line: Line): FaultyLine | null {
  if (line.kind === 'row') return null;
  const message = line.problems.map((problem) => describe(problem)).join('; ');
  const isLong = message.length > MAX_MESSAGE_LENGTH;
  return { kind: line.kind, message: isLong ? `${message.slice(0, MAX_MESSAGE_LENGTH - 1)}…` : message };
}

/** Twice what a line of our columns, all of them wrong, has to say; a line of thousands of wrong cells would drown Redis. */
const MAX_MESSAGE_LENGTH = 8_000;

/** A line's row as the ledger keeps it; its documents are copied into the data folder on the way. */
async function toRequest(row: Row, store: DocumentStore): Promise<RowRequest> {
  const documents: RowDocument[] = [];
  for (const document of row.documents) {
    const { name, mediaType, sizeBytes } = document;
    documents.push({ name, mediaType, sizeBytes, sha256: await store.put(document) });
  }
  const { name, buyer, company, companyId, limit } = row;
  return { name, buyer, documents, limit, ...(companyId === undefined ? { company } : { companyId }) };
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

/** One problem in a report's cell: the column, then what is wrong. */
function describe({ column, message }: Problem): string {
  return column === null ? message : `${column}: ${message}`;
}
