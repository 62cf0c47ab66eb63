import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');

const named = [...new Set(text.match(/\b(?:src|jobs|scripts|test)\/[\w./-]*\w/g))];
const files = named.filter((path) => /\.\w+$/.test(path));

test('every path in ARCHITECTURE.md exists', () => {
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test('ARCHITECTURE.md names thirteen files, all in the part about one row', () => {
  const way = text.slice(text.indexOf("## One row's way"), text.indexOf('## Six ideas'));
  expect(files).toHaveLength(13);
  expect(files.filter((path) => !way.includes(path))).toEqual([]);
});

test('every folder of src and jobs is in the plan of ARCHITECTURE.md', () => {
  const plan = text.slice(text.indexOf('## Floors'), text.indexOf("## One row's way"));
  const rooms = ['src', 'jobs'].flatMap((floor) =>
    readdirSync(join(ROOT, floor), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `${name}/`),
  );
  expect(rooms.filter((room) => !plan.includes(room))).toEqual([]);
});
