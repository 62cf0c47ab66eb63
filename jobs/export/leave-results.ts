import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { readdir, rm, stat, utimes } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { makeFolder } from '../../src/data-folder.ts';
import { isLimitlineError, messageOf } from '../../src/errors.ts';
import { accountFolder } from '../../src/files/account-folder.ts';
import { type FileDraft, writeDraft } from '../../src/files/disk.ts';
import type { LeftFiles, Names, Whose } from '../../src/files/left-files.ts';
import type { KnownImport } from '../../src/ledger/portfolios/imports.ts';
import { archivedOf } from '../../src/ledger/schema/archives.ts';
import type { RedisConnection } from '../../src/lua-script.ts';
import { vocabularyOf } from '../../src/portfolio/columns/header-doubts.ts';
import { openTable } from '../../src/table/open-table.ts';
import { type ExportDeps, type ExportPayload, exportResults } from './export-results.ts';

/** Where a run writes its results. `path`: the file that was run; null for standard input. */
type ResultsPlace = {
  portfolio: string;
  path: string | null;
  /** A folder instead of the file's own. */
  dir?: string | undefined;
};

/** The paths of results files, and what could not be written. */
export type LeftResults = {
  results: string | null;
  errors: string | null;
  /** Outdated errors files that were removed. */
  removed: string[];
  /** Errors files that stay, because they have lines of earlier files, which no later one corrected. */
  uncorrected: string[];
  /** Errors files that stay, because somebody has edited them, or they are no files of this portfolio. */
  kept: string[];
  /** The wanted names that other files had already, so that the written file got another name. */
  taken: string[];
  /** Files that an earlier run had to name differently, removed now that the wanted name is free. */
  outdated: string[];
  fault: string | null;
};

type LeaveDeps = ExportDeps & {
  leftFiles: LeftFiles;
  /** The path of results that are written already, if any. */
  finishedResults?: (portfolio: string) => Promise<string | undefined>;
  /** Whether lines of an earlier import are still to be corrected. Its errors file stays then; without this, it does not. */
  hasUnrequested?: (of: { portfolio: string; number: number }) => Promise<boolean>;
};

/**
 * Writes a portfolio's results beside its file, and an errors file if lines need correction. Removes an outdated errors file.
 * Replaces and removes only files that a run wrote and nobody has edited since.
 *
 * @param mending whether any line may need correction; otherwise the portfolio is not searched for such lines
 * @returns the result also on failure, as `fault`: the run's status does not depend on these files
 */
export async function leaveResults(place: ResultsPlace, mending: boolean, deps: LeaveDeps): Promise<LeftResults> {
  const left: LeftResults = {
    results: null,
    errors: null,
    removed: [],
    uncorrected: [],
    kept: [],
    taken: [],
    outdated: [],
    fault: null,
  };
  const { portfolio, path } = place;
  const whose: Whose = { account: deps.account, portfolio };
  const dir = resolve(place.dir ?? (path === null ? '.' : dirname(path)));
  try {
    const stem = await stemFor(place, deps.leftFiles);
    const [last, ...earlier] = await importsOf(portfolio, deps);
    const write = async (kind: LeftKind): Promise<string | null> => {
      const names = namesFor(kind, dir, stem);
      const draft = await draftOf(kind, { dir, name: basename(names(1)), mode: await modeOf(path) }, portfolio, deps);
      try {
        // It may turn out that no line needs correction: then no errors file is left.
        if (kind === 'errors' && !(await hasRecords(draft))) return null;
        const { path: found, outdated } = await deps.leftFiles.leave(draft, names, whose, last?.number);
        if (found !== names(1)) left.taken.push(names(1));
        left.outdated.push(...outdated);
        return found;
      } finally {
        await draft.drop();
      }
    };
    left.results = await write('results');
    const errors = namesFor('errors', dir, stem);
    const { hasUnrequested } = deps;
    if (hasUnrequested) {
      const named = earlier.filter(({ fileName }) => (stemOfErrors(fileName) ?? stemOf(fileName)) === stem);
      left.uncorrected = await deps.leftFiles.letGo(errors, whose, async (of) => {
        for (const number of of === undefined ? named.map((known) => known.number) : [of])
          if (number !== last?.number && (await hasUnrequested({ portfolio, number }))) return true;
        return false;
      });
    }
    left.errors = mending ? await write('errors') : null;
    if (left.errors === null) Object.assign(left, await deps.leftFiles.withdraw(errors, whose));
  } catch (error) {
    if (deps.signal.aborted) throw error;
    left.fault = messageOf(error);
  }
  return left;
}

/** The beginning of the names of results files. The results of a corrected errors file of this portfolio replace those of the first file. */
async function stemFor({ portfolio, path }: ResultsPlace, leftFiles: LeftFiles): Promise<string> {
  if (path === null) return portfolio;
  const earlier = stemOfErrors(path);
  if (earlier === undefined) return stemOf(path);
  return (await leftFiles.whose(resolve(path)))?.portfolio === portfolio ? earlier : stemOf(path);
}

/** The imports of a portfolio, the last one first. */
async function importsOf(portfolio: string, { portfolios }: Pick<LeaveDeps, 'portfolios'>): Promise<KnownImport[]> {
  return (await portfolios.allImports(portfolio)).sort((one, other) => other.lastMs - one.lastMs);
}

/** The permissions of results files: at most those of the file that was run. Results of standard input are for their owner only. */
async function modeOf(path: string | null): Promise<number> {
  const found = path === null ? undefined : await stat(path).catch(() => undefined);
  return (found ? found.mode & 0o666 : 0) | 0o600;
}

function draftOf(
  kind: LeftKind,
  where: { dir: string; name: string; mode: number },
  portfolio: string,
  deps: LeaveDeps,
): Promise<FileDraft> {
  const only = kind === 'errors' ? 'errors' : 'all';
  // The results have the file's delimiter, so that a double click opens them in the same way.
  const payload: ExportPayload = { portfolio, only, likeInput: 'cells' };
  const write = async (to: Writable) => {
    // A kept file is as old as the portfolio's end, and links may have come since.
    const hasLinks = await deps.calls?.sessions.isUsed();
    const known = only === 'all' && !hasLinks ? await deps.finishedResults?.(portfolio) : undefined;
    return known === undefined ? exportResults(payload, to, deps) : pipeline(createReadStream(known), to);
  };
  return writeDraft({ ...where, write });
}

async function hasRecords({ path }: FileDraft): Promise<boolean> {
  const table = await openTable({ path, vocabulary: vocabularyOf() });
  try {
    do if (table.next()) return true;
    while (await table.more());
    return false;
  } finally {
    await table.close();
  }
}

/** The kinds of files that a run leaves: `results` with all lines, `errors` with those that need correction. */
type LeftKind = 'results' | 'errors';

/**
 * `buyers.csv` leads to `buyers.results.csv`, or to `buyers.results-2.csv` if that name is taken. Other endings stay in the
 * name, so that files of one folder never share results: `buyers.xlsx.results.csv`.
 *
 * @param stem see {@link stemOf}
 */
function namesFor(kind: LeftKind, dir: string, stem: string): Names {
  return (number) => join(dir, `${stem}.${kind}${number === 1 ? '' : `-${number}`}.csv`);
}

/** The base name of a file's results: its name without `.csv`. */
const stemOf = (path: string): string => basename(path).replace(/\.csv$/i, '');

/** The original base name of an errors file: its results are named after the file that it comes from. */
const stemOfErrors = (path: string): string | undefined => /^(.+)\.errors(?:-\d+)?\.csv$/.exec(basename(path))?.[1];

type PlaceDeps = {
  account: string;
  keys: { account: string };
  redis: { where: string };
  settings: { LIMITLINE_DATA: string; REDIS_URL?: unknown };
};

type KeepDeps = ExportDeps & PlaceDeps & { ledger: RedisConnection; marks: { check: () => Promise<unknown> } };

/**
 * The most bytes of a portfolio's name in a results file's name. File names have 255 bytes at most, and that of a draft of the results has
 * 50 bytes more.
 */
const NAME_BYTES = 190;

/** The path of a portfolio's kept results: `results/<account>/<portfolio>.results.csv` in the data folder. */
export function keptResultsPath(portfolio: string, { account, keys, redis, settings }: PlaceDeps): string {
  // The results of each Redis have a folder of their own. Another Redis may have another portfolio of that name, or the folder may be all
  // that is left of a lost ledger.
  const of = settings.REDIS_URL === undefined ? keys.account : `${keys.account} ${redis.where}`;
  const dir = accountFolder({ dataDir: settings.LIMITLINE_DATA, kind: 'results', account, of });
  const isLong = Buffer.byteLength(portfolio) > NAME_BYTES;
  return join(dir, `${isLong ? createHash('sha256').update(portfolio).digest('hex') : portfolio}.results.csv`);
}

/**
 * Writes a portfolio's results into the data folder, readable by the owner only, completely or not at all. From this file,
 * `recover` restores a lost ledger. The file's date is the time by Redis' clock at which writing began.
 *
 * @param isKept whether a file begun at `atMs` is new enough at `nowMs`: another process may have written it
 * @returns whether this call wrote it; false also for an archived portfolio, whose archive has the results
 * @throws LimitlineError `FILE`; `OLDER` where Redis is older than what was sent
 */
export async function keepResults(
  portfolio: string,
  isKept: (atMs: number, nowMs: number) => boolean,
  deps: KeepDeps,
): Promise<boolean> {
  const path = keptResultsPath(portfolio, deps);
  const { nowMs, keptMs } = await readKept(path, deps);
  if (keptMs && isKept(keptMs, nowMs)) return false;
  const [dir, name] = [dirname(path), basename(path)];
  makeFolder(dir, 0o700);
  const write = (to: Writable) => exportResults({ portfolio, only: 'all', likeInput: 'cells' }, to, deps);
  const draft = await writeDraft({ dir, name, mode: 0o600, write }).catch((error) => {
    if (archivedOf(error) === undefined && !isLimitlineError(error, 'NOT_FOUND')) throw error;
  });
  if (!draft) return false;
  try {
    await deps.marks.check();
    await utimes(draft.path, nowMs / 1_000, nowMs / 1_000);
    // A file that was begun later has newer rows, even if it was finished first.
    if (((await readKept(path, deps)).keptMs ?? 0) > nowMs) return false;
    return await draft.putInPlace(path, true);
  } finally {
    await draft.drop();
  }
}

export async function keptResults(deps: PlaceDeps): Promise<string[]> {
  const dir = dirname(keptResultsPath('', deps));
  const names = existsSync(dir) ? await readdir(dir) : [];
  // Names of drafts begin with a dot.
  return names.filter((name) => /^[^.].*\.results\.csv$/s.test(name)).map((name) => join(dir, name));
}

/** The path of a finished portfolio's kept results, if they are as new as its end. A run can copy this file. */
export async function finishedResults(
  portfolio: string,
  deps: PlaceDeps & Pick<KeepDeps, 'portfolios' | 'ledger'>,
): Promise<string | undefined> {
  const path = keptResultsPath(portfolio, deps);
  const { finishedMs = Number.POSITIVE_INFINITY } = await deps.portfolios.read(portfolio);
  return ((await readKept(path, deps)).keptMs ?? 0) >= finishedMs ? path : undefined;
}

/** Redis' clock, and when writing the kept file began. Nothing if that is in the future, because the clock was set back. */
async function readKept(path: string, { ledger }: Pick<KeepDeps, 'ledger'>) {
  const there = await stat(path).catch(() => undefined);
  const [seconds = 0, micros = 0] = (await ledger.time()).map(Number);
  const nowMs = seconds * 1_000 + micros / 1_000;
  return { nowMs, keptMs: there && there.mtimeMs <= nowMs ? there.mtimeMs : undefined };
}

/**
 * Removes a portfolio's kept results. Unfinished drafts of the file are removed first: a process may rename a draft to the final name
 * meanwhile.
 */
export async function forgetKept(portfolio: string, deps: PlaceDeps): Promise<void> {
  const path = keptResultsPath(portfolio, deps);
  const [dir, name] = [dirname(path), basename(path)];
  for (const found of existsSync(dir) ? await readdir(dir) : []) {
    if (found.startsWith(`.${name}.`)) await rm(join(dir, found), { force: true });
  }
  await rm(path, { force: true });
}
