import { LimitlineError } from '../../src/errors.ts';
import { nameInLine } from '../../src/ledger/archive/archive-pages.ts';
import { makeArchiveSteps } from '../../src/ledger/archive/archive-steps.ts';
import { makeDecisions } from '../../src/ledger/rows/decisions.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import { type ArchiveState, archivedFault, makeArchives } from '../../src/ledger/schema/archives.ts';
import type { Keys } from '../../src/ledger/schema/keys.ts';
import { readAtOnce, redisNowMs } from '../../src/ledger/schema/redis-reads.ts';
import { GRANTED_STATES } from '../../src/ledger/schema/row.ts';
import { pagesOf } from '../../src/ledger/search/row-pages.ts';
import type { RedisConnection } from '../../src/lua-script.ts';
import { megabytes, readMemory } from '../../src/redis-memory/memory.ts';
import { readFound } from '../rows/walk-rows.ts';
import type { ArchiveDeps, LongWorkOptions, WorkProgress } from './archive-deps.ts';
import { makeReportStep, overtakenFault, withArchives } from './archive-deps.ts';
import {
  ARCHIVE_FILES,
  type ArchiveFile,
  archiveFolder,
  batchesOf,
  checkArchiveFile,
  REST,
  REST_BYTES,
  ROWS,
  readArchiveFile,
  someAtATime,
} from './archive-files.ts';
import { type ArchiveManifest, type FileFacts, MANIFEST, readManifest } from './manifest.ts';

export const RESTORE_STEPS = [
  /** Reads all files to their end. Nothing is written before they are known to be unchanged. */
  'checking',
  'begun',
  'rows',
  'rest',
  'ending',
  /** The portfolio is like any other. Its files stay until it is archived again. */
  'ended',
] as const;
export type RestoreStep = (typeof RESTORE_STEPS)[number];

export type RestoreProgress = WorkProgress<RestoreStep>;
type RestoringOptions = LongWorkOptions<RestoreStep>;

type RestoreDeps = Pick<ArchiveDeps, 'account' | 'ledger' | 'keys' | 'processId' | 'settings' | 'rows'>;

/** The result of restoring. `resumed`: another process had begun it. */
export type Restored = {
  portfolio: string;
  id: string;
  folder: string;
  rows: number;
  states: Readonly<Record<string, number>>;
  resumed: boolean;
};

/**
 * Restores an archived portfolio into Redis, byte for byte, and updates its rows by decisions that were taken meanwhile. All its files are
 * read and checked first: if one is missing, cut off, changed or of another archive, nothing is done.
 *
 * After a crash, the next call continues: writing rows again has the same effect.
 *
 * @throws LimitlineError `NOT_FOUND`; `USAGE` where it is not archived, or is in another transition; `FILE` where its files are
 *   changed; `STOPPED` by the signal
 */
export async function restorePortfolio(deps: RestoreDeps, name: string, options: RestoringOptions): Promise<Restored> {
  return withArchives(deps, (run) => restore(deps, { name, run }, options));
}

async function restore(
  deps: RestoreDeps,
  { name, run }: { name: string; run: string },
  options: RestoringOptions,
): Promise<Restored> {
  const { account, ledger, keys, settings } = deps;
  const state = await archivedState(deps, name);
  const { id, sha256 } = state;
  const folder = archiveFolder({ dataDir: settings.LIMITLINE_DATA, account, portfolio: name, id });
  const manifest = await readManifest(folder, { account, name, id, sha256 });
  const isBegun = state.is === 'restoring';
  const before = makeReportStep(options, manifest.rows, stoppedWords(name, isBegun));
  await checkAll(folder, manifest, (rows) => before('checking', rows));
  const restoring = makeArchiveSteps({ connection: ledger, keys });
  // A restore that was interrupted is not refused for lack of memory: a part of the rows is in Redis already.
  if (!isBegun) await mustHaveRoom(ledger, manifest);
  await before('begun');
  if (!(await restoring.beginRestore(name, state, run))) throw overtakenFault(name);
  const reportStep = makeReportStep(options, manifest.rows, stoppedWords(name, true));
  const mustBeOurs = (isDone: boolean) => {
    if (!isDone) throw overtakenFault(name);
  };
  await reportStep('rows');
  await someAtATime(batchesOf(readArchiveFile(folder, factsOf(manifest, ROWS))), async (lines) => {
    mustBeOurs(await restoring.putRows(name, run, lines));
    await reportStep('rows', lines.length);
  });
  await reportStep('rest');
  const hash: Buffer[] = [];
  await someAtATime(batchesOf(readArchiveFile(folder, factsOf(manifest, REST)), REST_BYTES), async (lines) => {
    hash.push(...lines.filter((line) => nameInLine(line) === PORTFOLIO_LINE));
    const others = lines.filter((line) => nameInLine(line) !== PORTFOLIO_LINE);
    if (others.length > 0) mustBeOurs(await restoring.putKeys(name, run, others));
    await reportStep('rest');
  });
  await reportStep('ending');
  // The time of restoring is noted before the end. Otherwise, the next night could archive it again or retry its rows by a rule.
  const nowMs = await redisNowMs(ledger);
  await ledger.sadd(keys.toFollow, name);
  await ledger.zadd(keys.restored, nowMs, name);
  const ended = await restoring.endRestore(name, { run, startedMs: state.startedMs, rows: manifest.rows, lines: hash });
  if (ended === 'rows')
    throw new LimitlineError('FILE', `The archive in ${folder} has another number of rows than its manifest counts.`);
  mustBeOurs(ended);
  await followLeft(deps);
  await options.onProgress?.({ step: 'ended', rows: manifest.rows, total: manifest.rows });
  return { portfolio: name, id, folder, rows: manifest.rows, states: manifest.states, resumed: isBegun };
}

/** The name that lines of an archive's file give to the portfolio's own hash (archive-lines.lua). */
const PORTFOLIO_LINE = 'portfolio';

async function archivedState(deps: RestoreDeps, name: string): Promise<ArchiveState> {
  const { ledger, keys, account } = deps;
  const found = await makeArchives({ connection: ledger, keys }).read(name);
  if (found) {
    const { name: _name, ...state } = found;
    if (state.is === 'archived' || state.is === 'restoring') return state;
    throw archivedFault(found);
  }
  if ((await ledger.exists(keys.portfolio(name))) === 0) {
    throw new LimitlineError('NOT_FOUND', `There is no portfolio "${name}" in account ${account}.`);
  }
  await followLeft(deps);
  throw new LimitlineError('USAGE', `${name} is not archived: all of it is in Redis.`);
}

/** Checks all files by reading them to their ends, before anything is written. */
async function checkAll(
  folder: string,
  manifest: ArchiveManifest,
  reportStep: (rows: number) => Promise<void>,
): Promise<void> {
  for (const name of ARCHIVE_FILES) factsOf(manifest, name);
  await reportStep(0);
  for (const facts of manifest.files) {
    await checkArchiveFile(folder, facts, () => reportStep(0));
    await reportStep(facts.name === ROWS ? facts.lines : 0);
  }
}

function factsOf({ files, portfolio }: ArchiveManifest, name: ArchiveFile): FileFacts {
  const found = files.find((each) => each.name === name);
  if (found) return found;
  const words = `The ${MANIFEST} of the archive of ${portfolio} names no ${name}: put it back from a copy.`;
  throw new LimitlineError('FILE', words);
}

function stoppedWords(name: string, isPartlyBack: boolean): string {
  return isPartlyBack
    ? `Restoring ${name} was stopped when some of its rows were back in Redis. Run npx limitline restore "${name}" again to go on.`
    : `Restoring ${name} was stopped before anything was put back: the portfolio is archived as before.`;
}

/** How many bytes of Redis memory are reserved for each byte of an archive's lines. Measured: 2.6, for rows with all indexes. */
const OF_EACH_BYTE = 3;

/**
 * Refuses to begin if the rows do not fit into Redis' memory limit. With its memory full, Redis takes no claim of any
 * portfolio, and a half restored portfolio could not even be archived again.
 *
 * @throws LimitlineError `USAGE`
 */
async function mustHaveRoom(ledger: RedisConnection, { portfolio, files }: ArchiveManifest): Promise<void> {
  const memory = await readMemory(ledger);
  if (!memory) return;
  const { usedBytes, mostBytes } = memory;
  const lines = files.filter(({ name }) => name === ROWS || name === REST);
  const neededBytes = lines.reduce((sum, { plainBytes }) => sum + plainBytes, 0) * OF_EACH_BYTE;
  if (usedBytes + neededBytes <= mostBytes) return;
  const words = `Redis lacks room for the rows of ${portfolio}: they need some ${megabytes(neededBytes)} MB, and ${megabytes(mostBytes - usedBytes)} MB of its maxmemory are left. Nothing was put back: give Redis more memory, or archive other portfolios first.`;
  throw new LimitlineError('USAGE', words);
}

type FollowDeps = { ledger: RedisConnection; keys: Keys; rows: Rows };

/**
 * Brings rows up to date with decisions about their limits that came while their portfolio was archived or being archived. Needed where a
 * process was killed while it restored a portfolio, or where archiving was given up. May be repeated.
 */
export async function followLeft(deps: FollowDeps): Promise<void> {
  const { ledger, keys } = deps;
  for (const name of await ledger.smembers(keys.toFollow)) {
    // A portfolio in transition is left to the process at work on it. In an archived or forgotten one, rows are updated when it is
    // restored.
    const found = await makeArchives({ connection: ledger, keys }).read(name);
    if (found?.is === 'archiving' || found?.is === 'restoring') continue;
    if (!found) await letFollow(name, deps);
    await ledger.srem(keys.toFollow, name);
  }
}

/** The person and the file that a row's history names for a decision, if the portfolio that brought the decision was forgotten. */
const FORGOTTEN = { by: 'somebody', file: 'what is forgotten' };

/** Gives rows the decisions about their limits that came while they were archived. Each call's record says who brought its decision. */
async function letFollow(name: string, { ledger, keys, rows }: FollowDeps): Promise<void> {
  const decisions = makeDecisions({ connection: ledger, keys });
  for (const state of GRANTED_STATES) {
    for await (const page of pagesOf(rows, name, state)) {
      const records = page.map(({ key }) => ['HGET', keys.call('limit', key), 'record'] as const);
      const { answers } = await readAtOnce(ledger, records);
      const decided = page.filter((_row, at) => String(answers[at]).includes('"decided_at"'));
      const found = await readFound(decided, rows);
      await Promise.all(found.map(({ row, result }) => decisions.follow(row, result.limitId, FORGOTTEN)));
    }
  }
}
