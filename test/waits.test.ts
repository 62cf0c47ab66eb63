import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** A machine that runs many tests at a time stands still for seconds; who waits for longer than it takes loses nothing. */
const SHORTEST_MS = 20_000;

/** A wait of vitest's with all that it is given; without a bound of its own it ends after a second. */
const WAIT_CALL = /vi\.wait(?:For|Until)\((?:[^;]|;(?!\n))*;\n/g;

/** A bound as it stands in a test, in milliseconds. */
const BOUND = /\btimeout: ([\d_]+)/g;

test('no test gives up a wait, or itself, where a busy machine only takes longer', () => {
  const files = globSync('test/**/*.ts').filter((file) => !file.endsWith('waits.test.ts'));
  const hasty = files.flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    const unbounded = (text.match(WAIT_CALL) ?? []).filter((call) => !/\bWAIT\b|timeout:/.test(call));
    const short = [...text.matchAll(BOUND)].filter(([, ms = '']) => Number(ms.replaceAll('_', '')) < SHORTEST_MS);
    return [...unbounded, ...short.map(([words]) => words)].map((words) => `${file}: ${words.trim()}`);
  });
  expect(files.length).toBeGreaterThan(500);
  expect(hasty).toEqual([]);
});
