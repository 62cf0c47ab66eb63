import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isLimitlineError, messageOf } from '../../src/errors.ts';
import type { TakenFile } from '../../src/ledger/inbox/inbox.ts';
import { LEASE_MS } from '../../src/ledger/schema/lease.ts';
import { makeNamedMappings } from '../drafts/named-mappings.ts';
import { leaveResults } from '../export/leave-results.ts';
import { carryThrough, noteRejected } from './carry-through.ts';
import { openDropFolder } from './drop-folder.ts';
import { DONE, portfolioOf } from './dropped-names.ts';
import { putBackGrown } from './grown-files.ts';
import type { InboxSource, RoundDeps } from './inbox-deps.ts';
import { tellOfLeft } from './inbox-notices.ts';
import { type Dropped, lookInto } from './look.ts';
import { statOf } from './move-over.ts';
import { type Lying, type Ripe, ripeFiles } from './ripe-files.ts';
import { DOUBTFUL_MS, makeSettling, type Settling } from './settling.ts';
import { makeTakenFolder } from './taken-folder.ts';

/** The result of one pass over the drop folder. */
export type TakenIn = {
  /** Files that were taken and are finished. */
  files: TakenFile[];
  /** Files that are still there, or were taken and could not be imported yet. */
  lying: Lying[];
  /** Portfolios whose results were written. */
  results: string[];
  /** Another process handles this folder. */
  isElsewhere: boolean;
};

/** Options of one pass. */
export type OncePass = {
  signal: AbortSignal;
  settling?: Settling;
  /** Waits between two checks of the folder. */
  wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
};

/**
 * Takes the files of the drop folder once: those that no longer change at the second check, with their documents. Files that change for
 * longer are left for the next time. Without a drop folder in the settings it does nothing.
 *
 * @throws LimitlineError `FILE` when the folder cannot be used, `NOT_FOUND` when the mapping in the settings does not exist, `SETTINGS`
 *   when this host has another secret than the installation
 */
export async function takeInOnce(source: InboxSource, { signal, settling, wait = pause }: OncePass): Promise<TakenIn> {
  const all = nothingTaken();
  const seen = settling ?? makeSettling();
  for (let waitedMs = 0; ; ) {
    const round = await lookOnce(source, { signal, settling: seen });
    all.files.push(...round.files);
    all.results.push(...round.results);
    Object.assign(all, { lying: round.lying, isElsewhere: round.isElsewhere });
    // The process that holds the folder may have been killed. A file that may be incomplete is waited for once; if it still changes after
    // that, it is left for the next night.
    const elsewhereMs = round.isElsewhere && waitedMs < LEASE_MS ? LEASE_MS : Infinity;
    const againMs = Math.min(elsewhereMs, ...round.lying.map(({ leftMs = Infinity }) => leftMs));
    if (!Number.isFinite(againMs) || waitedMs + againMs > DOUBTFUL_MS + LITTLE_MS || signal.aborted) return all;
    await wait(againMs, signal);
    waitedMs += againMs;
  }
}

/** Timers and checks take time: a file that settles just at the limit is still waited for. */
const LITTLE_MS = 1_000;

const pause = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }).catch(() => {});

export const nothingTaken = (): TakenIn => ({ files: [], lying: [], results: [], isElsewhere: false });

/**
 * One check of the folder: takes the files that have not changed since the last one.
 *
 * @param look.onlyResults takes no file, and writes only the results of what has settled since
 * @throws as {@link takeInOnce}
 */
export async function lookOnce(
  source: InboxSource,
  { signal, settling, onlyResults = false }: { signal: AbortSignal; settling: Settling; onlyResults?: boolean },
): Promise<TakenIn> {
  const { LIMITLINE_INBOX: path, LIMITLINE_INBOX_MAPPING: mapping, LIMITLINE_DATA: dataDir } = source.settings;
  if (path === undefined) return nothingTaken();
  // This comes before any file is taken: no file is at fault, and a host with another secret could import none of them.
  await source.secret.key('audit');
  await source.marks.check();
  const drop = await openDropFolder(path, dataDir);
  if (mapping !== undefined) await makeNamedMappings({ dataDir }).need(mapping);
  return takeInRound({ ...source, drop, taken: makeTakenFolder(drop, source.account), settling, signal }, onlyResults);
}

/** The same for an open folder. One process of the account at a time does it. */
export async function takeInRound(deps: RoundDeps, onlyResults = false): Promise<TakenIn> {
  const { drop, inbox, processId, signal } = deps;
  const all = await inbox.alone(drop.id, processId, async (lost) => {
    const held = { ...deps, signal: AbortSignal.any([signal, lost]) };
    const taken = onlyResults ? nothingTaken() : await takeAll(held);
    return { ...taken, results: await leaveOpenResults(held) };
  });
  return all ?? { ...nothingTaken(), isElsewhere: true };
}

async function takeAll(deps: RoundDeps): Promise<TakenIn> {
  const { drop, taken, settling, signal, settings } = deps;
  const all = nothingTaken();
  const carry = async (id: string): Promise<void> => {
    try {
      const file = await carryThrough(id, deps);
      if (file) all.files.push(sayTaken(file, deps));
    } catch (error) {
      if (signal.aborted) throw error;
      all.lying.push(await sayStuck(id, error, deps));
    }
  };
  await putBackGrown(deps);
  // Files that another process left half done go first: they were dropped before all others.
  for (const { id } of await taken.entries()) await carry(id);
  const { ripe, lying } = await ripeFiles(await lookInto(drop.dir), {
    dir: drop.dir,
    settling,
    maxUploadMb: settings.CONSOLE_UPLOAD_MB,
  });
  for (const one of ripe) {
    signal.throwIfAborted();
    const id = await take(one, deps);
    if (id !== undefined) await carry(id);
  }
  for (const { name, why, leftMs, writtenMs } of lying) {
    if (leftMs === undefined) await tellOfLeft({ folder: drop.id, name, why, atMs: writtenMs }, deps);
  }
  all.lying.push(...lying);
  return all;
}

/** Moves a file out of everybody's reach and records that. Returns its id; undefined when the file vanished meanwhile. */
async function take({ dropped, fault }: Ripe, deps: RoundDeps): Promise<string | undefined> {
  const { taken, inbox, drop, audit } = deps;
  const id = await taken.begin(dropped.name, Date.now());
  const file: TakenFile = {
    id,
    folder: drop.id,
    name: dropped.name,
    documents: dropped.documents,
    portfolio: portfolioOf(dropped.name) ?? '',
    atMs: Date.now(),
    ...(fault === undefined ? { is: 'taken', words: '' } : { is: 'rejected', words: fault }),
  };
  await inbox.note(file);
  if (!(await isTaken(id, dropped, deps))) return undefined;
  if (fault !== undefined) await noteRejected(file, audit);
  await taken.takeDocuments(id, dropped.documents);
  return id;
}

async function isTaken(id: string, dropped: Dropped, { taken, inbox }: RoundDeps): Promise<boolean> {
  if (await taken.takeFile(id, dropped)) return true;
  // The file was taken back, or a process of another account was faster.
  await taken.drop(id);
  await inbox.forget(id);
  return false;
}

function sayTaken(file: TakenFile, { log }: Pick<RoundDeps, 'log'>): TakenFile {
  const { id, portfolio, is, found } = file;
  const isWell = is === 'imported' || is === 'again';
  log[isWell ? 'info' : 'warn']({ file: id, portfolio, is, ...found }, SAID[is]);
  return file;
}

const SAID: Readonly<Record<TakenFile['is'], string>> = {
  taken: 'a file of the drop folder was taken',
  imported: 'a file of the drop folder was imported',
  again: 'a file of the drop folder was imported before, so nothing was done',
  rejected: 'a file of the drop folder was rejected; why stands beside it',
};

/** Reports why a file cannot be finished now: once, and again only for another reason. */
async function sayStuck(id: string, error: unknown, deps: RoundDeps): Promise<Lying> {
  const { inbox, log, drop } = deps;
  const why = messageOf(error);
  if (!isLimitlineError(error))
    log.error({ err: error, file: id }, 'a file of the drop folder could not be brought in');
  const file = await inbox.read(id).catch(() => undefined);
  if (file?.is === 'taken' && file.words !== why) {
    log.warn({ file: id, reason: why }, 'a file of the drop folder could not be brought in yet; it is tried again');
    await inbox.note({ ...file, words: why });
    const left = { folder: drop.id, name: file.name, why: 'it could not be brought in yet', atMs: file.atMs };
    await tellOfLeft(left, deps);
  }
  return { name: file?.name ?? id, why, leftMs: undefined, writtenMs: file?.atMs ?? Date.now() };
}

/**
 * Writes the results of settled portfolios beside the files that were imported into them, with an errors file of what needs correction.
 * This happens once; `report` shows what changes later.
 *
 * @returns the portfolios
 */
async function leaveOpenResults(deps: RoundDeps): Promise<string[]> {
  const { inbox, portfolios, drop, signal } = deps;
  const left: string[] = [];
  for (const file of await inbox.open()) {
    signal.throwIfAborted();
    if (file.folder !== drop.id) continue;
    const { finishedMs, states, importing } = await portfolios.read(file.portfolio);
    if (finishedMs === undefined || importing) continue;
    const isMending = states.refused > 0 || (file.found?.invalid ?? 0) > 0;
    await leaveOne(file, isMending, deps);
    left.push(file.portfolio);
  }
  return left;
}

async function leaveOne(file: TakenFile, isMending: boolean, deps: RoundDeps): Promise<void> {
  const { account, rows, portfolios, imports, leftFiles, signal, inbox, drop, log } = deps;
  const { id, portfolio } = file;
  const [csv, xlsx] = ['.csv', '.xlsx'].map((ending) => join(drop.dir, DONE, id + ending)) as [string, string];
  // People who may read the file may read its results.
  const path = (await statOf(xlsx)) ? xlsx : csv;
  const exportDeps = { account, rows, portfolios, imports, signal, leftFiles };
  const { results, fault } = await leaveResults({ portfolio, path }, isMending, exportDeps);
  // A disk that is full now may have room at the next check.
  if (fault !== null) return log.warn({ portfolio, reason: fault }, 'results could not be left in the drop folder yet');
  await inbox.note({ ...file, results: results === null ? '' : results.slice(join(drop.dir, DONE).length + 1) });
}
