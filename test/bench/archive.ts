import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Redis } from 'ioredis';
import { limitlineScript, runContender, serviceSettings } from './contenders.ts';
import { markdownTable, numberText } from './figures.ts';
import { generatePortfolio } from './generate-portfolio.ts';
import { type BenchPlace, machineLine, runBench } from './run-bench.ts';
import { makeTemporaryFolder, type RunningRedis, startRedis, startService } from './start-servers.ts';

/**
 * `npm run bench:archive -- [--rows N]`: archives a portfolio of so many rows (100,000 by default) and restores it. The stand-in made all
 * its limits before. For both, the bench measures time, memory, Redis' time and its slowest command, and how much Redis holds before,
 * between and after.
 */
const NAME = 'q1';
/** The time, in microseconds, above which a command gets into Redis' slow log, from which the slowest command is read. */
const SLOW_US = 2_000;

/** The figures that are measured of archiving and of restoring, one line of the table each. */
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
  const rows = Number(values.rows ?? 100_000);
  await using folder = await makeTemporaryFolder();
  await using redis = await startRedis();
  await using service = await startService();
  const connection = new Redis({ path: redis.socketPath, maxRetriesPerRequest: null });
  const env = { ...serviceSettings(service.url), LIMITLINE_DATA: redis.dataDir };
  try {
    const file = join(folder.path, `${NAME}.csv`);
    await generatePortfolio({ path: file, rows });
    await connection.config('SET', 'appendonly', 'no');
    const empty = (await redis.figures()).usedMemoryBytes;
    const run = { script: limitlineScript(), args: ['run', file, '--yes', '--no-results', '--json'], env };
    place.say(`${numberText(rows)} limits are requested`);
    await runContender(run, { cwd: folder.path, signal: place.signal });
    // The portfolio was written without the disk. From this command on, each write goes to the disk, as it does for users.
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
    const [, stays = 0] = held;
    const perRow = `An archived row keeps ${numberText((stays - empty) / rows)} bytes in Redis`;
    const memory = `${perRow}; Redis holds ${held.map((bytes) => numberText(bytes / 2 ** 20)).join(', ')} MB before, between and after.`;
    return [table, memory, machineLine({ Redis: version })].join('\n\n');
  } finally {
    connection.disconnect();
  }
});

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
