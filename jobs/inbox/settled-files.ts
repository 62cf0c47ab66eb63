import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { sha256Of } from '../../src/files/disk.ts';
import type { TakenFile } from '../../src/ledger/inbox/inbox.ts';
import { changeOf, moveNew, moveOver, statOf } from './drop-folder.ts';
import { DONE, documentsNameOf, isOfFormat, ofSupplier, portfolioOf, REJECTED } from './dropped-names.ts';
import type { RoundDeps } from './inbox-deps.ts';
import { tellOfLeft } from './inbox-notices.ts';
import type { Dropped, FolderLook, SettlingFiles } from './look.ts';
import { DOUBTFUL_MS, documentsVersion, glanceAt, pathOf, SETTLE_MS } from './look.ts';

/** A file in the drop folder that is not taken yet. */
export type Lying = {
  name: string;
  why: string;
  /** The time in ms in which the file will have settled if nothing changes; undefined where it waits for a person. */
  leftMs: number | undefined;
  /** When it was last written, in ms. */
  writtenMs: number;
};

/** A file that has settled and is to be taken, with its documents; `fault` where it is to be rejected whatever its content. */
export type SettledFile = { dropped: Dropped; fault: string | undefined };

/**
 * Decides which files have settled, each with its documents and its supplier's file, and why the others wait.
 *
 * @param dir the drop folder
 */
export async function settledFiles(
  { buyers, strays, unfinished }: FolderLook,
  { dir, settling, maxUploadMb }: { dir: string; settling: SettlingFiles; maxUploadMb: number },
): Promise<{ settled: SettledFile[]; lying: Lying[] }> {
  settling.begin();
  // A file that is renamed when complete settles under its unfinished name, and does not wait again.
  for (const [inode, version] of unfinished) settling.left(inode, version, 0);
  const still: Dropped[] = [];
  const lying: Lying[] = [];
  const lies = ({ name, writtenMs }: Dropped, why: Pick<Lying, 'why' | 'leftMs'>) =>
    lying.push({ name, writtenMs, ...why });
  for (const one of buyers) {
    const waits = await waitOf(one, dir, settling);
    if (waits === 'gone') continue;
    if (waits) lies(one, waits);
    else still.push(one);
  }
  for (const one of strays) {
    const waits = await waitOf(one, dir, settling);
    const leftMs = settling.left(`alone ${one.inode}`, one.version, DOUBTFUL_MS) || undefined;
    if (waits !== 'gone') lies(one, waits ?? { why: aloneWords(one.name), leftMs });
  }
  const written = await openForWriting(
    new Set(still.flatMap((one) => [one, ...one.suppliers]).map(({ inode }) => inode)),
  );
  const isWritten = (one: Dropped) => [one, ...one.suppliers].some(({ inode }) => written.has(inode));
  const closed = still.filter((one) => !isWritten(one));
  for (const one of still) if (isWritten(one)) lies(one, { why: HINDRANCES.written, leftMs: undefined });
  const settled = closed.map((dropped) => ({ dropped, fault: faultOfDropped(dropped, closed, { maxUploadMb }) }));
  return { settled, lying };
}

async function waitOf(
  one: Dropped,
  dir: string,
  settling: SettlingFiles,
): Promise<Pick<Lying, 'why' | 'leftMs'> | 'gone' | undefined> {
  const theirs = await Promise.all(
    one.suppliers.map(async (supplier) => {
      const waits = await waitOf(supplier, dir, settling);
      return waits === 'gone' || waits === undefined ? [] : [{ ...waits, why: `of ${supplier.name}: ${waits.why}` }];
    }),
  );
  const { growing } = one;
  const stillMs = growing && settling.left(`growing ${growing.inode}`, growing.version, DOUBTFUL_MS);
  const glance = one.kind === 'file' ? await glanceAt(pathOf(dir, one.raw), one.name) : SOUND;
  if (!glance) return 'gone';
  const { hindrance, endsWhole } = glance;
  const settleMs = endsWhole && hindrance === undefined ? SETTLE_MS : DOUBTFUL_MS;
  const documents = one.documents.length === 0 ? '' : await documentsVersion(dir, one.documents);
  const leftMs = Math.max(
    settling.left(one.inode, one.version, settleMs),
    documents === '' ? 0 : settling.left(`documents of ${one.inode}`, documents, SETTLE_MS),
  );
  if (leftMs > 0) return { why: 'it was written to just now, and is taken when it changes no more', leftMs };
  if (hindrance) return { why: HINDRANCES[hindrance], leftMs: undefined };
  if (growing) return { why: growingWords(growing.name), leftMs: stillMs || undefined };
  return theirs.flat()[0];
}

/** The reason why a file of buyers waits: its supplier's file is incomplete. People are told after a minute without change. */
export const growingWords = (name: string): string =>
  `its supplier's file is not complete: the file waits until ${name} is renamed to its final name, or removed`;

const SOUND = { hindrance: undefined, endsWhole: true };

/** The reasons why a settled file is not taken yet. */
export const HINDRANCES = {
  empty: 'it is empty: it is taken when something was written into it',
  written: 'another program has it open to write to it: it is taken when that program has closed it',
  locked: 'this user may not read it, or another program has it open: it is taken when it can be read',
};

/** The reason why a supplier's file waits: it has no file of buyers. It may be dropped before that file, so people are told after a minute. */
export const aloneWords = (name: string): string =>
  `it names the supplier for ${ofSupplier(name)}.csv or ${ofSupplier(name)}.xlsx, which is not in the folder: it waits until that file is dropped, and is taken with it. If that file was taken before, drop that file again`;

/** How many taken files are watched, the latest. Each one costs a call of `stat`. */
const WATCHED = 500;

/**
 * Looks for changes in taken files in `done` and `rejected`. A file with new lines at its end returns to the drop folder and is
 * imported again: old lines lead to their rows, new ones are imported. Any other change is only reported, once, because it may
 * not be meant for import. So is a file whose portfolio has a newer file, which it would undo, or rows that were given up, and a file of
 * decisions: its lines without a time would count as made now, and undo later ones.
 */
export async function putBackGrown(deps: RoundDeps): Promise<void> {
  const { inbox, drop, signal } = deps;
  const later = new Set<string>();
  for (const file of await inbox.lately(WATCHED)) {
    signal.throwIfAborted();
    if (file.folder !== drop.id) continue;
    const isLatest = file.portfolio !== '' && !later.has(file.portfolio);
    later.add(file.portfolio);
    if (file.is !== 'taken' && file.seen) await compare(file, file.seen, isLatest, deps);
  }
}

const KINDS = {
  link: 'is a link, and links are not followed: drop the file itself',
  folder:
    'is a folder: drop the file itself, and its documents in a folder or a ZIP file of its name without the ending',
  other: 'is a pipe, a socket or a device: put an ordinary file there instead',
};

/**
 * Why a file must be rejected whatever its content, with what to do; nothing where it need not.
 *
 * @param all the settled files in the folder
 */
function faultOfDropped(
  one: Dropped,
  all: readonly Dropped[],
  { maxUploadMb }: { maxUploadMb: number },
): string | undefined {
  const { name, kind, isReadable, sizeBytes, documents, suppliers } = one;
  if (!isReadable)
    return `The file name ${name} is not written in UTF-8, so it cannot be read: rename the file, and drop it again.`;
  if (kind !== 'file') return `${name} ${KINDS[kind]}.`;
  if (!isOfFormat(name)) return `${name} is no CSV and no workbook in .xlsx: save it as one of these, and drop that.`;
  const portfolio = portfolioOf(name);
  if (portfolio === undefined) {
    return `A file is imported into the portfolio that has its name, but the name ${name} has no letter or digit: rename the file, and drop it again.`;
  }
  const isTwin = (other: Dropped) =>
    other !== one && other.kind === 'file' && isOfFormat(other.name) && portfolioOf(other.name) === portfolio;
  const twins = portfolio === '' ? [] : all.filter(isTwin);
  if (twins.length > 0) {
    const others = twins.map((other) => other.name).join(', ');
    return `${name} lay there together with ${others}, and both would go into portfolio ${portfolio}. Limitline cannot know which of them is meant: drop that one again, or both under different names.`;
  }
  if (documents.length > 1) {
    const own = documentsNameOf(name);
    return `Beside ${name} lay a folder ${own} and a ZIP file of that name. Limitline cannot know which of them has its documents: drop ${name} again with one of them.`;
  }
  const [supplier, second] = suppliers;
  if (second) return `Beside ${name} lay ${supplier?.name} as well as ${second.name}: drop it again with one of them.`;
  if (supplier && supplier.kind !== 'file') return `${supplier.name} ${KINDS[supplier.kind]}.`;
  if (supplier && supplier.sizeBytes > LARGEST_SUPPLIER_BYTES)
    return `${supplier.name} is larger than 1 MB: the file of a supplier has a header and one line.`;
  if (sizeBytes <= maxUploadMb * 1024 * 1024) return undefined;
  return `${name} has ${Math.ceil(sizeBytes / 1024 / 1024).toLocaleString('en')} MB, and files of at most ${maxUploadMb.toLocaleString('en')} MB are taken from the drop folder: raise CONSOLE_UPLOAD_MB, or import it with npx limitline import.`;
}

/** The most bytes of a supplier's file. It has one line in any format; as a workbook, some 10 kB. */
const LARGEST_SUPPLIER_BYTES = 1_024 * 1_024;

/** The access mode bits of an open file's flags; 0 is read-only (fcntl.h). */
const ACCESS_BITS = 3;

/**
 * Which of these files another process has open for writing. Only Linux tells (proc(5), fd and fdinfo), and only of processes
 * that this user may inspect.
 *
 * @param inodes the files, as `device:number`
 */
async function openForWriting(inodes: ReadonlySet<string>): Promise<Set<string>> {
  const open = new Set<string>();
  const others = (await namesIn('/proc')).filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  for (const id of inodes.size === 0 ? [] : others) {
    const looks = (await namesIn(`/proc/${id}/fd`)).map(async (fd) => {
      const found = await stat(`/proc/${id}/fd/${fd}`, { bigint: true }).catch(() => undefined);
      const inode = `${found?.dev}:${found?.ino}`;
      if (!inodes.has(inode)) return;
      const info = await readFile(`/proc/${id}/fdinfo/${fd}`, 'latin1').catch(() => '');
      if ((Number.parseInt(/^flags:\s*(\d+)/m.exec(info)?.[1] ?? '0', 8) & ACCESS_BITS) !== 0) open.add(inode);
    });
    await Promise.all(looks);
  }
  return open;
}

const namesIn = async (dir: string): Promise<string[]> => readdir(dir).catch(() => []);

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
  const why = begin !== seen.sha256 ? CHANGED : isLatest ? await whyGrown(file, seen, deps) : LATER;
  const left = { folder: drop.id, name: file.name, what: WHAT, why, atMs: found.mtimeMs };
  if (why !== GROWN) {
    await tellOfLeft(left, deps);
    const { words } = file;
    return inbox.note({ ...known, words: words.includes(why) ? words : `${words} By now ${why}.` });
  }
  const back = join(drop.dir, file.name);
  // If a new file has the name, that file is taken first. The new file is then the portfolio's latest, and the changed one stays in `done`
  // or `rejected`.
  if (await statOf(back)) return;
  await tellOfLeft(left, deps);
  // This record makes the results of the whole file due again.
  await inbox.note({ ...file, results: file.results ?? '' });
  // Documents are moved before the file, because a file without documents would be taken as it is.
  const brought: [from: string, to: string][] = [];
  const isItsSupplier = (name: string) =>
    ofSupplier(name)?.normalize('NFC') === documentsNameOf(file.name).normalize('NFC');
  // If a supplier's file for this name was dropped meanwhile, that one counts, and the supplier's file taken before stays.
  const hasSupplier = (await namesIn(drop.dir)).some(isItsSupplier);
  for (const ending of ['', '.zip', '.supplier.csv', '.supplier.xlsx']) {
    const [own, documents] = [join(where, file.id + ending), join(drop.dir, documentsNameOf(file.name) + ending)];
    if (!(await statOf(own)) || (await statOf(documents)) || (hasSupplier && ending.startsWith('.supplier'))) continue;
    await moveOver(own, documents);
    brought.push([documents, own]);
  }
  if (await moveNew(path, back)) return;
  // Another file got the name meanwhile, so the documents go back to `done` or `rejected`.
  for (const [documents, own] of brought) await moveOver(documents, own);
}

/** What becomes of a file that grew: it is imported again, unless that would undo what people did in its portfolio since. */
async function whyGrown(
  { portfolio, is, atMs }: TakenFile,
  { sha256 }: NonNullable<TakenFile['seen']>,
  { portfolios }: RoundDeps,
): Promise<string> {
  const last = (await portfolios.allImports(portfolio)).toSorted((one, other) => other.lastMs - one.lastMs)[0];
  // A rejected file may have left no import.
  if (last && last.id !== sha256 && (is !== 'rejected' || last.lastMs > atMs)) return IMPORTED;
  const { states, replaced } = await portfolios.read(portfolio);
  return states.cancelled > replaced ? GIVEN_UP : GROWN;
}

const WHAT = 'was changed after it had been taken';
const GROWN = 'it is imported again for the added lines';
const LATER = 'a newer file of its portfolio was taken since: drop the added lines again in a new file';
const IMPORTED = 'another file was imported into its portfolio since: drop the added lines again in a new file';
const GIVEN_UP =
  'rows of its portfolio were given up, and the whole file would bring them back: drop the added lines again in a new file';
const CHANGED = 'the lines that were taken have changed: drop the file again if the changes are meant to be imported';
