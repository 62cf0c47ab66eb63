import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { LimitlineError } from '../../src/errors.ts';
import { limitlineScript } from './contenders.ts';
import { numberText } from './figures.ts';
import { BENCH_LOGIN } from './fill-ledger.ts';
import { generatePortfolio } from './generate-portfolio.ts';
import { measureBeside } from './line-beside.ts';
import { machineLine } from './machine.ts';
import { runBench } from './run-bench.ts';
import { AS_COMMAND } from './start-console.ts';
import { startRedis } from './start-redis.ts';
import { startService } from './start-service.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/**
 * `npm run bench:events -- [--rate N] [--line-rows N] [--rounds N]`: what a line at work loses by so many events a second (1,000 by
 * default) that are taken and kept on the same Redis, in alternating rounds; and whether all of them were.
 */
const SECRET = 'bench-bench-bench-bench-bench';

type Posted = { posted: number; seconds: number; answers: Record<string, number> };

await runBench(async (place) => {
  const options = { rate: { type: 'string' }, 'line-rows': { type: 'string' }, rounds: { type: 'string' } } as const;
  const { values } = parseArgs({ options });
  const [rate = 0, lineRows = 0, rounds = 0] = [
    values.rate ?? 1_000,
    values['line-rows'] ?? 10_000,
    values.rounds ?? 5,
  ].map(Number);
  await using folder = await makeTemporaryFolder();
  await using redis = await startRedis();
  await using service = await startService();
  const file = join(folder.path, 'line.csv');
  await generatePortfolio({ path: file, rows: lineRows });
  const env = {
    ...BENCH_LOGIN,
    LIMITLINE_DATA: redis.dataDir,
    EVENTS_PORT: '0',
    EVENTS_SECRET: SECRET,
    EVENTS_KEEP_MB: '10000',
    LOG_LEVEL: 'error',
  };
  const told: Posted[] = [];
  const begin = () => listenAndPost({ env, cwd: folder.path, rate, told });
  const what = `${numberText(rate)} events a second`;
  const table = await measureBeside({ redis, service, file, lineRows, rounds, cwd: folder.path, what, begin }, place);
  const { version } = await redis.figures();
  return [table, postedWords(told), machineLine({ Redis: version })].join('\n\n');
});

/** Starts the listener and who posts to it; answers what ends both. */
async function listenAndPost(given: { env: Record<string, string>; cwd: string; rate: number; told: Posted[] }) {
  const { env, cwd, rate, told } = given;
  const own = { PATH: process.env.PATH, ...env };
  const listener = spawn(process.execPath, [...AS_COMMAND, limitlineScript(), 'events', 'listen', '--json'], {
    cwd,
    env: own,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = (await readUrl(listener)).replace(/[^/]*$/, SECRET);
  const poster = spawn(process.execPath, [fileURLToPath(new URL('post-events.ts', import.meta.url)), url, `${rate}`], {
    env: own,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said = text(poster.stdout);
  return async () => {
    await end(poster);
    await end(listener);
    told.push(JSON.parse(await said) as Posted);
  };
}

async function end(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

/** The address is in the answer that it prints, JSON over several lines. */
async function readUrl(child: ChildProcess): Promise<string> {
  let printed = '';
  child.stdout?.setEncoding('utf8');
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (piece) => {
      printed += piece;
      const url = /"url": *"([^"]+)"/.exec(printed)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.once('exit', () =>
      reject(new LimitlineError('USAGE', 'The listener ended before it said where it listens.')),
    );
  });
}

function postedWords(told: readonly Posted[]): string {
  const posted = told.reduce((sum, each) => sum + each.posted, 0);
  const seconds = told.reduce((sum, each) => sum + each.seconds, 0);
  const answers: Record<string, number> = {};
  for (const each of told) {
    for (const [status, count] of Object.entries(each.answers)) answers[status] = (answers[status] ?? 0) + count;
  }
  const words = Object.entries(answers).map(([status, count]) => `${numberText(count)} answered ${status}`);
  return `${numberText(posted)} events posted, ${numberText(posted / seconds)} a second; ${words.join(', ')}.`;
}
