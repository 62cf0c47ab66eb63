import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { accountOf, STAND_IN_CREDENTIALS } from '../../../src/config.ts';
import { makePortfolios } from '../../../src/ledger/portfolios/portfolios.ts';
import { makeKeys } from '../../../src/ledger/schema/keys.ts';
import { is, ROW_STATES } from '../../../src/ledger/schema/row.ts';
import { runContender } from '../../bench/contenders.ts';
import { generatePortfolio } from '../../bench/generate-portfolio.ts';
import { makeTemporaryFolder, startService } from '../../bench/start-servers.ts';
import { startFleet, untilFinished } from '../../bench/worker-fleet.ts';
import { COMPILED, LIMITLINE } from '../command.ts';
import { startReplicatedRedis } from './replicated-redis.ts';

export type FailoverFigures = {
  /** The number of things that the service had made when the replicas were cut off, and when the primary was gone. */
  madeBefore: number;
  madeMeanwhile: number;
  madeTwice: number;
  held: number;
  done: number;
  /** The number of rows in no state, or still in progress. */
  unaccounted: number;
  /** The seconds from the kill until the portfolio was finished. */
  seconds: number;
};

/**
 * One failover under load. Two worker processes run; the replicas lose the primary, which works on for a while, hangs,
 * and is killed; the sentinel makes a replica the primary, and the killed server returns as a replica.
 *
 * @param wakes the primary is resumed later and not killed, which means two primaries until the sentinel tells it
 * @param cutOffMs how long the primary works on without replicas
 * @param settings further settings of the workers
 * @throws LimitlineError when the portfolio is not finished in time
 */
export async function tryFailover(given: {
  rows: number;
  cutOffMs: number;
  wakes?: boolean;
  settings?: Record<string, string>;
  signal: AbortSignal;
}): Promise<FailoverFigures> {
  const { rows, cutOffMs, wakes = false, settings = {}, signal: stop } = given;
  await using folder = await makeTemporaryFolder();
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, stop, AbortSignal.timeout(TIME_LIMIT_MS)]);
  await using redis = await startReplicatedRedis(signal);
  await using service = await startService(LIMITLINE);
  await service.setFaults({ latencyMs: LATENCY_MS });
  const env = {
    ...COMPILED,
    ...settings,
    REDIS_URL: redis.url,
    LIMITLINE_DATA: join(folder.path, 'data'),
    SERVICE_URL: service.url,
    SERVICE_CLIENT_ID: STAND_IN_CREDENTIALS.clientId,
    SERVICE_CLIENT_SECRET: STAND_IN_CREDENTIALS.clientSecret,
    LOG_LEVEL: 'info',
  };
  await importFile(rows, { cwd: folder.path, env, signal });
  const made = async () => Object.values((await service.report()).made).reduce((sum, count) => sum + count, 0);

  await using _fleet = startFleet(WORKERS, {
    cwd: folder.path,
    env,
    onFault: (error) => over.abort(error),
    script: LIMITLINE,
  });
  const share = FIRST_SHARE + Math.random() * (LAST_SHARE - FIRST_SHARE);
  while ((await made()) < rows * 2 * share) await sleep(LOOK_EVERY_MS, undefined, { signal });
  await redis.cutOff();
  const madeBefore = await made();
  await sleep(cutOffMs, undefined, { signal });
  await redis.pausePrimary();
  await sleep(Math.random() * LONGEST_PAUSE_MS, undefined, { signal });
  const killedAt = performance.now();
  if (wakes) await redis.wakePrimary();
  else await redis.killPrimary();
  const madeMeanwhile = (await made()) - madeBefore;
  if (!wakes) await redis.bringBack();

  const keys = makeKeys('limitline', accountOf({ SERVICE_URL: service.url, SERVICE_ACCOUNT: undefined }));
  const portfolios = makePortfolios({ connection: redis.connection, keys });
  const { states } = await untilFinished(() => portfolios.read(PORTFOLIO), signal);
  const ended = ROW_STATES.filter((state) => !is('isOpen', state));
  return {
    madeBefore,
    madeMeanwhile,
    madeTwice: (await service.report()).madeTwice.length,
    held: states.held,
    done: states.done,
    unaccounted: rows - ended.reduce((sum, state) => sum + states[state], 0),
    seconds: (performance.now() - killedAt) / 1_000,
  };
}

const PORTFOLIO = 'failover';
const WORKERS = 2;
const LATENCY_MS = 20;

/** The smallest and the largest share of the work that is done when the primary is lost. */
const FIRST_SHARE = 0.1;
const LAST_SHARE = 0.5;

/** The pause has a random length, so the sentinel notices it or not. */
const LONGEST_PAUSE_MS = 1_500;

/** A round takes half a minute; one that takes this long is stuck. */
const TIME_LIMIT_MS = 120_000;

/** Fine enough for a moment in the middle of some seconds of work. */
const LOOK_EVERY_MS = 20;

async function importFile(
  rows: number,
  { cwd, env, signal }: { cwd: string; env: Record<string, string>; signal: AbortSignal },
): Promise<void> {
  const file = join(cwd, `${PORTFOLIO}.csv`);
  await generatePortfolio({ path: file, rows });
  await runContender(
    { script: LIMITLINE, args: ['import', file, '--portfolio', PORTFOLIO, '--json'], env },
    { cwd, signal },
  );
}
