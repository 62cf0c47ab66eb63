import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isLimitlineError, messageOf } from '../../src/errors.ts';
import { systemCode } from '../../src/files/file-fault.ts';
import type { TakenFile } from '../../src/ledger/inbox/inbox.ts';
import { archivedOf } from '../../src/ledger/schema/archives.ts';
import { shownName } from '../drafts/upload-names.ts';
import { bringIn, inboxFrom } from './bring-in.ts';
import { DONE, portfolioOf, REJECTED, TIME } from './dropped-names.ts';
import { INBOX_ACTOR, type RoundDeps } from './inbox-deps.ts';
import { tellOf } from './inbox-notices.ts';
import { withReadingWords } from './inbox-reading.ts';
import type { Entry } from './taken-folder.ts';

/**
 * Brings a file that was taken to its end, from wherever it stands: a process may have been killed at any moment before. What became
 * of it is written down, then told, then it goes where everybody sees it.
 *
 * @returns what became of it; nothing where there was only something left to clear away
 * @throws what keeps it from coming to its end now: it stays, and is gone on with at the next look
 */
export async function carryThrough(id: string, deps: RoundDeps): Promise<TakenFile | undefined> {
  const { taken, inbox } = deps;
  const entry = await taken.entry(id);
  const known = await inbox.read(id);
  if (entry.file === undefined) {
    await clearAway(entry, known, deps);
    return undefined;
  }
  const file = known ?? unknownFile(entry, deps);
  // Who rejected it may have been killed before its documents came along; left there, they would be the next file's of its name.
  if (file.is === 'rejected') await taken.takeDocuments(id, file.documents);
  const ended = file.is === 'taken' ? await decide({ ...entry, file: entry.file }, file, deps) : file;
  if (ended !== file) await inbox.note(ended);
  await tellOf(ended, deps);
  const where = ended.is === 'rejected' ? REJECTED : DONE;
  const beside = ended.is === 'rejected' ? 'problems.txt' : ended.is === 'again' ? 'note.txt' : undefined;
  if (beside !== undefined) await writeFile(join(entry.dir, beside), `${ended.words}\n`, { flush: true });
  await taken.putFile(entry, where);
  await taken.putRest(entry, where);
  return ended;
}

/** Its file is gone on already, or was never taken: then it lies in the drop folder still, and is taken anew. */
async function clearAway(entry: Entry, known: TakenFile | undefined, { taken, inbox }: RoundDeps): Promise<void> {
  const where = await taken.whereIs(entry.id);
  await taken.putRest(entry, where ?? (known?.is === 'rejected' ? REJECTED : DONE));
  if (where === undefined && known?.is === 'taken') await inbox.forget(entry.id);
}

/** What can be known of a file that Redis has forgotten. */
function unknownFile({ id }: Entry, { drop }: RoundDeps): TakenFile {
  const name = `${id.replace(TIME, '')}.csv`;
  return {
    id,
    folder: drop.id,
    name,
    documents: [],
    portfolio: portfolioOf(name) ?? id,
    atMs: Date.now(),
    is: 'taken',
    words: '',
  };
}

async function decide(entry: Entry & { file: string }, file: TakenFile, deps: RoundDeps): Promise<TakenFile> {
  const { taken, audit, signal } = deps;
  try {
    // Who took the file may have been killed before its documents came along.
    if (entry.documents === undefined) await taken.takeDocuments(entry.id, file.documents);
    const ended = await bringIn({ ...entry, ...(await taken.entry(entry.id)), file: entry.file }, file, deps);
    if (ended.is !== 'rejected') return ended;
    await noteRejected(ended, audit);
    return { ...ended, words: withReadingWords(ended.words) };
  } catch (error) {
    if (signal.aborted || !(isOfTheFile(error) || isForGood(error))) throw error;
    const words = withReadingWords(inNamesOf(file, entry, messageOf(error)));
    // With what was noted of it meanwhile: it may be written to further.
    const rejected: TakenFile = { ...((await deps.inbox.read(file.id)) ?? file), is: 'rejected', words };
    await noteRejected(rejected, audit);
    return rejected;
  }
}

/** What lay in the drop folder by the names that it had there: where it is while it is under way, it is no more when this is read. */
function inNamesOf({ name, documents }: TakenFile, { file, dir }: Entry, words: string): string {
  const isZip = (one: string) => one.toLowerCase().endsWith('.zip');
  const places: [place: string | undefined, name: string | undefined][] = [
    [join(dir, 'documents.zip'), documents.find(isZip)],
    [join(dir, 'documents'), documents.find((one) => !isZip(one))],
    [file, name],
  ];
  return places.reduce(
    (text, [place, own]) => (place && own ? text.replaceAll(place, () => shownName(own)) : text),
    words,
  );
}

/** Files that were rejected were not asked for by anybody of ours, and changed nothing: one entry says that they were there. */
export async function noteRejected({ name, portfolio, by = [] }: TakenFile, audit: RoundDeps['audit']): Promise<void> {
  const about = portfolio === '' ? {} : { about: portfolio };
  await audit.note({
    by: by[0] ?? INBOX_ACTOR,
    what: 'file rejected',
    from: inboxFrom(),
    ...about,
    facts: { file: name },
  });
}

/** Whether what went wrong is the file's own fault, and will be so whenever it is tried: not that of a disk, or of Redis. */
function isOfTheFile(error: unknown): boolean {
  if (!isLimitlineError(error, 'FILE')) return false;
  for (let cause: unknown = error.cause; cause instanceof Error; cause = cause.cause) {
    if (SYSTEM.test(systemCode(cause))) return false;
  }
  return true;
}

/** A portfolio that is archived stays so until somebody restores it; one that just is on its way is waited for. */
function isForGood(error: unknown): boolean {
  const is = archivedOf(error);
  return is === 'archived' || is === 'forgetting' || is === 'forgotten';
}

/** What the operating system says, such as ENOSPC; what reads archives and tables has other codes, or none. */
const SYSTEM = /^E[A-Z0-9]+$/;
