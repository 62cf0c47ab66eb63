import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

const rows = ['docs/promises.md', 'docs/service.md']
  .flatMap((page) => readFileSync(join(ROOT, page), 'utf8').split('\n'))
  .map((line) => /^\| (.+?) \| `(test\/[^`]+)` \| (.+) \|$/.exec(line))
  .filter((row) => row !== null)
  .map(([, promise = '', file = '', title = '']) => ({ promise, file, title }));

test.each(rows)('a test holds that: $promise', ({ file, title }) => {
  const text = readFileSync(join(ROOT, file), 'utf8');
  expect(text).toMatch(new RegExp(`['"\`]${title.replace(/[.*+?^$\\{}()|[\]\\]/g, '\\$&')}['"\`]`));
});
