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
import {
  makeTemporaryFolder,
  type RunningService,
  type ServiceReport,
  startRedis,
  startService,
} from './start-servers.ts';
import { startFleet, untilFinished } from './worker-fleet.ts';

export type Headers = NonNullable<NonNullable<FaultChange['rateLimit']>['headers']>;

/** Who works on a portfolio: so many worker processes of Limitline, or a peer by its name. */
export type PaceContender = number | string;

/**
 * One setting of the bench: what the service allows, by which headers it says so, and who works on how many rows. A
 * limiter in front of the service allows and says so in its place.
 */
export type PaceCase = {
  perS: number;
  headers: Headers;
  contender: PaceContender;
  rows: number;
  limiter?: LimiterCase;
};

/**
 * A portfolio took `timesIdeal` times as long as the ideal, which is calls / limit; `refused` is the share of calls that
 * were refused for the limit. `words`: how right Limitline's forecasts were meanwhile.
 */
export type PaceFigures = { timesIdeal: number; refused: number; words?: WordFigures };

/** Above this limit the first portfolio is over before its pace is learned, so a second one shows what was learned. */
const TWICE_ABOVE_PER_S = 100;

/** The burst that the stand-in allows is this part of a second's worth. */
const BURST_SHARE = 5;

/** A row costs a company and a limit. */
export const CALLS_PER_ROW = 2;

/** The slowest case takes some 100 s; what takes much longer is stuck. */
const TIME_LIMIT_MS = 900_000;

/**
 * Brings a portfolio through a fresh stand-in with a hidden limit. Where the limit is high, Limitline brings a second one
 * through it, at the pace that was learned from the first. Nothing is taken off the ideal for the burst.
 *
 * @param hear hears each second what is said of the time left
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

/** The stand-in's own limiter, in the form of one that stands in front of it. */
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
