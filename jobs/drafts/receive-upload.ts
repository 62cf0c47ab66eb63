import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isZip } from '../../src/documents/archive.ts';
import { isLimitlineError, LimitlineError } from '../../src/errors.ts';
import { systemCode } from '../../src/files/disk.ts';
import type { IncomingFile, RefusedUpload } from '../../src/portfolio/draft-desk.ts';
import { openPortfolio } from '../../src/portfolio/open-portfolio.ts';
import { authorsWith, type PortfolioDraft } from '../../src/portfolio/portfolio-draft.ts';
import { visible } from '../../src/portfolio/problem.ts';
import { readSupplier, supplierName } from '../../src/portfolio/supplier.ts';
import { type DraftStore, NO_QUOTA, supplierIn } from './draft-store.ts';
import { type FileForms, formsOf } from './file-forms.ts';
import type { Meter, UploadLimits } from './incoming-file.ts';
import { makeMeter, noRoom, tooLarge, UploadRefusal, writeIncoming } from './incoming-file.ts';
import { type KeptDocumentsDeps, takeKeptDocuments } from './kept-documents.ts';
import { isOwnReading, type KeptMappings } from './kept-mappings.ts';
import { documentNameFault, portfolioNameFor, shownName } from './upload-names.ts';

type ReceiveDeps = KeptDocumentsDeps & {
  drafts: DraftStore;
  mappings: KeptMappings;
  limits: UploadLimits;
  signal?: AbortSignal | undefined;
  by?: string | undefined;
};

/** The form fields: a file of buyers, its documents as files or one ZIP file, and the file of its supplier. */
const FILE_FIELD = 'file';
const DOCUMENTS_FIELD = 'documents';
const SUPPLIER_FIELD = 'supplier';

/**
 * Receives an upload, streaming it to the disk with a few hundred kilobytes in memory. An upload that is too large, cut off or
 * no table leaves nothing behind.
 *
 * @param announcedBytes the request's Content-Length, if given
 * @throws errors of the incoming stream, such as a lost connection
 */
export async function receiveUpload(
  files: AsyncIterable<IncomingFile>,
  deps: ReceiveDeps & { announcedBytes?: number | undefined },
): Promise<{ draft: PortfolioDraft } | RefusedUpload> {
  const { drafts, limits, announcedBytes = 0 } = deps;
  let incoming: Awaited<ReturnType<DraftStore['begin']>> | undefined;
  try {
    if (announcedBytes > limits.maxBytes) throw tooLarge(limits);
    if (announcedBytes > (await limits.freeBytes()) - limits.reserveBytes) throw noRoom();
    const leftBytes = limits.quotaBytes - (await drafts.usedBy(deps.by));
    if (announcedBytes > leftBytes || leftBytes <= 0) throw new UploadRefusal(507, NO_QUOTA);
    incoming = await drafts.begin();
    const { dir } = incoming;
    const meter = makeMeter({ ...limits, maxBytes: Math.min(limits.maxBytes, leftBytes) });
    const received = await writeFiles(files, dir, meter);
    const { documents, ...described } = await describe(received, dir, deps);
    const given = { ...deps, to: join(dir, 'documents'), came: documents, meter };
    const file = { ...described.reading, path: join(dir, 'v1'), givenPath: described.name, signal: deps.signal };
    const kept = received.isArchive ? [] : await takeKeptDocuments(file, given);
    return { draft: await incoming.keep({ ...described, documents: [...documents, ...kept] }) };
  } catch (error) {
    await incoming?.drop();
    return refusalOf(error);
  }
}

/** The refusal that an error is. @throws any other error */
function refusalOf(error: unknown): RefusedUpload {
  if (error instanceof UploadRefusal) return { refused: error.refused };
  if (['ENOSPC', 'EDQUOT'].includes(systemCode(error))) return { refused: noRoom().refused };
  throw error;
}

type ReceivedFile = { name: string; sha256: string; sizeBytes: number };

type Received = {
  file: ReceivedFile;
  supplier: ReceivedFile | undefined;
  documents: { name: string; sizeBytes: number }[];
  isArchive: boolean;
};

async function writeFiles(files: AsyncIterable<IncomingFile>, dir: string, meter: Meter): Promise<Received> {
  const folder = join(dir, 'documents');
  await mkdir(folder, { mode: 0o700 });
  let file: ReceivedFile | undefined;
  let supplier: ReceivedFile | undefined;
  const documents: Received['documents'] = [];
  const archives: string[] = [];
  const taken = new Set<string>();
  for await (const { field, name, content } of files) {
    // A form sends its fields even if no file was chosen.
    if (name === '') {
      content.resume();
      continue;
    }
    if (field === FILE_FIELD) {
      if (file) throw new UploadRefusal(400, 'Upload one file of buyers at a time: this was more than one.');
      file = { name: shownName(name), ...(await writeIncoming(content, join(dir, 'v1'), meter)) };
    } else if (field === DOCUMENTS_FIELD) {
      const fault = documentNameFault(name);
      if (fault) throw new UploadRefusal(400, fault);
      if (taken.has(name))
        throw new UploadRefusal(400, `Two documents are called ${visible(name)}: rename one of them.`);
      taken.add(name);
      const { sizeBytes } = await writeIncoming(content, join(folder, name), meter);
      documents.push({ name, sizeBytes });
      if (await isZip(join(folder, name))) archives.push(name);
    } else if (field === SUPPLIER_FIELD) {
      if (supplier) throw new UploadRefusal(400, 'A portfolio has one supplier: choose one supplier file only.');
      supplier = { name: shownName(name), ...(await writeIncoming(content, supplierIn(dir), meter)) };
    } else content.resume();
  }
  if (!file) throw new UploadRefusal(400, 'Choose the file of buyers: a CSV, or an Excel workbook.');
  const [archive] = archives;
  if (archive !== undefined && documents.length > 1) {
    const message = `Give the documents as files, or all of them in one ZIP file: ${visible(archive)} came with others.`;
    throw new UploadRefusal(400, message);
  }
  if (archive !== undefined) await rename(join(folder, archive), join(dir, 'documents.zip'));
  return { file, documents, supplier, isArchive: archive !== undefined };
}

/** A new draft, with the read options that the uploader set for files of this form before, or none. */
async function describe(
  { file, documents, supplier, isArchive }: Received,
  dir: string,
  { mappings, signal, by }: ReceiveDeps,
): Promise<Omit<PortfolioDraft, 'id'>> {
  const path = join(dir, 'v1');
  const forms = await formsIn({ path, givenPath: file.name, signal });
  const { form, kept } = (await mappings.findFor(forms)) ?? { form: forms.found, kept: null };
  const own = kept && isOwnReading(kept, by) ? kept : null;
  const now = Date.now();
  return {
    name: file.name,
    uploadedMs: now,
    versions: [
      { number: 1, sha256: file.sha256, sizeBytes: file.sizeBytes, madeMs: now, mended: 0, cells: [], leftOut: [] },
    ],
    documents,
    supplier: supplier ? { ...supplier, ...(await supplierOf(supplier, dir)) } : null,
    isArchive,
    reading: own?.reading ?? {},
    portfolio: portfolioNameFor(file.name),
    form,
    keptFrom: own,
    offered: own ? null : kept,
    readBy: own?.by ?? [],
    submitted: null,
    authors: by === undefined ? [] : [by],
  };
}

/** The supplier's name in its file, and the columns that no call sends. @throws UploadRefusal where an import could not read the file */
async function supplierOf({ name }: ReceivedFile, dir: string): Promise<{ of: string; unsent: string[] }> {
  const path = supplierIn(dir);
  try {
    const supplier = await readSupplier(path);
    return { of: supplierName(supplier), unsent: supplier.unsent };
  } catch (error) {
    if (isLimitlineError(error, 'FILE'))
      throw new UploadRefusal(
        422,
        error.message.replaceAll(path, () => visible(name)),
      );
    throw error;
  }
}

/** @throws UploadRefusal where the file is no table */
async function formsIn(file: {
  path: string;
  givenPath: string;
  signal?: AbortSignal | undefined;
}): Promise<FileForms> {
  try {
    const opened = await openPortfolio({ ...file });
    await opened.close();
    if (opened.columns.length > 0) return formsOf(opened);
    // Every byte is valid in windows-1252, so a file that is no table in it is no table in any encoding.
    const given = await openPortfolio({ ...file, encoding: 'windows-1252' });
    await given.close();
    const [fault] = given.problems;
    if (given.columns.length === 0 && fault)
      throw new UploadRefusal(415, `${visible(file.givenPath)}: ${fault.message}`);
    return formsOf(opened);
  } catch (error) {
    if (isLimitlineError(error, 'FILE')) throw new UploadRefusal(415, error.message);
    throw error;
  }
}

type AddDeps = { drafts: DraftStore; limits: UploadLimits; by?: string | undefined };

/**
 * Adds documents to an upload, beside those that it has. Refuses a name that is there already, and an upload whose documents came in a
 * ZIP file.
 *
 * @throws LimitlineError `NOT_FOUND`; `USAGE` while an import of the upload has not ended, in whatever process: it would send what its
 *   submission did not show; errors of the incoming stream, such as a lost connection
 */
export async function addToUpload(
  id: string,
  files: AsyncIterable<IncomingFile>,
  { drafts, limits, by }: AddDeps,
): Promise<{ draft: PortfolioDraft } | RefusedUpload> {
  const written: string[] = [];
  try {
    if ((await drafts.read(id)).isArchive) throw new UploadRefusal(400, IN_A_ZIP);
    if ((await limits.freeBytes()) < limits.reserveBytes) throw noRoom();
    const leftBytes = limits.quotaBytes - (await drafts.usedBy(by));
    if (leftBytes <= 0) throw new UploadRefusal(507, NO_QUOTA);
    const dir = drafts.dirOf(id);
    const folder = join(dir, 'documents');
    const meter = makeMeter({ ...limits, maxBytes: Math.min(limits.maxBytes, leftBytes) });
    const added: PortfolioDraft['documents'] = [];
    for await (const { name, content } of files) {
      // A form sends its field even if no file was chosen.
      const fault = name === '' ? undefined : documentNameFault(name);
      if (fault) throw new UploadRefusal(400, fault);
      if (name === '') content.resume();
      else {
        const path = join(dir, `incoming-${process.pid}-${Date.now()}-${written.length}`);
        written.push(path);
        added.push({ name, sizeBytes: (await writeIncoming(content, path, meter)).sizeBytes });
      }
    }
    if (added.length === 0) throw new UploadRefusal(400, 'Choose the document that is missing.');
    const draft = await drafts.change(id, async (now) => {
      if (now.submitted?.ended === null && now.submitted.fault === null) throw new LimitlineError('USAGE', NOT_ENDED);
      // An interrupted addition may have left a document's name in the draft without its file. Such a name is free.
      const there = new Set(await readdir(folder).catch(() => []));
      const names = added.map(({ name }) => name);
      for (const [at, name] of names.entries()) {
        if (there.has(name) || names.indexOf(name) !== at)
          throw new UploadRefusal(400, `There is a document called ${visible(name)} already: rename yours.`);
      }
      const others = now.documents.filter(({ name }) => !names.includes(name));
      return { ...now, documents: [...others, ...added], authors: authorsWith(now, by) };
    });
    // The files come after the draft's record: a file that the record does not name would be sent without having been previewed.
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const [at, { name }] of added.entries()) await rename(written[at] ?? '', join(folder, name));
    return { draft };
  } catch (error) {
    return refusalOf(error);
  } finally {
    await Promise.all(written.map((path) => rm(path, { force: true })));
  }
}

const NOT_ENDED =
  'The import of this upload has not ended, so no document was added: wait until it has, or submit the upload again if it was interrupted.';
const IN_A_ZIP =
  'The documents came in a ZIP file: put the missing one into it, download the corrected file from this page, and upload both.';
