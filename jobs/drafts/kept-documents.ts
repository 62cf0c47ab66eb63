import { createReadStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { openDocuments } from '../../src/documents/archive.ts';
import { type DocumentFolder, makeDocumentFolder } from '../../src/documents/folder.ts';
import type { DocumentStore } from '../../src/documents/store.ts';
import { isLimitlineError } from '../../src/errors.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import { rowIdOf } from '../../src/ledger/schema/schema.ts';
import { isErrorsHeader, mendedLineOf, mendedRowOf, shortDigest } from '../../src/portfolio/columns/result-columns.ts';
import { documentNames } from '../../src/portfolio/lines/classify-lines.ts';
import { openPortfolio, type PortfolioFile } from '../../src/portfolio/open-portfolio.ts';
import type { PortfolioDraft } from '../../src/portfolio/portfolio-draft.ts';
import { withoutApostrophe } from '../../src/table/formulas.ts';
import type { DraftStore } from './draft-store.ts';
import { type Meter, UploadRefusal, writeIncoming } from './incoming-file.ts';
import { documentsOf } from './make-preview.ts';
import { documentNameFault } from './upload-names.ts';

export type KeptDocumentsDeps = {
  drafts: Pick<DraftStore, 'list' | 'dirOf'>;
  rows: Pick<Rows, 'read'>;
  /** The documents of rows. */
  documents: Pick<DocumentStore, 'open'>;
  maxDocumentMb: number;
};

/**
 * Copies the documents that an errors file names and that came with its portfolio before: those of the rows that its lines correct, and
 * those of the upload whose lines they were. Documents that came with the errors file go before. What is not found, or has no room, is
 * left for the preview to ask for.
 */
export async function takeKeptDocuments(
  file: Omit<PortfolioFile, 'requiredColumns'>,
  { to, taken, meter, ...deps }: KeptDocumentsDeps & { to: string; taken: ReadonlySet<string>; meter: Meter },
): Promise<PortfolioDraft['documents']> {
  const opened = await openPortfolio({ ...file, requiredColumns: [] });
  const column = opened.columns.find(({ known }) => known === 'supporting_documents')?.index;
  if (!isErrorsHeader(opened.header) || column === undefined || opened.problems.length > 0) {
    await opened.close();
    return [];
  }
  const [rowOf, lineOf] = [mendedRowOf(opened.header), mendedLineOf(opened.header)];
  const uploads = openUploads(deps);
  const kept = new Map<string, number>();
  try {
    for await (const batch of opened.plainLines()) {
      for (const { cells } of batch) {
        for (const name of documentNames(cells[column] ?? '').map(withoutApostrophe)) {
          if (taken.has(name) || kept.has(name) || !isSafe(name)) continue;
          const path = (await pathOfRow(rowOf(cells), name, deps)) ?? (await uploads.pathOf(lineOf(cells), name));
          if (path === undefined) continue;
          const target = join(to, name);
          await mkdir(dirname(target), { recursive: true, mode: 0o700 });
          try {
            kept.set(name, (await writeIncoming(createReadStream(path), target, meter)).sizeBytes);
          } catch (error) {
            await rm(target, { force: true });
            if (!(error instanceof UploadRefusal)) throw error;
          }
        }
      }
    }
  } finally {
    await uploads.close();
  }
  return [...kept].map(([name, sizeBytes]) => ({ name, sizeBytes, isKept: true as const }));
}

/** Whether a name, perhaps with folders, stays inside of any folder. */
function isSafe(name: string): boolean {
  return name.split('/').every((part) => part !== '' && documentNameFault(part) === null);
}

/** The copy of a row's document of this name, unless it has several or its copy is gone. */
async function pathOfRow(
  cell: string,
  name: string,
  { rows, documents }: Pick<KeptDocumentsDeps, 'rows' | 'documents'>,
): Promise<string | undefined> {
  const row = rowIdOf(cell);
  const [known] = row ? await rows.read([row]) : [];
  const [found, ...others] = known?.request.documents.filter((one) => one.name === basename(name)) ?? [];
  if (!found || others.length > 0) return undefined;
  try {
    return documents.open(found.sha256, name).path;
  } catch (error) {
    if (isLimitlineError(error, 'NOT_FOUND') || isLimitlineError(error, 'FILE')) return undefined;
    throw error;
  }
}

/** Finds documents of uploads that were imported, each by the digest of what was imported of it. */
function openUploads({ drafts, maxDocumentMb }: Pick<KeptDocumentsDeps, 'drafts' | 'maxDocumentMb'>) {
  const places = new Map<string, Promise<{ folder: DocumentFolder; close(): Promise<void> } | undefined>>();
  const look = async (portfolio: string, file: string) => {
    const draft = (await drafts.list()).find(({ submitted, versions }) => {
      const imported = versions.find(({ number }) => number === submitted?.version);
      return submitted?.portfolio === portfolio && imported && shortDigest(imported.sha256) === file;
    });
    if (!draft || draft.documents.length === 0) return undefined;
    const { dir, close } = await openDocuments(documentsOf(drafts.dirOf(draft.id), draft));
    return { folder: makeDocumentFolder({ dir, maxSizeMb: maxDocumentMb }), close };
  };
  return {
    async pathOf(line: { portfolio: string; file: string } | undefined, name: string): Promise<string | undefined> {
      if (!line) return undefined;
      const key = `${line.portfolio} ${line.file}`;
      const place = places.get(key) ?? look(line.portfolio, line.file);
      places.set(key, place);
      const found = await (await place)?.folder.find(name);
      return typeof found === 'object' ? found.path : undefined;
    },
    async close() {
      for (const place of places.values()) await (await place)?.close();
    },
  };
}
