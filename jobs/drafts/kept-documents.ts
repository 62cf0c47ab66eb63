import { mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openDocuments } from '../../src/documents/archive.ts';
import { type DocumentFolder, foldedName, makeDocumentFolder } from '../../src/documents/folder.ts';
import type { DocumentStore } from '../../src/documents/store.ts';
import { isLimitlineError } from '../../src/errors.ts';
import { sha256Of, systemCode } from '../../src/files/disk.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import { rowIdOf } from '../../src/ledger/schema/schema.ts';
import { isErrorsHeader, mendedLineOf, mendedRowOf, shortDigest } from '../../src/portfolio/columns/result-columns.ts';
import { documentNames } from '../../src/portfolio/lines/classify-lines.ts';
import { openPortfolio, type PortfolioFile } from '../../src/portfolio/open-portfolio.ts';
import type { PortfolioDraft } from '../../src/portfolio/portfolio-draft.ts';
import { withoutTextMark } from '../../src/table/formulas.ts';
import type { DraftStore } from './draft-store.ts';
import { type Meter, UploadRefusal, writeIncoming } from './incoming-file.ts';
import { documentsOf } from './make-preview.ts';
import { documentNameFault } from './upload-names.ts';

export type KeptDocumentsDeps = {
  drafts: Pick<DraftStore, 'list' | 'dirOf'>;
  rows: Pick<Rows, 'read'>;
  documents: Pick<DocumentStore, 'open'>;
  maxDocumentMb: number;
};

/** The path of a document's stored copy, and the digest of its content. */
type KeptDocument = { path: string; sha256: string };

/**
 * Copies documents into an upload that is an errors file: those that the file names, that did not come with it, and that the portfolio had
 * before. They are found in the rows that its lines correct, and in the upload from which the lines come. Names that differ only in case or
 * Unicode form count as equal. A document that is not found, cannot be read, has no room, or differs between two lines is left out: the
 * preview asks for it.
 */
export async function takeKeptDocuments(...given: Parameters<typeof copyKept>): Promise<PortfolioDraft['documents']> {
  try {
    return await copyKept(...given);
  } catch (error) {
    if (isLimitlineError(error, 'FILE')) return [];
    throw error;
  }
}

async function copyKept(
  file: PortfolioFile,
  { to, came, meter, ...deps }: KeptDocumentsDeps & { to: string; came: PortfolioDraft['documents']; meter: Meter },
): Promise<PortfolioDraft['documents']> {
  const opened = await openPortfolio(file);
  const column = opened.columns.find(({ known }) => known === 'supporting_documents')?.index;
  if (!isErrorsHeader(opened.header) || column === undefined || opened.problems.length > 0) {
    await opened.close();
    return [];
  }
  const taken = new Set(came.map(({ name }) => foldedName(name)));
  const [rowOf, lineOf] = [mendedRowOf(opened.header), mendedLineOf(opened.header)];
  const uploads = openUploads(deps);
  const found = new Map<string, KeptDocument | undefined>();
  const kept: PortfolioDraft['documents'] = [];
  try {
    for await (const batch of opened.plainLines()) {
      for (const { cells } of batch) {
        for (const name of documentNames(cells[column] ?? '').map(withoutTextMark)) {
          if (taken.has(foldedName(name)) || !isSafe(name) || (found.has(name) && !found.get(name))) continue;
          const one = (await ofRow(rowOf(cells), name, deps)) ?? (await uploads.find(lineOf(cells), name));
          // An upload has one document of each name. If two lines mean different documents by one name, neither is copied.
          const isOther = found.has(name) && found.get(name)?.sha256 !== one?.sha256;
          found.set(name, isOther ? undefined : one);
        }
      }
    }
    for (const [name, document] of found) {
      if (!document) continue;
      const target = join(to, name);
      try {
        await mkdir(dirname(target), { recursive: true, mode: 0o700 });
        const source = await open(document.path);
        const { sizeBytes } = await writeIncoming(source.createReadStream(), target, meter);
        kept.push({ name, sizeBytes, isKept: true });
      } catch (error) {
        const code = systemCode(error);
        if (!IN_THE_WAY.includes(code)) await rm(target, { force: true });
        // A document may be removed while it is copied.
        if (!(error instanceof UploadRefusal) && ![...IN_THE_WAY, 'ENOENT'].includes(code)) throw error;
      }
    }
  } finally {
    await uploads.close();
  }
  return kept;
}

/** System codes of a target that exists already. On a disk that ignores case, another document or a folder of the upload may have that name. */
const IN_THE_WAY = ['EEXIST', 'ENOTDIR'];

/** Whether a document's name, perhaps with folders, can only lead to a path inside of the folder that it is joined to. */
function isSafe(name: string): boolean {
  return name.split('/').every((part) => part !== '' && documentNameFault(part) === null);
}

/**
 * The row's document of this name; nothing where several have the name or the copy is gone. Rows keep names without folders, so a name with
 * a folder is never found: a file in another folder is another document.
 */
async function ofRow(
  cell: string,
  name: string,
  { rows, documents }: Pick<KeptDocumentsDeps, 'rows' | 'documents'>,
): Promise<KeptDocument | undefined> {
  const row = rowIdOf(cell);
  const [known] = row ? await rows.read([row]) : [];
  const [found, ...others] = known?.request.documents.filter((one) => one.name === name) ?? [];
  if (!found || others.length > 0) return undefined;
  try {
    return { path: documents.open(found.sha256, name).path, sha256: found.sha256 };
  } catch (error) {
    if (isLimitlineError(error, 'NOT_FOUND') || isLimitlineError(error, 'FILE')) return undefined;
    throw error;
  }
}

/** A finder of documents in imported uploads. The upload is known by the digest of the file version that was imported. */
function openUploads({ drafts, maxDocumentMb }: Pick<KeptDocumentsDeps, 'drafts' | 'maxDocumentMb'>) {
  const places = new Map<string, Promise<{ folder: DocumentFolder; close(): Promise<void> } | undefined>>();
  const digests = new Map<string, Promise<string>>();
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
    async find(line: { portfolio: string; file: string } | undefined, name: string): Promise<KeptDocument | undefined> {
      if (!line) return undefined;
      const key = `${line.portfolio} ${line.file}`;
      const place = places.get(key) ?? look(line.portfolio, line.file);
      places.set(key, place);
      const found = await (await place)?.folder.find(name);
      if (typeof found !== 'object') return undefined;
      const digest = digests.get(found.path) ?? sha256Of(found.path);
      digests.set(found.path, digest);
      return { path: found.path, sha256: await digest };
    },
    async close() {
      for (const place of places.values()) await (await place)?.close();
    },
  };
}
