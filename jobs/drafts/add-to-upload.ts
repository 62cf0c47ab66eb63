import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../../src/files/file-fault.ts';
import type { IncomingFile, RefusedUpload } from '../../src/portfolio/draft-desk.ts';
import { authorsWith, type PortfolioDraft } from '../../src/portfolio/portfolio-draft.ts';
import { visible } from '../../src/portfolio/problem.ts';
import { type DraftStore, NO_QUOTA } from './draft-store.ts';
import { makeMeter, noRoom, type UploadLimits, UploadRefusal, writeIncoming } from './incoming-file.ts';
import { documentNameFault } from './upload-names.ts';

type AddDeps = {
  drafts: DraftStore;
  limits: UploadLimits;
  by?: string | undefined;
  /** Throws while the upload is being imported, which may begin while documents come in. */
  refuseWhileImported(): void;
};

/**
 * Adds documents to an upload that is not submitted yet, beside those that it has. Refuses a name that is there already, and an
 * upload whose documents came in a ZIP file.
 *
 * @throws LimitlineError `NOT_FOUND`; errors of the incoming stream, such as a lost connection
 */
export async function addToUpload(
  id: string,
  files: AsyncIterable<IncomingFile>,
  { drafts, limits, by, refuseWhileImported }: AddDeps,
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
      refuseWhileImported();
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
    if (error instanceof UploadRefusal) return { refused: error.refused };
    if (['ENOSPC', 'EDQUOT'].includes(systemCode(error))) return { refused: noRoom().refused };
    throw error;
  } finally {
    await Promise.all(written.map((path) => rm(path, { force: true })));
  }
}

const IN_A_ZIP =
  'The documents came in a ZIP file: put the missing one into it, download the corrected file from this page, and upload both.';
