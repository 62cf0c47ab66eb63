import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CHECKS } from '../../src/ledger/nightly/checks.ts';
import { NOTICE_KINDS } from '../../src/notices/notice.ts';

// Promise: check-compares-own-records
test('docs/nightly.md lists exactly the checks of CHECKS, with their titles, in the same order', () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/nightly.md'), 'utf8');
  const [, section = ''] = text.split(/^## The nightly check$/m);
  const titles = [...(section.split(/^## /m)[0] ?? '').matchAll(/^\| (.+?) \|/gm)].map(([, title]) => title);
  const named = titles.filter((title) => title !== 'On the report' && !title?.startsWith('---'));
  const titled = Object.values(CHECKS).map(({ title }) => title);
  expect(named, 'its tables have a line for each entry of CHECKS, in the same order').toEqual(titled);
});

test('docs/nightly.md lists exactly the kinds of notices of NOTICE_KINDS, in the same order', () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/nightly.md'), 'utf8');
  const [, section = ''] = text.split(/^### What is told of$/m);
  const kinds = [...(section.split(/^##/m)[0] ?? '').matchAll(/^\| `(\w+)` \|/gm)].map(([, kind]) => kind);
  expect(kinds, 'its table "What is told of" has a line for each of NOTICE_KINDS, in the same order').toEqual([
    ...NOTICE_KINDS,
  ]);
});
