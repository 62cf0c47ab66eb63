import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { CALL_KINDS } from '../../src/call-kind.ts';
import { accountOf } from '../../src/config.ts';
import type { PortfolioState } from '../../src/ledger/portfolios/portfolio.ts';
import { makePortfolios } from '../../src/ledger/portfolios/portfolios.ts';
import { makeRows, type Rows } from '../../src/ledger/rows/rows.ts';
import { type Keys, makeKeys } from '../../src/ledger/schema/keys.ts';
import { is, ROW_STATES } from '../../src/ledger/schema/row.ts';
import { makeRetryUntilAnswered } from '../../src/ledger/schema/until-answered.ts';
import { makeSilentLog } from '../../src/log.ts';
import { runContender, serviceSettings } from './contenders.ts';
import { generatePortfolio } from './generate-portfolio.ts';
import { makeTemporaryFolder, type RunningService, startRedis, startService } from './start-servers.ts';
import { startFleet, untilFinished } from './worker-fleet.ts';

/** The figures of one run of the portfolio, with faults or without. */
export type FaultFigures = {
  /** The time from the start of the workers until the portfolio was finished. */
  seconds: number;
  kills: number;
  answersLost: number;
  madeTwice: number;
  /** The number of rows that are in no state at all, or still in progress. */
  unaccounted: number;
  held: number;
  /** The most calls in flight, of all processes together. An outage always holds that many rows. */
  inFlight: number;
  /** The reasons why rows are held, such as the answer that came, each with its number of rows. */
  heldWhy: Record<string, number>;
  done: number;
  /** The seconds from a kill until a row moved again, for each row for which the killed process had a call in flight. */
  recoveryS: number[];
};

export type FaultResults = {
  rows: number;
  redisVersion: string;
  calm: FaultFigures;
  faulty: FaultFigures;
  outage: FaultFigures;
};

/** The trouble of a run: none; workers killed and answers lost; or each answer replaced by a 502 for a while. */
type Trouble = 'none' | 'faults' | 'outage';

/**
 * The conditions of the runs: four processes, a service that takes 20 ms, a kill each second, one answer in fifty lost, and an outage of 20
 * s.
 */
export const WORKERS = 4;
export const LATENCY_MS = 20;
export const KILL_EVERY_MS = 1_000;
export const LOST_SHARE = 0.02;
export const OUTAGE_MS = 20_000;
/** The share of rows that have ended when the outage begins. By then, the pace is learned, and as many calls as possible are in flight. */
const OUTAGE_AFTER_SHARE = 0.3;
const LOOK_EVERY_MS = 20;

/**
 * Works on the same file three times, each time with an empty Redis: undisturbed, with workers killed and answers lost,
 * and with an outage in which something before the service answers 502 to everything, also to calls for tokens.
 *
 * @throws LimitlineError when a portfolio does not come to its end
 */
export async function measureFaults(options: {
  rows: number;
  signal: AbortSignal;
  say: (text: string) => void;
}): Promise<FaultResults> {
  await using folder = await makeTemporaryFolder();
  await using service = await startService();
  const file = join(folder.path, `${PORTFOLIO}.csv`);
  await generatePortfolio({ path: file, rows: options.rows });
  const place = { ...options, file, folder: folder.path, service };
  options.say(`${options.rows} rows without faults`);
  const { figures: calm, redisVersion } = await measure(place, 'none');
  options.say(`${options.rows} rows with faults`);
  const { figures: faulty } = await measure(place, 'faults');
  options.say(`${options.rows} rows with an outage`);
  const { figures: outage } = await measure(place, 'outage');
  return { rows: options.rows, redisVersion, calm, faulty, outage };
}

/**
 * Follows the rows whose calls this process had claimed when it was killed, until each is in another state. Returns the
 * seconds of each, counted from `killedAt` (`performance.now()`). A row that meets a second kill meanwhile is counted
 * from the first.
 */
async function recoveryOf(
  processId: string,
  killedAt: number,
  { connection, keys, signal }: { connection: Redis; keys: Keys; signal: AbortSignal },
): Promise<number[]> {
  const stateOf = (row: string): Promise<string | null> => {
    const slash = row.indexOf('/');
    return connection.hget(keys.row(row.slice(0, slash), row.slice(slash + 1)), 'state');
  };
  const waiting = new Map<string, string | null>();
  for (const row of await rowsOf(processId, connection, keys)) waiting.set(row, await stateOf(row));
  const seconds: number[] = [];
  while (waiting.size > 0 && !signal.aborted) {
    for (const [row, before] of waiting) {
      if ((await stateOf(row)) === before) continue;
      waiting.delete(row);
      seconds.push((performance.now() - killedAt) / 1_000);
    }
    await sleep(RECOVERY_LOOK_MS);
  }
  return seconds;
}

const PORTFOLIO = 'faults';

/** Time limit of a run: none should take more than some tens of seconds; one that takes longer is stuck. */
const TIME_LIMIT_MS = 300_000;

type Place = { rows: number; file: string; folder: string; service: RunningService; signal: AbortSignal };

async function measure(place: Place, trouble: Trouble): Promise<{ figures: FaultFigures; redisVersion: string }> {
  const { rows, folder, service } = place;
  await using redis = await startRedis();
  const env = { ...serviceSettings(service.url), LIMITLINE_DATA: redis.dataDir };
  await prepare(place, env, trouble);

  const keys = makeKeys('limitline', accountOf({ SERVICE_URL: service.url, SERVICE_ACCOUNT: undefined }));
  const connection = new Redis({ path: redis.socketPath, maxRetriesPerRequest: null });
  connection.on('error', () => {});
  await using closing = new AsyncDisposableStack();
  closing.defer(() => connection.disconnect());
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, place.signal, AbortSignal.timeout(TIME_LIMIT_MS)]);
  const startedAt = performance.now();
  const fleet = closing.use(startFleet(WORKERS, { cwd: folder, env, onFault: (error) => over.abort(error) }));
  const watch = (name: string, killedAt: number) => recoveryOf(name, killedAt, { connection, keys, signal });
  const killing = trouble === 'faults' ? killOften(fleet, watch, over.signal) : Promise.resolve([]);
  const portfolios = makePortfolios({ connection, keys });
  const look = () => portfolios.read(PORTFOLIO);
  const isFarEnough = async () => endedRows(await look()) >= rows * OUTAGE_AFTER_SHARE;
  const passing = trouble === 'outage' ? passOutage(service, isFarEnough, signal) : Promise.resolve();
  passing.catch((error: unknown) => over.abort(error));
  const state = await untilFinished(look, signal);
  const seconds = (performance.now() - startedAt) / 1_000;
  over.abort();
  const recoveries = await killing;

  const { requests, madeTwice, maxInFlight } = await service.report();
  const retryUntilAnswered = makeRetryUntilAnswered({ log: makeSilentLog(), signal });
  const rowsOfAll = makeRows({ connection, keys, retryUntilAnswered, canaryRefusals: 0 });
  const { version } = await redis.figures();
  return {
    redisVersion: version,
    figures: {
      seconds,
      kills: recoveries.length,
      answersLost: (requests.company.reset ?? 0) + (requests.limit.reset ?? 0),
      madeTwice: madeTwice.length,
      unaccounted: rows - endedRows(state),
      held: state.states.held,
      inFlight: maxInFlight,
      heldWhy: await reasons(rowsOfAll, state.states.held),
      done: state.states.done,
      recoveryS: recoveries.flat(),
    },
  };
}

/** Sets the service's faults for a run and imports the file, before the clock starts: only the work itself is timed. */
async function prepare({ service, file, folder, signal }: Place, env: Record<string, string>, trouble: Trouble) {
  await service.reset();
  const lost = (on: 'company' | 'limit') => ({ on, fault: 'reset' as const, made: true, chance: LOST_SHARE });
  await service.setFaults({
    latencyMs: LATENCY_MS,
    rules: trouble === 'faults' ? [lost('company'), lost('limit')] : [],
  });
  const script = new URL('../../scripts/limitline.ts', import.meta.url).pathname;
  const args = ['import', file, '--portfolio', PORTFOLIO, '--json'];
  await runContender({ script, args, env }, { cwd: folder, signal });
}

/** Makes the service answer 502 to everything for a while in the middle of the work, as if something answered in its place. */
async function passOutage(
  service: RunningService,
  isFarEnough: () => Promise<boolean>,
  signal: AbortSignal,
): Promise<void> {
  while (!(await isFarEnough())) await sleep(LOOK_EVERY_MS, undefined, { signal });
  await service.setFaults({ rules: [{ on: 'any', fault: 'status', status: 502 }] });
  await sleep(OUTAGE_MS, undefined, { signal });
  await service.setFaults({ rules: [] });
}

/** The rows that are held, by step and reason; without times and bodies, which differ. */
async function reasons(rows: Rows, count: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const held = await rows.inState(PORTFOLIO, 'held', { count });
  for (const result of await rows.read(held.map(({ row }) => row))) {
    const message = result?.problem?.message ?? '';
    const reason = /: (?:sent \S+, then )?(status \d{3}|[^:(]+)/.exec(message)?.[1] ?? message;
    const why = `${result?.step}: ${reason.trim()}`;
    counts[why] = (counts[why] ?? 0) + 1;
  }
  return counts;
}

/**
 * Kills a worker each second until `over`; returns for each kill how long the rows of that worker took to move again.
 */
async function killOften(
  fleet: ReturnType<typeof startFleet>,
  watch: (name: string, killedAt: number) => Promise<number[]>,
  over: AbortSignal,
): Promise<number[][]> {
  const recoveries: Promise<number[]>[] = [];
  while (!over.aborted) {
    await sleep(KILL_EVERY_MS, undefined, { signal: over }).catch(() => {});
    if (over.aborted) break;
    const killedAt = performance.now();
    const name = await fleet.killOne();
    if (name !== undefined) recoveries.push(watch(name, killedAt));
  }
  return Promise.all(recoveries);
}

function endedRows({ states }: PortfolioState): number {
  const ends = ROW_STATES.filter((state) => !is('isOpen', state));
  return ends.reduce((sum, state) => sum + states[state], 0);
}

/** How often a killed worker's rows are looked at, in ms: precise enough for recovery times of seconds, and cheap for Redis. */
const RECOVERY_LOOK_MS = 50;

/** Calls read at a time. */
const PAGE = 1_000;

/** Names of the rows, `portfolio/key`, for which the process was sending something. */
async function rowsOf(processId: string, connection: Redis, keys: Keys): Promise<Set<string>> {
  const rows = new Set<string>();
  for (const kind of CALL_KINDS) {
    let cursor = '0';
    do {
      const [next, found] = await connection.scan(cursor, 'MATCH', keys.call(kind, '*'), 'COUNT', PAGE);
      cursor = next;
      const pipeline = connection.pipeline();
      for (const key of found) pipeline.hmget(key, 'state', 'owner', 'row');
      for (const [, fields] of (await pipeline.exec()) ?? []) {
        const [state, owner, row] = fields as [string, string?, string?];
        if (state === 'claimed' && row && owner?.startsWith(`${processId}/`)) rows.add(row);
      }
    } while (cursor !== '0');
  }
  return rows;
}
