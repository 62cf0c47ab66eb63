import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isLimitlineError, messageOf } from '../../src/errors.ts';
import { systemCode } from '../../src/files/file-fault.ts';
import type { TakenFile } from '../../src/ledger/inbox/inbox.ts';
import { archivedOf } from '../../src/ledger/schema/archives.ts';
import { shownName } from '../drafts/upload-names.ts';
import { bringIn, inboxFrom } from './bring-in.ts';
import { bringInDecisions } from './bring-in-decisions.ts';
import { DONE, isOfDecisions, ofSupplier, portfolioOf, REJECTED, TIME } from './dropped-names.ts';
import { INBOX_ACTOR, type RoundDeps } from './inbox-deps.ts';
import { tellOf } from './inbox-notices.ts';
import { inFileWords, withReadingWords } from './inbox-reading.ts';
import type { Entry } from './taken-folder.ts';

/**
 * Finishes a file that was taken, from any state that a killed process may have left. Records the result, then sends a notice,
 * then moves the file to `done` or `rejected`.
 *
 * @returns the result; nothing where only leftovers were removed
 * @throws the reason why it cannot be finished now: it stays, and is tried again in the next pass
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
  // The process that rejected this file may have died before it moved the documents. Left in the folder, they would count for the next file
  // of that name.
  if (file.is === 'rejected') await taken.takeBeside(id, file);
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

/** Removes leftovers of a file that has moved on. If it was never taken, it is still in the drop folder and is taken again. */
async function clearAway(entry: Entry, known: TakenFile | undefined, { taken, inbox }: RoundDeps): Promise<void> {
  const where = await taken.whereIs(entry.id);
  await taken.putRest(entry, where ?? (known?.is === 'rejected' ? REJECTED : DONE));
  if (where === undefined && known?.is === 'taken') await inbox.forget(entry.id);
}

/** The record of a file that Redis has forgotten, as far as its id tells. */
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
  let whole: Entry = entry;
  try {
    // The process that took the file may have died before it took what lay beside it.
    await taken.takeBeside(entry.id, file);
    const bring = isOfDecisions(file.name) ? bringInDecisions : bringIn;
    whole = await taken.entry(entry.id);
    const ended = await bring({ ...whole, file: entry.file }, file, deps);
    if (ended.is !== 'rejected') return ended;
    await noteRejected(ended, audit);
    return { ...ended, words: withReadingWords(ended.words) };
  } catch (error) {
    if (signal.aborted || !(isOfTheFile(error) || isForGood(error))) throw error;
    const said = inNamesOf(file, whole, messageOf(error));
    const words = isOfDecisions(file.name) ? inFileWords(said) : withReadingWords(said);
    // The record is read again, because the import may have noted more in it, by which later changes of the file are noticed.
    const rejected: TakenFile = { ...((await deps.inbox.read(file.id)) ?? file), is: 'rejected', words };
    await noteRejected(rejected, audit);
    return rejected;
  }
}

/** Replaces paths in a message by the names in the drop folder: the paths no longer exist when somebody reads the message. */
function inNamesOf({ name, documents }: TakenFile, { file, dir, supplier }: Entry, words: string): string {
  const isZip = (one: string) => one.toLowerCase().endsWith('.zip');
  const places: [place: string | undefined, name: string | undefined][] = [
    [join(dir, 'documents.zip'), documents.find(isZip)],
    [join(dir, 'documents'), documents.find((one) => !isZip(one) && ofSupplier(one) === undefined)],
    [supplier, documents.find((one) => ofSupplier(one) !== undefined)],
    [file, name],
  ];
  return places.reduce(
    (text, [place, own]) => (place && own ? text.replaceAll(place, () => shownName(own)) : text),
    words,
  );
}

/** Writes the one audit entry of a rejected file, which nobody asked for and which changed nothing. */
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

/** Whether the file itself is at fault, so that a further try would fail, too; not a disk or Redis. */
function isOfTheFile(error: unknown): boolean {
  if (!isLimitlineError(error, 'FILE')) return false;
  for (let cause: unknown = error.cause; cause instanceof Error; cause = cause.cause) {
    if (SYSTEM.test(systemCode(cause))) return false;
  }
  return true;
}

/** Whether the portfolio stays archived or forgotten. A transition is waited for. */
function isForGood(error: unknown): boolean {
  const is = archivedOf(error);
  return is === 'archived' || is === 'forgetting' || is === 'forgotten';
}

/** Codes of the operating system, such as ENOSPC. Faults of archives and tables have other codes, or none. */
const SYSTEM = /^E[A-Z0-9]+$/;
