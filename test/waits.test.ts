import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** A machine that runs many tests at once stalls for seconds; a longer bound than needed costs nothing. */
const SHORTEST_MS = 20_000;

/** A wait of vitest with all its arguments; without its own bound it ends after a second. */
const WAIT_CALL = /vi\.wait(?:For|Until)\((?:[^;]|;(?!\n))*;\n/g;

/** A bound in a test, in milliseconds. */
const BOUND = /\btimeout: ([\d_]+)/g;

test('no test gives up a wait in less than 20 s, so that a busy machine fails none', () => {
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
