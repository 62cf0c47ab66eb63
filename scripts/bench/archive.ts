import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Redis } from 'ioredis';
import { causeOf } from '../../src/ledger/counts/cause.ts';
import type { RowProblem } from '../../src/ledger/row.ts';
import { limitlineScript } from './contenders.ts';
import { numberText } from './figures.ts';
import { BENCH_LOGIN, benchRequest, openBenchLedger } from './fill-ledger.ts';
import { generatePortfolio } from './generate-portfolio.ts';
import { machineLine } from './machine.ts';
import { markdownTable } from './markdown-table.ts';
import { type BenchPlace, runBench } from './run-bench.ts';
import { runContender } from './run-contender.ts';
import { type RunningRedis, startRedis } from './start-redis.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/**
 * `npm run bench:archive -- [--rows N]`: what archiving a finished portfolio of so many rows (1,000,000 by default) and restoring it take:
 * time, memory, Redis' time and its slowest command, and what Redis holds before, between and after.
 */
const NAME = 'q1';
/** Slower commands are told of one by one. */
const SLOW_US = 2_000;
/** Rows moved at a time: what one connection sends without waiting. */
const AT_ONCE = 1_000;
/** Of so many rows one is refused. */
const REFUSED_EVERY = 50;

/** What is measured of each of the two commands. */
const MEASURED = [
  'time, s',
  'processor time of the process, s',
  'processor time of Redis, s',
  'memory of the process at its peak, MB',
  'slowest command at Redis, ms',
  'commands above 10 ms',
];

await runBench(async (place) => {
  const { values } = parseArgs({ options: { rows: { type: 'string' } } });
  const rows = Number(values.rows ?? 1_000_000);
  await using folder = await makeTemporaryFolder();
  await using redis = await startRedis();
  const connection = new Redis({ path: redis.socketPath, maxRetriesPerRequest: null });
  const env = { ...BENCH_LOGIN, LIMITLINE_DATA: redis.dataDir };
  try {
    const file = join(folder.path, `${NAME}.csv`);
    await generatePortfolio({ path: file, rows });
    await connection.config('SET', 'appendonly', 'no');
    const imported = { script: limitlineScript(), args: ['import', file, '--yes', '--json'], env };
    place.say(`${numberText(rows)} rows are imported`);
    await runContender(imported, { cwd: folder.path, signal: place.signal });
    await finishRows(connection, place);
    // From here on each write goes to the disk, as it does in earnest.
    await connection.config('SET', 'appendonly', 'yes');
    while (/aof_rewrite_in_progress:1/.test(await connection.info('persistence'))) {
      await sleep(500, undefined, { signal: place.signal });
    }
    const held = [(await redis.figures()).usedMemoryBytes];
    const columns: string[][] = [];
    for (const command of ['archive', 'restore']) {
      columns.push(await measure(command, { connection, redis, env, cwd: folder.path }, place));
      held.push((await redis.figures()).usedMemoryBytes);
    }
    const { version } = await redis.figures();
    const table = markdownTable(
      [`${numberText(rows)} rows`, 'archive', 'restore'],
      MEASURED.map((name, at) => [name, ...columns.map((column) => column[at] ?? '')]),
    );
    const memory = `Redis holds ${held.map((bytes) => numberText(bytes / 2 ** 20)).join(', ')} MB before, between and after.`;
    return [table, memory, machineLine({ Redis: version })].join('\n\n');
  } finally {
    connection.disconnect();
  }
});

/** All rows that wait come to their end, as a run leaves them. */
async function finishRows(connection: Redis, { signal, say }: BenchPlace): Promise<void> {
  const { rows, keys } = openBenchLedger(connection);
  const waiting = keys.rowsInState(NAME, 'queued');
  const problem: RowProblem = {
    step: 'company',
    message: 'The service refused the company with status 422',
    status: 422,
    body: JSON.stringify({ code: 'rule_1', message: 'It does not pass' }),
  };
  const cause = causeOf(problem, 'refused', benchRequest(0));
  for (let moved = 0; ; moved += AT_ONCE) {
    signal.throwIfAborted();
    const found = await connection.zrange(waiting, '0', String(AT_ONCE - 1));
    if (found.length === 0) break;
    await Promise.all(
      found.map((key, place) => {
        const row = { portfolio: NAME, key };
        const index = moved + place;
        if (index % REFUSED_EVERY === 0) return rows.advance(row, 'queued', 'refused', { problem, cause });
        const record = { status: 'approved', total_limit: '50000', available_limit: '50000' };
        const [company, limit] = [`company_${index}`, `bl_${index}`];
        return rows.advance(row, 'queued', 'done', { company, limit, documents: [], record });
      }),
    );
    if (moved % 100_000 === 0) say(`${numberText(moved)} rows have ended`);
  }
}

type Ledger = { connection: Redis; redis: RunningRedis; env: Record<string, string>; cwd: string };

async function measure(command: string, { connection, redis, env, cwd }: Ledger, { signal, say }: BenchPlace) {
  say(command);
  await connection.config('SET', 'slowlog-log-slower-than', String(SLOW_US), 'slowlog-max-len', '10000');
  await connection.slowlog('RESET');
  const before = await redis.figures();
  const contender = {
    script: limitlineScript(),
    args: [command, NAME, ...(command === 'archive' ? ['--yes'] : []), '--json'],
    env,
  };
  const ran = await runContender(contender, { cwd, signal });
  const after = await redis.figures();
  const slow = ((await connection.slowlog('GET', 10_000)) as [number, number, number][]).map(([, , us]) => us / 1_000);
  return [
    numberText(ran.wallMs / 1_000, 1),
    numberText(ran.cpuMs / 1_000, 1),
    numberText((after.cpuMs - before.cpuMs) / 1_000, 1),
    numberText(ran.peakMemoryBytes / 2 ** 20),
    slow.length === 0 ? `below ${SLOW_US / 1_000}` : numberText(Math.max(...slow), 1),
    numberText(slow.filter((ms) => ms > 10).length),
  ];
}
