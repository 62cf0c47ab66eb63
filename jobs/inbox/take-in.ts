import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isLimitlineError, messageOf } from '../../src/errors.ts';
import type { TakenFile } from '../../src/ledger/inbox/inbox.ts';
import { hasFaults } from '../../src/ledger/portfolios/summary.ts';
import { LEASE_MS } from '../../src/ledger/schema/lease.ts';
import { makeNamedMappings } from '../drafts/kept-mappings.ts';
import { leaveResults } from '../export/leave-results.ts';
import { carryThrough, noteRejected } from './carry-through.ts';
import { openDropFolder, statOf } from './drop-folder.ts';
import { DONE, portfolioOf } from './dropped-names.ts';
import type { InboxSource, RoundDeps } from './inbox-deps.ts';
import { tellOfLeft } from './inbox-notices.ts';
import { DOUBTFUL_MS, type Dropped, lookInto, makeSettling, type SettlingFiles, stampOf } from './look.ts';
import { type Lying, putBackGrown, type SettledFile, settledFiles } from './settled-files.ts';
import { makeTakenFolder } from './taken-folder.ts';

/** The result of a pass over the drop folder. */
export type TakenIn = {
  /** Files that this pass finished. */
  files: TakenFile[];
  /** Files that are still in the drop folder, or that were taken and cannot be imported yet. */
  lying: Lying[];
  /** The names of portfolios whose results this pass wrote. */
  results: string[];
  /** Whether another process is taking in this folder. */
  isElsewhere: boolean;
};

type OncePass = {
  signal: AbortSignal;
  settling?: SettlingFiles;
  /** Waits between two passes. */
  wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
};

/**
 * Imports the files of the drop folder once: those that have settled by the second pass, with their documents. Other files are
 * left for the next time. Does nothing without a drop folder in the settings.
 *
 * @throws LimitlineError `FILE` where the folder cannot be used, `NOT_FOUND` where the configured mapping does not exist,
 *   `SETTINGS` where this host has another installation's secret
 */
export async function takeInOnce(source: InboxSource, { signal, settling, wait = pause }: OncePass): Promise<TakenIn> {
  const all = nothingTaken();
  const seen = settling ?? makeSettling();
  for (let waitedMs = 0; ; ) {
    const round = await lookOnce(source, { signal, settling: seen });
    all.files.push(...round.files);
    all.results.push(...round.results);
    Object.assign(all, { lying: round.lying, isElsewhere: round.isElsewhere });
    // If another process has the folder, its lease is waited for, because it may have died. A file that may be incomplete is waited for
    // once.
    const elsewhereMs = round.isElsewhere && waitedMs < LEASE_MS ? LEASE_MS : Infinity;
    const againMs = Math.min(elsewhereMs, ...round.lying.map(({ leftMs = Infinity }) => leftMs));
    if (!Number.isFinite(againMs) || waitedMs + againMs > DOUBTFUL_MS + LITTLE_MS || signal.aborted) return all;
    await wait(againMs, signal);
    waitedMs += againMs;
  }
}

/**
 * The tolerance in ms when the waiting time ends. Timers and passes are late, so a file that settles just after the end is still waited
 * for.
 */
const LITTLE_MS = 1_000;

const pause = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }).catch(() => {});

const nothingTaken = (): TakenIn => ({ files: [], lying: [], results: [], isElsewhere: false });

/**
 * One pass, which takes files that have settled.
 *
 * @param options.onlyResults takes no file, and only writes results of finished portfolios
 * @throws as {@link takeInOnce}
 */
export async function lookOnce(
  source: InboxSource,
  { signal, settling, onlyResults = false }: { signal: AbortSignal; settling: SettlingFiles; onlyResults?: boolean },
): Promise<TakenIn> {
  const { LIMITLINE_INBOX: path, LIMITLINE_INBOX_MAPPING: mapping, LIMITLINE_DATA: dataDir } = source.settings;
  if (path === undefined) return nothingTaken();
  // Faults that concern no single file are found before a file is taken. A host with another installation's secret could not import the
  // files.
  await source.secret.key('audit');
  await source.marks.check();
  const drop = await openDropFolder(path, dataDir);
  if (mapping !== undefined) await makeNamedMappings({ dataDir }).need(mapping);
  return takeInRound({ ...source, drop, taken: makeTakenFolder(drop, source.account), settling, signal }, onlyResults);
}

/** One pass over an open folder. One process of the account does it at a time. */
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
  // Unfinished files of earlier passes go first, because they were dropped earlier.
  for (const { id } of await taken.entries()) await carry(id);
  const { settled, lying } = await settledFiles(await lookInto(drop.dir), {
    dir: drop.dir,
    settling,
    maxUploadMb: settings.CONSOLE_UPLOAD_MB,
  });
  for (const one of settled) {
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

/**
 * Moves a dropped file into `.taken`, where only we can reach it, and records it. Answers its id; nothing where the file vanished
 * meanwhile.
 */
async function take({ dropped, fault }: SettledFile, deps: RoundDeps): Promise<string | undefined> {
  const { taken, inbox, drop, audit, portfolios } = deps;
  const id = await taken.begin(dropped.name, Date.now());
  const portfolio = portfolioOf(dropped.name) ?? '';
  const file: TakenFile = {
    id,
    folder: drop.id,
    name: dropped.name,
    documents: [...dropped.documents, ...dropped.suppliers.map(({ raw }) => raw.toString())],
    suppliers: Object.fromEntries(dropped.suppliers.map((one) => [one.raw.toString(), stampOf(one)])),
    portfolio,
    givenUpMs: portfolio === '' ? undefined : ((await portfolios.read(portfolio)).givenUp?.atMs ?? 0),
    atMs: Date.now(),
    ...(fault === undefined ? { is: 'taken', words: '' } : { is: 'rejected', words: fault }),
  };
  await inbox.note(file);
  if (!(await isTaken(id, dropped, deps))) return undefined;
  if (fault !== undefined) await noteRejected(file, audit);
  await taken.takeBeside(id, file);
  return id;
}

async function isTaken(id: string, dropped: Dropped, { taken, inbox }: RoundDeps): Promise<boolean> {
  if (await taken.takeFile(id, dropped)) return true;
  // The file was removed, or another account's process took it.
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
  rejected: 'a file of the drop folder was rejected; a file beside it says why',
};

/** Reports why a file cannot be finished now: once, and again only for another reason. */
async function sayStuck(id: string, error: unknown, deps: RoundDeps): Promise<Lying> {
  const { inbox, log, drop } = deps;
  const why = messageOf(error);
  if (!isLimitlineError(error)) log.error({ err: error, file: id }, 'a file of the drop folder could not be imported');
  const file = await inbox.read(id).catch(() => undefined);
  if (file?.is === 'taken' && file.words !== why) {
    log.warn({ file: id, reason: why }, 'a file of the drop folder could not be imported yet; it is tried again');
    await inbox.note({ ...file, words: why });
    const left = { folder: drop.id, name: file.name, why: 'it could not be imported yet', atMs: file.atMs };
    await tellOfLeft(left, deps);
  }
  return { name: file?.name ?? id, why, leftMs: undefined, writtenMs: file?.atMs ?? Date.now() };
}

/**
 * Writes results of finished portfolios beside their imported files, and an errors file if lines need correction. Once per
 * file; `report` has later results.
 *
 * @returns the portfolios
 */
async function leaveOpenResults(deps: RoundDeps): Promise<string[]> {
  const { inbox, portfolios, drop, signal } = deps;
  const left: string[] = [];
  for (const file of await inbox.open()) {
    signal.throwIfAborted();
    if (file.folder !== drop.id) continue;
    const state = await portfolios.read(file.portfolio);
    if (state.finishedMs === undefined || state.importing) continue;
    await leaveOne(file, hasFaults(state), deps);
    left.push(file.portfolio);
  }
  return left;
}

async function leaveOne(file: TakenFile, isMending: boolean, deps: RoundDeps): Promise<void> {
  const { account, rows, portfolios, statusMeanings, imports, leftFiles, signal, inbox, drop, log } = deps;
  const { id, portfolio } = file;
  const [csv, xlsx] = ['.csv', '.xlsx'].map((ending) => join(drop.dir, DONE, id + ending)) as [string, string];
  // Results get the permissions of the file.
  const path = (await statOf(xlsx)) ? xlsx : csv;
  const exportDeps = { account, rows, portfolios, statusMeanings, imports, signal, leftFiles };
  const { results, errors, fault } = await leaveResults({ portfolio, path }, isMending, exportDeps);
  // A full disk may have room in the next pass.
  if (fault !== null) return log.warn({ portfolio, reason: fault }, 'results could not be left in the drop folder yet');
  const nameOf = (path: string) => path.slice(join(drop.dir, DONE).length + 1);
  const left = { results: results === null ? '' : nameOf(results), ...(errors && { errors: nameOf(errors) }) };
  await inbox.note({ ...file, ...left });
}
