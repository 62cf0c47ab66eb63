import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { bundled } from '../support/bundle.ts';
import { COMPILED } from '../support/command.ts';
import { serversBelow, WAIT } from '../support/redis/own-fixture.ts';

test('a short bench runs all contenders, prints its figures and leaves no process or file', async () => {
  const { child, ended, dir } = startBench(['--rows', '40', '--rounds', '1', '--only', 'run', '--json']);
  const [printed, said, status] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  expect(said).not.toContain('bench:');
  expect(status).toBe(0);
  const { machine, run } = JSON.parse(printed);
  expect(machine).toMatch(
    /^Measured on \d+ cores?.*Node \d+\.\d+\.\d+, Redis \d+\.\d+\.\d+, fdatasync \d+\.\d\d ms\.$/,
  );
  expect(run).toMatchObject({
    rows: 40,
    syncMs: ABOVE_ZERO,
    isKept: true,
    results: ['Limitline', 'script in memory', 'textbook BullMQ'].map(named),
  });
  for (const figures of run.results.flatMap(({ rounds }: { rounds: unknown[] }) => rounds)) {
    expect(figures).toMatchObject({ calls: 80, madeTwice: 0 });
    expect(figures).toMatchObject({
      rowsPerS: ABOVE_ZERO,
      wallS: ABOVE_ZERO,
      firstCallS: ABOVE_ZERO,
      cpuS: ABOVE_ZERO,
    });
    expect(figures.firstCallS).toBeLessThan(figures.wallS);
  }
  const [limitline, script, textbook] = run.results;
  for (const { rounds } of [limitline, textbook]) expect(rounds[0]).toMatchObject({ redisBytesPerRow: ABOVE_ZERO });
  expect(script.rounds[0]).not.toHaveProperty('redisBytesPerRow');
  expectNothingLeft(dir);
});

test('a bench that is stopped ends its contender and its servers, and deletes its folders', async () => {
  const { child, ended, dir } = startBench(['--rows', '5000', '--rounds', '1', '--only', 'run']);
  const printed = text(child.stdout);
  const said: string[] = [];
  for await (const line of createInterface(child.stderr)) {
    said.push(line);
    if (!line.includes('Limitline')) continue;
    await vi.waitUntil(() => serversBelow(dir).length === 1, WAIT);
    child.kill('SIGTERM');
  }
  expect(said.at(-1)).toBe('bench: stopped by SIGTERM');
  expect(await ended).toBe(1);
  expect(await printed).toBe('');
  expectNothingLeft(dir);
});

const ABOVE_ZERO = expect.toSatisfy((value: number) => value > 0);

const named = (name: string) => ({ name, rounds: expect.toSatisfy((rounds: unknown[]) => rounds.length === 1) });

/** Starts the bench with its own temporary folder. */
function startBench(args: string[]) {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'bench-')));
  const child = spawn(process.execPath, [bundled('bench'), ...args], {
    env: { PATH: process.env.PATH, TMPDIR: dir, ...COMPILED },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit').then(([status]) => status as number | null);
  onTestFinished(async () => {
    // SIGTERM, because only the bench knows which processes it has started.
    child.kill('SIGTERM');
    await ended;
    rmSync(dir, { recursive: true, force: true });
  });
  return { child, ended, dir };
}

function expectNothingLeft(dir: string): void {
  expect(serversBelow(dir)).toEqual([]);
  expect(readdirSync(dir)).toEqual([]);
}

async function bench(args: string[]) {
  const dir = mkdtempSync(join(tmpdir(), 'pace-bench-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const child = spawn(process.execPath, [bundled('bench-pace'), ...args], {
    env: { PATH: process.env.PATH, TMPDIR: dir, ...COMPILED },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [printed, said, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { printed, said, status, left: readdirSync(dir).filter((name) => name.startsWith('limitline')) };
}

test('a short bench of the pace measures Limitline and the peers, and twice when the limit is high', async () => {
  const { printed, said, status, left } = await bench(['--rows', '20', '--limit', '500', '--headers', 'none']);
  expect(said).not.toContain('bench:');
  expect(status).toBe(0);
  const [header = '', , ...lines] = printed.split('\n').filter((line) => line.startsWith('|'));
  expect(header).toMatch(/Limitline \|.*4 processes \|.*script in memory \|.*textbook BullMQ \|/);
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(/^\| 500 calls\/s, none +(\| +\d+\.\d\d, \d+\.\d\d % ){4}\|$/);
  expect(lines[1]).toMatch(/next portfolio +(\| +\d+\.\d\d, \d+\.\d\d % ){2}(\| +– ){2}\|$/);
  expect(left).toEqual([]);
});

test.each([['--rows 0'], ['--limit 7'], ['--headers some'], ['--unknown']])(
  'the arguments %s are refused',
  async (words) => {
    const { said, status } = await bench(words.split(' '));
    expect(status).toBe(1);
    expect(said).toContain('no such option or value');
  },
);
