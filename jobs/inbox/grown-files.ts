import { extname, join } from 'node:path';
import type { TakenFile } from '../../src/ledger/inbox/inbox.ts';
import { sha256Of } from '../import/file-digest.ts';
import { DONE, documentsNameOf, REJECTED } from './dropped-names.ts';
import type { RoundDeps } from './inbox-deps.ts';
import { tellOfLeft } from './inbox-notices.ts';
import { changeOf, moveNew, moveOver, statOf } from './move-over.ts';

/** How many taken files are watched, the latest. Each one costs a call of `stat`. */
const WATCHED = 500;

/**
 * Looks for changes in taken files in `done` and `rejected`. A file with new lines at its end returns to the drop folder and is
 * imported again: old lines lead to their rows, new ones are imported. Any other change is only reported, once, because it may
 * not be meant for import. So is a file whose portfolio has a newer file, which it would undo.
 */
export async function putBackGrown(deps: RoundDeps): Promise<void> {
  const { inbox, drop, signal } = deps;
  const later = new Set<string>();
  for (const file of await inbox.lately(WATCHED)) {
    signal.throwIfAborted();
    if (file.folder !== drop.id) continue;
    const isLatest = !later.has(file.portfolio);
    later.add(file.portfolio);
    if (file.is !== 'taken' && file.seen) await compare(file, file.seen, isLatest, deps);
  }
}

async function compare(
  file: TakenFile,
  seen: NonNullable<TakenFile['seen']>,
  isLatest: boolean,
  deps: RoundDeps,
): Promise<void> {
  const { drop, inbox } = deps;
  const where = join(drop.dir, file.is === 'rejected' ? REJECTED : DONE);
  const path = join(where, file.id + extname(file.name).toLowerCase());
  const found = await statOf(path);
  if (!found?.isFile() || changeOf(found) === seen.version) return;
  const begin = found.size < seen.bytes ? '' : await sha256Of(path, seen.bytes);
  const known = { ...file, seen: { ...seen, version: changeOf(found) } };
  if (begin === seen.sha256 && found.size === seen.bytes) return inbox.note(known);
  const why = begin !== seen.sha256 ? CHANGED : isLatest ? GROWN : LATER;
  const left = { folder: drop.id, name: file.name, what: WHAT, why, atMs: found.mtimeMs };
  if (why !== GROWN) {
    await tellOfLeft(left, deps);
    const { words } = file;
    return inbox.note({ ...known, words: words.includes(why) ? words : `${words} By now ${why}.` });
  }
  const back = join(drop.dir, file.name);
  // If another file has the name, that one is taken first and is then the latest.
  if (await statOf(back)) return;
  await tellOfLeft(left, deps);
  // The results of the whole file are to be written again.
  await inbox.note({ ...file, results: file.results ?? '' });
  // Documents first, because a file without documents would be taken as it is.
  const brought: [from: string, to: string][] = [];
  for (const ending of ['', '.zip']) {
    const [own, documents] = [join(where, file.id + ending), join(drop.dir, documentsNameOf(file.name) + ending)];
    if (!(await statOf(own)) || (await statOf(documents))) continue;
    await moveOver(own, documents);
    brought.push([documents, own]);
  }
  if (await moveNew(path, back)) return;
  // Another file got the name meanwhile: these are not its documents.
  for (const [documents, own] of brought) await moveOver(documents, own);
}

const WHAT = 'was changed after it had been taken in';
const GROWN = 'it is taken in again, and the added lines are imported';
const LATER = 'a newer file of its portfolio was taken in since: drop the added lines again in a new file';
const CHANGED = 'the content that was taken in has changed: drop it again if it is meant to be imported';
