import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { RECORDS } from '../../../src/ledger/schema/records.ts';
import { MOVES, moveArgs, ROW } from '../../../src/ledger/schema/schema.ts';
import { putRow, ROW as row } from '../../support/ledger.ts';
import { recordsPage, schemaLua } from './schema-lua.ts';

test('schema.lua matches schema.ts: run node test/ledger/schema/schema-lua.ts to write it', () => {
  const text = readFileSync(new URL('../../../src/ledger/lua/schema.lua', import.meta.url), 'utf8');
  expect(text).toBe(schemaLua());
});

test('docs/redis.md matches records.ts', () => {
  expect(readFileSync(new URL('../../../docs/redis.md', import.meta.url), 'utf8')).toBe(recordsPage());
});

/** The pattern of a listed name or key: `<name>` matches one part of a key, or several parts in the name of a field. */
const keyPattern = (key: string) => new RegExp(`^${key.replaceAll(/<\w+>/g, '[^:]+')}$`);
const fieldPattern = (name: string) => new RegExp(`^${name.replaceAll(/<\w+>/g, '.+')}$`);

/** Every hash of the stored dumps that is one of the records, with its fields. */
function* dumped(): Generator<{ key: string; fields: string[] }> {
  const kept = fileURLToPath(new URL('../../golden/kept', import.meta.url));
  for (const file of globSync(`${kept}/{redis*,worlds/*}.txt`)) {
    for (const [, key = '', text = ''] of readFileSync(file, 'utf8').matchAll(/^:(\S.*) \(hash\)\n((?: {2}.*\n)*)/gm)) {
      yield { key, fields: [...text.matchAll(/^ {2}(\S[^\n]*?): /gm)].map(([, name = '']) => name) };
    }
  }
}

test('every field of the records in the stored dumps is listed in records.ts', () => {
  const records = RECORDS.map(({ key, fields }) => ({
    key: keyPattern(key),
    names: Object.keys(fields).map(fieldPattern),
  }));
  const seen = new Set<string>();
  const unlisted = [...dumped()].flatMap(({ key, fields }) => {
    const record = records.find((one) => one.key.test(key));
    if (!record) return [];
    seen.add(String(record.key));
    return fields.filter((field) => !record.names.some((name) => name.test(field))).map((field) => `${key}: ${field}`);
  });
  expect(unlisted).toEqual([]);
  expect(seen.size).toBe(RECORDS.length);
});

test('a row has only fields of the schema', async () => {
  const { rows, connection, keys } = await putRow();
  await rows.begin(row, 'company');
  await rows.advance(row, 'company', 'limit', { company: 'company_1', documents: ['document_1'] });
  await rows.advance(row, 'limit', 'done', { limit: 'bl_1', record: { status: 'approved' } });
  const fields = Object.keys(await connection.hgetall(keys.row('q4', row.key)));
  expect(fields.filter((name) => !Object.hasOwn(ROW, name))).toEqual([]);
});

test('the arguments of a move are in the schema\'s order, with "" for each missing one', () => {
  const args = moveArgs(row, [
    { move: 'begin', step: 'limit' },
    { move: 'settle', id: 'bl_1' },
  ]);
  const settled = MOVES.settle.map((name) => (name === 'id' ? 'bl_1' : ''));
  expect(args).toEqual(['q4', 'row-1', 2, 'begin', 'limit', 'settle', ...settled]);
});
