import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, rm, stat, utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { makeFolder } from '../../src/data-folder.ts';
import { isLimitlineError } from '../../src/errors.ts';
import { accountFolder } from '../../src/files/account-folder.ts';
import { writeDraft } from '../../src/files/draft.ts';
import { archivedOf } from '../../src/ledger/schema/archives.ts';
import type { RedisConnection } from '../../src/lua-script.ts';
import { type ExportDeps, exportResults } from './export-results.ts';

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
