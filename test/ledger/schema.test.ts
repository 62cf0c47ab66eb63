import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MOVES, moveArgs, ROW, schemaLua } from '../../src/ledger/schema.ts';
import { putRow, ROW as row } from '../support/ledger.ts';

test('schema.lua is what schema.ts says: node src/ledger/schema-lua.ts writes it', () => {
  const text = readFileSync(new URL('../../src/ledger/lua/schema.lua', import.meta.url), 'utf8');
  expect(text).toBe(schemaLua());
});

test('a row has no field that the schema does not name', async () => {
  const { rows, connection, keys } = await putRow();
  await rows.begin(row, 'company');
  await rows.advance(row, 'company', 'limit', { company: 'company_1', documents: ['document_1'] });
  await rows.advance(row, 'limit', 'done', { limit: 'bl_1', record: { status: 'approved' } });
  const fields = Object.keys(await connection.hgetall(keys.row('q4', row.key)));
  expect(fields.filter((name) => !Object.hasOwn(ROW, name))).toEqual([]);
});

test('a move is told by name, in the order of the schema, and "" where nothing is given', () => {
  const args = moveArgs(row, [
    { move: 'begin', step: 'limit' },
    { move: 'settle', id: 'bl_1' },
  ]);
  const settled = MOVES.settle.map((name) => (name === 'id' ? 'bl_1' : ''));
  expect(args).toEqual(['q4', 'row-1', 2, 'begin', 'limit', 'settle', ...settled]);
});
