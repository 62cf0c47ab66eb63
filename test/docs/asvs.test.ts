import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ASVS_LEVELS_1_AND_2 } from './asvs-numbers.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** A row of the table: `| 1.2.3 | 1 | what | state | how | held |`. */
const rows = readFileSync(join(ROOT, 'test/docs/asvs.md'), 'utf8')
  .split('\n')
  .map((line) => /^\| (\d+\.\d+\.\d+) \| ([12]) \| (.+?) \| (.+?) \| (.+?) \| (.+) \|$/.exec(line))
  .filter((row) => row !== null)
  .map(([, number = '', level = '', what = '', state = '', how = '', held = '']) => {
    return { number, level, what, state, how, held };
  });

test('the table has each requirement of levels 1 and 2 once, with its level, in the order of the standard', () => {
  expect(rows.map(({ number, level }) => `${number}/${level}`)).toEqual(ASVS_LEVELS_1_AND_2);
});

test('each row explains how its requirement is met, or why not', () => {
  const states = ['met', 'partly', 'not met', 'does not apply'];
  expect(rows.filter(({ state, how }) => !states.includes(state) || how.trim().length < 3)).toEqual([]);
  const unheld = rows.filter(({ state, held }) => (state === 'met' || state === 'partly') === (held === '–'));
  expect(unheld.map(({ number }) => number)).toEqual([]);
});

describe('the test or chapter that covers a requirement exists', () => {
  test.each(rows.filter(({ held }) => held !== '–'))('$number $what', ({ held }) => {
    const [, path = '', title = ''] = /^`([^`]+)`: (.+)$/.exec(held) ?? [];
    const text = existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), 'utf8') : '';
    const quoted = title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const pattern = path.endsWith('.md') ? new RegExp(`^#{1,3} ${quoted}$`, 'm') : new RegExp(`['"\`]${quoted}['"\`]`);
    expect([path, text !== '', pattern.test(text)]).toEqual([path, true, true]);
  });
});

test('unmet requirements are listed before the table, each with what is done instead', () => {
  const text = readFileSync(join(ROOT, 'test/docs/asvs.md'), 'utf8');
  const told = text.slice(text.indexOf('## What is not met'), text.indexOf('## V1 '));
  const open = rows.filter(({ state }) => state === 'partly' || state === 'not met').map(({ number }) => number);
  expect([...told.matchAll(/^\| (\d+\.\d+\.\d+) \|/gm)].map(([, number]) => number)).toEqual(open);
});

test('files that security documents name exist', () => {
  const documents = [
    'SECURITY.md',
    'test/docs/asvs.md',
    ...['data', 'sign-in', 'threat-model'].map((name) => `docs/security/${name}.md`),
  ];
  for (const document of documents) {
    const text = readFileSync(join(ROOT, document), 'utf8');
    const links = [...text.matchAll(/\]\((?!https:)([^)#]+)[^)]*\)/g)].map(([, path]) => path ?? '');
    const files = [...text.matchAll(/`((?:src|test|docs|scripts)\/[\w./-]+)`/g)].map(([, path]) =>
      join(ROOT, path ?? ''),
    );
    const missing = [...links.map((path) => resolve(ROOT, document, '..', path)), ...files].filter(
      (path) => !existsSync(path),
    );
    expect([document, missing]).toEqual([document, []]);
  }
});
