import { readFileSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { generatePortfolio } from '../bench/generate-portfolio.ts';
import { openDesk } from '../support/desk.ts';
import { startKillableRedis } from '../support/redis/killable-redis.ts';
import { makeFolder } from '../support/workplace.ts';

const PAGE = readFileSync(new URL('../../docs/deployment.md', import.meta.url), 'utf8');
const ROWS = 400;
/** The rows of the first portfolio, which makes everything that Redis and BullMQ keep apart from rows. */
const FIRST_ROWS = 150;
/** The figures of so few rows may differ by so much from those of thousands. */
const TOLERANCE = 0.25;

/** The figures of the page for this step, in kB for each row. */
const said = (words: string) =>
  (new RegExp(`^\\| ${words} \\|(.*)\\|$`, 'm').exec(PAGE)?.[1] ?? '')
    .split('|')
    .map((cell) => Number.parseFloat(cell));

// Promise: room-of-a-row
test('a row takes as much memory of Redis, append-only file and archive as docs/deployment.md states', async () => {
  const redis = await startKillableRedis();
  await redis.admin.config('SET', 'hash-max-listpack-value', '1024');
  const dataDir = join(await makeFolder(), 'data');
  const desk = await openDesk(0, {}, { REDIS_URL: redis.url, LIMITLINE_DATA: dataDir });
  const look = async () => {
    const info = await redis.admin.info();
    const of = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1]);
    return { memory: of('used_memory'), file: of('aof_current_size') };
  };
  const run = async (...args: string[]) => expect(await desk.limitline(...args)).toMatchObject({ status: 0 });
  await generatePortfolio({ path: join(desk.cwd, 'q3.csv'), rows: FIRST_ROWS });
  await run('run', 'q3.csv', '--yes');
  await generatePortfolio({ path: join(desk.cwd, 'q4.csv'), rows: ROWS, from: ROWS });
  const before = await look();
  const perRow = async () => {
    const { memory, file } = await look();
    return { memory: (memory - before.memory) / ROWS / 1_000, file: (file - before.file) / ROWS / 1_000 };
  };
  const steps = [
    ['imported', ['import', 'q4.csv', '--yes']],
    ['answered', ['run', 'q4.csv', '--yes']],
    ['archived, for good', ['archive', 'q4', '--yes']],
  ] as const;
  for (const [words, command] of steps) {
    await run(...command);
    const [memory = 0, file = 0] = said(words);
    // Redis frees deleted keys, and the buffers of closed connections, some time later.
    const others = async () => {
      const found = await perRow();
      return [
        ...otherThan(`${words}, kB of memory`, found.memory, memory),
        ...otherThan(`${words}, kB of the file`, found.file, file),
      ];
    };
    await expect.poll(others).toEqual([]);
  }
  const archived = Number(/some (\d+) bytes for each archived row/.exec(PAGE)?.[1]);
  const bytes = (await bytesBelow(join(dataDir, 'archive'))) / ROWS;
  expect(otherThan('bytes of its archive', bytes, archived)).toEqual([]);
});

function otherThan(what: string, is: number, as: number): string[] {
  return Math.abs(is / as - 1) < TOLERANCE ? [] : [`${what}: ${is}, and not ${as}`];
}

async function bytesBelow(folder: string): Promise<number> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = files.filter((file) => file.isFile()).map((file) => stat(join(file.parentPath, file.name)));
  return (await Promise.all(sizes)).reduce((sum, { size }) => sum + size, 0);
}
