import { extname, join } from 'node:path';
import type { TakenFile } from '../../src/ledger/inbox/taken-file.ts';
import { DONE, documentsNameOf } from './dropped-names.ts';
import type { RoundDeps } from './inbox-deps.ts';
import { tellOfLeft } from './inbox-notices.ts';
import { moveOver, statOf } from './move-over.ts';

/** Who wrote to a file for longer than a day writes to a file of that other day. */
const WATCHED_MS = 86_400_000;

/** As many of the files that were taken last are looked at. */
const WATCHED = 100;

/**
 * Puts files back into the drop folder that somebody went on writing to after they had been taken. They are taken again when they change
 * no more: their lines lead to the rows that they led to, and what was added is imported.
 */
export async function putBackGrown(deps: RoundDeps): Promise<void> {
  const { inbox, drop, log } = deps;
  const sinceMs = Date.now() - WATCHED_MS;
  for (const file of await inbox.lately(WATCHED)) {
    if (file.folder !== drop.id || file.is === 'rejected' || file.bytes === undefined || file.atMs < sinceMs) continue;
    const done = join(drop.dir, DONE, file.id + extname(file.name).toLowerCase());
    const found = await statOf(done);
    const back = join(drop.dir, file.name);
    if (!found?.isFile() || found.size === file.bytes || (await statOf(back))) continue;
    const { bytes: _bytes, ...known } = file;
    await inbox.note(known);
    await putDocumentsBack(file, deps);
    await moveOver(done, back);
    log.warn({ file: file.id, bytes: file.bytes, now: found.size }, WORDS);
    await tellOfLeft({ folder: drop.id, name: file.name, why: WORDS, atMs: found.mtimeMs }, deps);
  }
}

async function putDocumentsBack({ id, name }: TakenFile, { drop }: RoundDeps): Promise<void> {
  for (const ending of ['', '.zip']) {
    const back = join(drop.dir, documentsNameOf(name) + ending);
    if (!(await statOf(back))) await moveOver(join(drop.dir, DONE, id + ending), back);
  }
}

const WORDS = 'it was written to after it had been taken in: it is taken in again, and what was added is imported';
