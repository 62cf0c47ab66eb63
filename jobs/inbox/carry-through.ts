import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dropActor } from '../../src/actor.ts';
import { counted } from '../../src/counted.ts';
import { changed } from '../../src/documents/store.ts';
import { isLimitlineError, messageOf } from '../../src/errors.ts';
import { sha256Of, systemCode } from '../../src/files/disk.ts';
import type { TakenFile } from '../../src/ledger/inbox/inbox.ts';
import { decisionsFacts } from '../../src/ledger/plans/decisions-taken.ts';
import { archivedOf } from '../../src/ledger/schema/archives.ts';
import { makeProblem } from '../../src/portfolio/problem.ts';
import { readDecisionsFile } from '../../src/portfolio/results/decisions-file.ts';
import { makeNamedMappings } from '../drafts/kept-mappings.ts';
import { shownName } from '../drafts/upload-names.ts';
import { takeDecisions } from '../operators/take-decisions.ts';
import { columnWords, decisionsWords, makeKeptColumns, NO_LINES } from '../operators/upload-decisions.ts';
import { bringIn, inboxFrom, userNameOf } from './bring-in.ts';
import { changeOf, statOf } from './drop-folder.ts';
import { DONE, isOfDecisions, ofSupplier, portfolioOf, REJECTED, TIME } from './dropped-names.ts';
import { INBOX_ACTOR, type RoundDeps } from './inbox-deps.ts';
import { tellOf } from './inbox-notices.ts';
import { inFileWords, withReadingWords } from './inbox-reading.ts';
import { type Entry, makeProblemsFile } from './taken-folder.ts';

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

/**
 * Takes in the decisions of a file that was taken, for all portfolios of the account, and writes a list of what was not taken. Decisions that
 * do not say when they were made count as made when the file was taken, so that the file may be taken in again after a kill.
 *
 * @returns the result, not recorded yet; `rejected` where nothing could be taken
 * @throws LimitlineError `FILE` where the file cannot be read; the signal's reason
 */
async function bringInDecisions(entry: Entry & { file: string }, file: TakenFile, deps: RoundDeps): Promise<TakenFile> {
  const { settings, inbox, audit, signal } = deps;
  const before = await statOf(entry.file);
  if (!before?.isFile()) return { ...file, is: 'rejected', words: `${file.name} is not a file: drop the file itself.` };
  const sha256 = await sha256Of(entry.file);
  const by = dropActor(await userNameOf(before.uid));
  const seen = { sha256, bytes: before.size, version: changeOf(before) };
  const begun: TakenFile = { ...file, seen, content: `decisions ${file.id}`, by: [by] };
  await inbox.note(begun);
  const { LIMITLINE_INBOX_MAPPING: mapping, LIMITLINE_DATA: dataDir } = settings;
  const reading = mapping === undefined ? {} : (await makeNamedMappings({ dataDir }).need(mapping)).reading;
  const now = new Date(file.atMs);
  const { decimal, dates, hiddenRows } = reading;
  const decisions = await readDecisionsFile(entry.file, {
    decimal,
    dates,
    hiddenRows,
    now,
    account: deps.account,
    keptOf: makeKeptColumns({ dataDir }).find,
  });
  // A program that still has the file open may have changed it while it was read. Then nothing of it is taken, and it is read again.
  if ((await sha256Of(entry.file)) !== sha256) throw changed({ path: file.name });
  if (decisions.decisions.length + decisions.silent + decisions.problems.length === 0)
    return { ...begun, is: 'rejected', words: `${file.name}: ${NO_LINES}` };
  await deps.enterAccount();
  const taken = await audit.around(
    { by, what: 'decisions taken in', from: inboxFrom(), facts: { file: file.name, sha256 } },
    () =>
      takeDecisions({ ...decisions, name: file.name }, deps, {
        by,
        now,
        signal,
        again: file.content !== undefined,
        isUnattended: true,
      }),
    decisionsFacts,
  );
  const { problems, warnings, silent } = taken;
  const list = await makeProblemsFile(join(entry.dir, 'problems.csv'), before.mode);
  list.like(decisions.dialect);
  const lines = [
    ...problems.map(({ at, message }) => makeProblem(at, null, null, `Not taken: ${message}`)),
    ...warnings.map(({ at, message }) => makeProblem(at, null, null, `Warning: ${message}`)),
  ];
  list.add(lines.sort((one, other) => one.line - other.line));
  await list.end();
  const used = taken.taken + taken.known;
  return {
    ...begun,
    is: used === 0 && problems.length > 0 ? 'rejected' : 'imported',
    words: [
      ...columnWords(decisions),
      ...decisionsWords(taken),
      ...(warnings.length > 0 ? [`${counted(warnings.length, 'warning')}: see the list of problems.`] : []),
    ].join(' '),
    results: '',
    found: {
      lines: used + silent + problems.length,
      rows: taken.rows,
      // Lines with a warning are taken, but they count here, too: a person has to look at them.
      invalid: new Set([...problems, ...warnings].map(({ at }) => at)).size,
      duplicate: 0,
    },
  };
}
