import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { changesOf } from './mutants/mutant.ts';
import { MUTANTS } from './mutants/mutants.ts';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
const ROOT = new URL('../../', import.meta.url);

/** Longer than these simulations take on a busy machine. */
const LONG_MS = 240_000;

/** The simulator replaces clock and randomness of its process, so it runs in a separate one. */
const simulate = async (...args: string[]): Promise<string> => {
  const ended = promisify(execFile)(process.execPath, ['--no-warnings', '--max-semi-space-size=64', MAIN, ...args], {
    maxBuffer: 2 ** 26,
  });
  return (await ended.catch((error: { stdout: string; stderr: string }) => error)).stdout;
};

test('two runs of two workers and one row are identical, byte for byte', async () => {
  const said = await Promise.all([simulate('--same', '10'), simulate('--same', '10')]);
  expect(said[0]).toMatch(/^two workers, one row: 10 times [0-9a-f]{64}\n$/);
  expect(said[1]).toBe(said[0]);
});

test('sixty random schedules over all small worlds break no promise', { timeout: LONG_MS }, async () => {
  expect(await simulate('--seeds', '60')).toMatch(/^0 of 60 seeds from 0 on broke a promise/);
});

// Promises: shared-id-first-keeps-it, late-answer-believed
test('the recorded schedules that once broke a promise break none', { timeout: LONG_MS }, async () => {
  expect(await simulate('--found')).toMatch(/^0 of [1-9]\d* schedules/);
});

test('two workers with one row break no promise, wherever one of them is overtaken', { timeout: LONG_MS }, async () => {
  const said = await simulate('--world', 'one row', '--complete', '--turns', '1', '--faults', '0');
  expect(said).toMatch(/^one row: \d+ schedules, \d+ different, 0 broke a promise/);
});

test.each(['claim: made', 'settle: counted', 'put: refused since'])(
  'the simulator finds a broken promise when a guard is removed: %s',
  { timeout: LONG_MS },
  async (id) => {
    expect(await simulate('--mutant', id)).not.toMatch(/NOT FOUND|^$/);
  },
);

test('each mutant changes a text that exists in its file, and has a unique id', () => {
  const missing = MUTANTS.filter((mutant) =>
    changesOf(mutant).some(({ file, from }) => !readFileSync(new URL(file, ROOT), 'utf8').includes(from)),
  );
  expect(missing.map(({ id }) => id)).toEqual([]);
  expect(new Set(MUTANTS.map(({ id }) => id)).size).toBe(MUTANTS.length);
});
