import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Redis } from 'ioredis';
import { numberText } from './figures.ts';
import { BENCH_LOGIN, fillPortfolio, openBenchLedger } from './fill-ledger.ts';
import { generatePortfolio } from './generate-portfolio.ts';
import { measureBeside } from './line-beside.ts';
import { machineLine } from './machine.ts';
import { markdownTable } from './markdown-table.ts';
import { type BenchPlace, runBench } from './run-bench.ts';
import { runContender } from './run-contender.ts';
import { type RunningRedis, startRedis } from './start-redis.ts';
import { startService } from './start-service.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/**
 * `npm run bench:reconcile -- [--rows N] [--line-rows N] [--rounds N]`: what the nightly check of a ledger of so many rows takes while
 * nobody works (1,000,000 by default: time, memory, Redis' time, the slowest command), and what a line at work on the same
 * Redis loses by one that runs beside it, in alternating rounds.
 */
const ROWS_OF_PORTFOLIO = 100_000;
/** Slower commands are told of one by one. */
const SLOW_US = 2_000;

await runBench(async (place) => {
  const options = { rows: { type: 'string' }, 'line-rows': { type: 'string' }, rounds: { type: 'string' } } as const;
  const { values } = parseArgs({ options });
  const [rows, lineRows, rounds] = [values.rows ?? 1_000_000, values['line-rows'] ?? 10_000, values.rounds ?? 5].map(
    Number,
  );
  await using folder = await makeTemporaryFolder();
  await using redis = await startRedis();
  await using service = await startService();
  const connection = new Redis({ path: redis.socketPath, maxRetriesPerRequest: null });
  try {
    await fill(connection, rows ?? 0, place);
    const night = { ...BENCH_LOGIN, LIMITLINE_DATA: redis.dataDir };
    const alone = await measureAlone({ connection, redis, night, cwd: folder.path }, place);
    const file = join(folder.path, 'line.csv');
    await generatePortfolio({ path: file, rows: lineRows ?? 0 });
    const beside = await measureBeside(
      {
        redis,
        service,
        file,
        rounds: rounds ?? 0,
        lineRows: lineRows ?? 0,
        cwd: folder.path,
        what: 'the nightly check',
        begin: (signal) => checkOnAndOn(night, folder.path, signal),
      },
      place,
    );
    const { version } = await redis.figures();
    return [alone, beside, machineLine({ Redis: version })].join('\n\n');
  } finally {
    connection.disconnect();
  }
});

/** Rows of many portfolios, as runs leave them; only then each write goes to the disk, as it does in earnest. */
async function fill(connection: Redis, rows: number, { signal, say }: BenchPlace): Promise<void> {
  const ledger = openBenchLedger(connection);
  const startedMs = performance.now();
  await connection.config('SET', 'appendonly', 'no');
  for (let first = 0; first < rows; first += ROWS_OF_PORTFOLIO) {
    const portfolio = `q${first / ROWS_OF_PORTFOLIO}`;
    await connection.zadd(ledger.keys.portfolios, Date.now(), portfolio);
    await connection.hset(ledger.keys.portfolio(portfolio), 'counted', '1', 'started', Date.now(), 'paused', 'bench');
    const count = Math.min(ROWS_OF_PORTFOLIO, rows - first);
    await fillPortfolio(ledger, { portfolio, rows: count, first, withCalls: true }, signal);
    say(`${numberText(first + count)} rows in ${numberText((performance.now() - startedMs) / 1_000)} s`);
  }
  await connection.config('SET', 'appendonly', 'yes');
  while (/aof_rewrite_in_progress:1/.test(await connection.info('persistence'))) {
    await sleep(500, undefined, { signal });
  }
}

type Alone = { connection: Redis; redis: RunningRedis; night: Record<string, string>; cwd: string };

async function measureAlone({ connection, redis, night, cwd }: Alone, { signal, say }: BenchPlace): Promise<string> {
  say('the nightly check, alone');
  await connection.config('SET', 'slowlog-log-slower-than', String(SLOW_US), 'slowlog-max-len', '10000');
  await connection.slowlog('RESET');
  const before = await redis.figures();
  const ran = await runContender({ script: nightScript(), args: [], env: night }, { cwd, signal });
  const after = await redis.figures();
  const slow = ((await connection.slowlog('GET', 10_000)) as [number, number, number][]).map(([, , us]) => us / 1_000);
  const { rows, wallMs, found } = ran.answer as { rows: number; wallMs: number; found: string[] };
  return markdownTable(
    ['The nightly check, nobody at work', ''],
    [
      ['rows', numberText(rows)],
      ['findings', found.length === 0 ? 'none' : found.join('; ')],
      ['time, s', numberText(wallMs / 1_000, 1)],
      ['processor time of the process, s', numberText(ran.cpuMs / 1_000, 1)],
      ['processor time of Redis, s', numberText((after.cpuMs - before.cpuMs) / 1_000, 1)],
      ['memory of the process at its peak, MB', numberText(ran.peakMemoryBytes / 2 ** 20)],
      [
        'slowest command at Redis, ms',
        slow.length === 0 ? `below ${SLOW_US / 1_000}` : numberText(Math.max(...slow), 1),
      ],
      [`commands above 10 ms`, numberText(slow.filter((ms) => ms > 10).length)],
    ],
  );
}

/** Checks begin again and again, in a process of their own, until they are ended. */
async function checkOnAndOn(night: Record<string, string>, cwd: string, signal: AbortSignal) {
  const over = new AbortController();
  const contender = { script: nightScript(), args: ['--again'], env: night };
  // It never ends by itself; what it fails by is said when it is ended.
  const ended = runContender(contender, { cwd, signal: AbortSignal.any([signal, over.signal]) }).catch(
    (error: unknown) => error,
  );
  return async () => {
    over.abort(new Error('the line has ended'));
    const why = await ended;
    if (why !== over.signal.reason) throw why;
  };
}

function nightScript(): string {
  return fileURLToPath(new URL('one-night.ts', import.meta.url));
}
