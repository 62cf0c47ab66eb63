import { join } from 'node:path';
import { Redis } from 'ioredis';
import { accountOf } from '../../src/config.ts';
import { LimitlineError } from '../../src/errors.ts';
import { makePortfolios } from '../../src/ledger/portfolios/portfolios.ts';
import { makeKeys } from '../../src/ledger/schema/keys.ts';
import type { FaultChange } from '../../src/stand-in/fault-settings.ts';
import { checkStatement, limitlineScript, PEERS, runContender, serviceSettings } from './contenders.ts';
import { generatePortfolio } from './generate-portfolio.ts';
import type { RunningLimiter } from './limiters/limiter.ts';
import type { LimiterCase } from './limiters/limiter-cases.ts';
import { judgeWords, listenToWords, type WordFigures } from './measure-words.ts';
import type { RunningService, ServiceReport } from './start-servers.ts';
import { makeTemporaryFolder, startRedis, startService } from './start-servers.ts';
import { startFleet, untilFinished } from './worker-fleet.ts';

export type Headers = NonNullable<NonNullable<FaultChange['rateLimit']>['headers']>;

/** The contender that works on a portfolio: a number of worker processes of Limitline, or a peer by its name. */
export type PaceContender = number | string;

/**
 * A case of the bench: the limit of the service in calls a second, the family of headers by which the service tells it, the contender, and
 * the number of rows. If there is a `limiter` in front of the service, the limiter has the limit and tells it.
 */
export type PaceCase = {
  perS: number;
  headers: Headers;
  contender: PaceContender;
  rows: number;
  limiter?: LimiterCase;
};

/**
 * The figures of a portfolio. `timesIdeal`: how many times the ideal time it took, which is calls / limit. `refused`: the share of calls
 * that were refused for the limit. `words`: how right Limitline's estimates of the time left were.
 */
export type PaceFigures = { timesIdeal: number; refused: number; words?: WordFigures };

/**
 * The limit, in calls a second, above which a case has two portfolios. Then the first ends before its pace is learned, and the second runs
 * at the learned pace.
 */
const TWICE_ABOVE_PER_S = 100;

/** The stand-in allows a burst of the limit of one second divided by this number. */
const BURST_SHARE = 5;

/** The calls that each row needs: one makes its company, one requests its limit. */
export const CALLS_PER_ROW = 2;

/** The time limit of a case. The slowest case takes some 100 s; what takes much longer is stuck. */
const TIME_LIMIT_MS = 900_000;

/**
 * Runs a portfolio against a new stand-in with a hidden limit. Where the limit is high, Limitline then runs a second one, at the pace that
 * it learned from the first. The ideal time is not reduced by the burst.
 *
 * @param hear called each second with the estimate of the time left
 * @throws LimitlineError when a portfolio does not come to its end
 */
export async function measurePace(
  paceCase: PaceCase,
  signal: AbortSignal,
  hear?: (words: string) => void,
): Promise<PaceFigures[]> {
  const { contender, limiter } = paceCase;
  await using folder = await makeTemporaryFolder();
  await using service = await startService();
  await using limit = await (limiter ? limiter.start(service.url) : limitService(service, paceCase));
  const place = { paceCase, folder: folder.path, service, limit, signal, hear };
  return typeof contender === 'number' ? await measureOurs(contender, place) : [await measurePeer(contender, place)];
}

type Place = {
  paceCase: PaceCase;
  folder: string;
  service: RunningService;
  limit: RunningLimiter;
  signal: AbortSignal;
  hear: ((words: string) => void) | undefined;
};

/** Gives the stand-in's own limiter the interface of a limiter in front of it. */
async function limitService(service: RunningService, { perS, headers }: PaceCase): Promise<RunningLimiter> {
  await service.setFaults({ rateLimit: { perS, burst: Math.max(1, Math.floor(perS / BURST_SHARE)), headers } });
  return {
    url: service.url,
    refused: async () => refusals(await service.report()),
    [Symbol.asyncDispose]: async () => {},
  };
}

async function measureOurs(processes: number, place: Place): Promise<PaceFigures[]> {
  const { paceCase, folder, limit } = place;
  await using redis = await startRedis();
  await using closing = new AsyncDisposableStack();
  const env = { ...serviceSettings(limit.url), ...paceCase.limiter?.env, LIMITLINE_DATA: redis.dataDir };
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, place.signal, AbortSignal.timeout(TIME_LIMIT_MS)]);
  const fleet = closing.use(startFleet(processes, { cwd: folder, env, onFault: (error) => over.abort(error) }));
  await fleet.allWorking(signal);
  const connection = new Redis({ path: redis.socketPath, maxRetriesPerRequest: null });
  connection.on('error', () => {});
  closing.defer(() => connection.disconnect());
  const keys = makeKeys('limitline', accountOf({ SERVICE_URL: limit.url, SERVICE_ACCOUNT: undefined }));
  const { read } = makePortfolios({ connection, keys });

  const figures: PaceFigures[] = [];
  const names = paceCase.perS > TWICE_ABOVE_PER_S ? ['first', 'next'] : ['first'];
  for (const [index, name] of names.entries()) {
    const before = await limit.refused();
    const file = await writeFile(place, name, index);
    const args = ['import', file, '--portfolio', name, '--json'];
    const listening = listenToWords(name, { connection, keys, read, signal, hear: place.hear });
    await runContender({ script: limitlineScript(), args, env }, { cwd: folder, signal });
    const { startedMs = 0, finishedMs = 0 } = await untilFinished(() => read(name), signal);
    const said = await listening;
    const words = judgeWords(said, { startedMs, finishedMs });
    figures.push({ ...figuresOf(paceCase, finishedMs - startedMs, (await limit.refused()) - before), words });
  }
  return figures;
}

async function measurePeer(name: string, place: Place): Promise<PaceFigures> {
  const { paceCase, folder, limit, signal } = place;
  const peer = PEERS.find((one) => one.name === name);
  if (!peer) throw new LimitlineError('USAGE', `There is no peer ${name}.`);
  await using redis = await startRedis();
  const file = await writeFile(place, 'first', 0);
  const ran = await runContender(peer.command({ file, serviceUrl: limit.url, redis }), { cwd: folder, signal });
  const statement = peer.statement(ran.answer);
  const lived = { fromMs: ran.startedMs, toMs: ran.startedMs + ran.wallMs, rows: paceCase.rows };
  checkStatement(name, statement, lived);
  return figuresOf(paceCase, statement.finishedMs - statement.startedMs, await limit.refused());
}

/** Writes a portfolio's file. Each has other buyers, since a request that was made is not made again. */
async function writeFile({ folder, paceCase: { rows } }: Place, name: string, index: number): Promise<string> {
  const path = join(folder, `${name}.csv`);
  await generatePortfolio({ path, rows, from: index * rows });
  return path;
}

function figuresOf({ rows, perS }: PaceCase, tookMs: number, refused: number): PaceFigures {
  const calls = CALLS_PER_ROW * rows;
  return { timesIdeal: tookMs / 1_000 / (calls / perS), refused: refused / calls };
}

function refusals({ requests }: ServiceReport): number {
  return Object.values(requests).reduce((sum, answers) => sum + (answers['429'] ?? 0), 0);
}
