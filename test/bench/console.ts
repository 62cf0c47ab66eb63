import { parseArgs } from 'node:util';
import { Redis } from 'ioredis';
import { makeImports } from '../../src/ledger/portfolios/imports.ts';
import { numberText } from './figures.ts';
import { BENCH_LOGIN, type BenchLedger, benchRequest, fillPortfolio, openBenchLedger } from './fill-ledger.ts';
import { measurePages, measurePaint, measureUpload, measureWatchers } from './measure-console.ts';
import { machineLine, runBench } from './run-bench.ts';
import { makeTemporaryFolder, type RunningRedis, startConsole, startRedis } from './start-servers.ts';

/**
 * `npm run bench:console [-- --rows N --portfolios N --only PART]`: how long each page takes at so many rows in a portfolio
 * (1,000,000) and so many portfolios (10,000), what a browser loads and when something is first seen (`pages`), what memory an
 * upload of 500 MB takes (`upload`) and what 500 people who watch a portfolio cost it (`watchers`).
 */
const PARTS: Record<string, (given: Given) => Promise<string>> = { upload, watchers, pages };

type Given = {
  redis: RunningRedis;
  rows: number;
  portfolios: number;
  signal: AbortSignal;
  say: (text: string) => void;
};

const PORTFOLIO = 'bench';
const UPLOAD_BYTES = 500e6;
const WATCHERS = 500;
/** The number of rows of the portfolio that is watched: some ten seconds of work. */
const WATCHED_ROWS = 6_000;

/** Portfolios written at a time. */
const AT_ONCE = 100;

await runBench(async ({ signal, say }) => {
  const number = { type: 'string' } as const;
  const { values } = parseArgs({ options: { rows: number, portfolios: number, only: number } });
  const given = {
    rows: Number(values.rows ?? 1_000_000),
    portfolios: Number(values.portfolios ?? 10_000),
    signal,
    say,
  };
  const found: string[] = [];
  let redisVersion = '';
  for (const [name, measure] of Object.entries(PARTS)) {
    if (values.only !== undefined && values.only !== name) continue;
    say(name);
    await using redis = await startRedis();
    found.push(await measure({ ...given, redis }));
    redisVersion = (await redis.figures()).version;
  }
  return [...found, machineLine({ Redis: redisVersion })].join('\n\n');
});

async function pages({ redis, rows, portfolios, signal, say }: Given): Promise<string> {
  const connection = new Redis({ path: redis.socketPath, maxRetriesPerRequest: null });
  try {
    const ledger = openBenchLedger(connection);
    const startedMs = performance.now();
    await fillPortfolios(ledger, connection, portfolios, signal);
    await importNothing(ledger, connection, PORTFOLIO, rows);
    await fillPortfolio(ledger, { portfolio: PORTFOLIO, rows }, signal);
    const seconds = (performance.now() - startedMs) / 1_000;
    say(`${numberText(rows)} rows and ${numberText(portfolios)} portfolios in ${numberText(seconds)} s`);
    await using web = await startConsole({
      cwd: redis.dataDir,
      env: { ...BENCH_LOGIN, LIMITLINE_DATA: redis.dataDir },
    });
    const times = await measurePages({ ...web, portfolio: PORTFOLIO, rows }, signal);
    say(times);
    const chromium = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
    const paint = await measurePaint(web, ['/', `/portfolios/${PORTFOLIO}`], chromium);
    return paint;
  } finally {
    connection.disconnect();
  }
}

async function upload({ redis: { dataDir }, signal }: Given): Promise<string> {
  await using web = await startConsole({ cwd: dataDir, env: { LIMITLINE_DATA: dataDir } });
  // Code is compiled and loaded by these requests, so that its memory does not count as the upload's.
  for (let round = 0; round < 50; round += 1)
    await (await fetch(`${web.url}/new`, { headers: { cookie: web.cookie } })).text();
  return await measureUpload(web, UPLOAD_BYTES, signal);
}

async function watchers({ redis: { dataDir }, signal, say }: Given): Promise<string> {
  await using folder = await makeTemporaryFolder();
  const web = (env: Record<string, string>) => startConsole({ cwd: dataDir, env });
  const size = { rows: WATCHED_ROWS, watchers: WATCHERS };
  return await measureWatchers({ web, dataDir, folder: folder.path }, { ...size, signal, say });
}

/** Portfolios of two rows each, as an import leaves them. */
async function fillPortfolios({ rows, keys }: BenchLedger, connection: Redis, count: number, signal: AbortSignal) {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) {
      signal.throwIfAborted();
      const number = next;
      next += 1;
      const portfolio = `port-${number}`;
      await importNothing({ keys }, connection, portfolio, 2);
      for (const line of [2, 3]) {
        const request = benchRequest(2 * number + line);
        await rows.put({ portfolio, key: `${number}-${line}` }, line, '1', request);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** Writes what an import records besides rows: the import itself, with its counts. */
async function importNothing(
  { keys }: Pick<BenchLedger, 'keys'>,
  connection: Redis,
  portfolio: string,
  rows: number,
): Promise<void> {
  const file = { id: '0'.repeat(64), fileName: `${portfolio}.csv`, reading: '{}' };
  const run = await makeImports({ connection, keys }).startImport(portfolio, file);
  await run.end({ lines: rows, rows, invalid: 0, duplicate: 0 });
}
