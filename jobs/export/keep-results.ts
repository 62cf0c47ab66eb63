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

/** File systems allow names of 255 bytes. A draft's name is 50 bytes longer than this. */
const NAME_BYTES = 190;

/** Where the results of a portfolio are kept: `results/<account>/<portfolio>.results.csv` of the data folder. */
export function keptResultsPath(portfolio: string, { account, keys, redis, settings }: PlaceDeps): string {
  // In another Redis the same name is another portfolio, even if it replaces a lost one.
  const of = settings.REDIS_URL === undefined ? keys.account : `${keys.account} ${redis.where}`;
  const dir = accountFolder({ dataDir: settings.LIMITLINE_DATA, kind: 'results', account, of });
  const isLong = Buffer.byteLength(portfolio) > NAME_BYTES;
  return join(dir, `${isLong ? createHash('sha256').update(portfolio).digest('hex') : portfolio}.results.csv`);
}

/**
 * Writes the results of a portfolio into the data folder, readable by its owner only, completely or not at all. `recover` restores a lost
 * ledger from them. The file's date is the time at Redis when the writing began.
 *
 * @param isKept whether a file that was begun at `atMs` is recent enough at `nowMs`: another process may have written it
 * @returns whether results were written: not when a recent file exists, nor when the archive of the portfolio has them
 * @throws LimitlineError `FILE`; `OLDER` when Redis knows less than the existing file
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
    // A process that began later has read more, even if it finished first.
    if (((await readKept(path, deps)).keptMs ?? 0) > nowMs) return false;
    return await draft.putInPlace(path, true);
  } finally {
    await draft.drop();
  }
}

/** The paths of all kept results of the account. */
export async function keptResults(deps: PlaceDeps): Promise<string[]> {
  const dir = dirname(keptResultsPath('', deps));
  const names = existsSync(dir) ? await readdir(dir) : [];
  // The name of a draft begins with a dot.
  return names.filter((name) => /^[^.].*\.results\.csv$/s.test(name)).map((name) => join(dir, name));
}

/** The path of a finished portfolio's kept results, if they show how it finished last. Then nobody needs to write them again. */
export async function finishedResults(
  portfolio: string,
  deps: PlaceDeps & Pick<KeepDeps, 'portfolios' | 'ledger'>,
): Promise<string | undefined> {
  const path = keptResultsPath(portfolio, deps);
  const { finishedMs = Number.POSITIVE_INFINITY } = await deps.portfolios.read(portfolio);
  return ((await readKept(path, deps)).keptMs ?? 0) >= finishedMs ? path : undefined;
}

/** The time at Redis, and when the kept file was begun. `keptMs` is undefined while that is in the future: the clock was set back. */
async function readKept(path: string, { ledger }: Pick<KeepDeps, 'ledger'>) {
  const there = await stat(path).catch(() => undefined);
  const [seconds = 0, micros = 0] = (await ledger.time()).map(Number);
  const nowMs = seconds * 1_000 + micros / 1_000;
  return { nowMs, keptMs: there && there.mtimeMs <= nowMs ? there.mtimeMs : undefined };
}

/** Removes drafts of killed processes first, then the kept results: a draft may be renamed to them meanwhile. */
export async function forgetKept(portfolio: string, deps: PlaceDeps): Promise<void> {
  const path = keptResultsPath(portfolio, deps);
  const [dir, name] = [dirname(path), basename(path)];
  for (const found of existsSync(dir) ? await readdir(dir) : []) {
    if (found.startsWith(`.${name}.`)) await rm(join(dir, found), { force: true });
  }
  await rm(path, { force: true });
}
