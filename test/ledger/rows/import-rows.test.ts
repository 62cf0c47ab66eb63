import { expect, test } from 'vitest';
import { makeRequest, openLedger, toLimit } from '../../support/ledger.ts';

const rowAt = (line: number) => ({ portfolio: 'q4', key: `row-${line}` });
const problem = { step: 'limit', message: 'no longer in the file' } as const;

/** Rows of an import on lines 2 to 4, and one of a later import on line 5. */
async function openImported() {
  const ledger = openLedger();
  for (const line of [4, 2, 3]) await ledger.rows.put(rowAt(line), line, '1', makeRequest());
  await ledger.rows.put(rowAt(5), 5, '2', makeRequest());
  return ledger;
}

test('the rows between two lines of an import are listed in order, in any state, without those of other imports', async () => {
  const { rows } = await openImported();
  await rows.begin(rowAt(3), 'company');
  expect(await rows.atLines('q4', '1', { from: 3, to: 5 })).toEqual([
    { row: rowAt(3), line: 3 },
    { row: rowAt(4), line: 4 },
  ]);
  const found = await rows.resultsAtLines('q4', '1', { from: 3, to: 1_000 });
  expect(found.map(({ line }) => line).sort()).toEqual([3, 4]);
  expect(found.map(({ result }) => result)).toEqual(await rows.read(found.map(({ row }) => row)));
  expect([await rows.lastLine('q4'), await rows.lastLine('none')]).toEqual([5, 0]);
  expect(await rows.importsOf([rowAt(5), rowAt(9), rowAt(2)])).toEqual(['2', '', '1']);
});

test('a row that the file lacks is cancelled once, and counted as replaced', async () => {
  const { rows, portfolios } = await openImported();
  const leaveOut = () => rows.leaveOut(rowAt(2), { importId: '2', begun: '2' }, problem);
  expect([await leaveOut(), await leaveOut()]).toEqual([true, false]);
  expect(await portfolios.read('q4')).toMatchObject({ states: { cancelled: 1 }, replaced: 1 });
  expect((await rows.read([rowAt(2)]))[0]).toMatchObject({ replaced: true, problem });
});

test('a row is not left out if the file has it, its limit was sent or its import began later', async () => {
  const { rows, calls, process, connection, keys } = await openImported();
  await process('a');
  const limit = { kind: 'limit', key: rowAt(3).key, row: rowAt(3), revision: '0' } as const;
  await toLimit(rows, rowAt(3));
  await calls.claim(limit, { owner: 'a/1', onUnknown: 'hold' });
  await connection.hset(keys.portfolio('q4'), 'begun:1', '7');
  const leaveOut = (line: number, begun: string) => rows.leaveOut(rowAt(line), { importId: '2', begun }, problem);
  expect([await leaveOut(5, '9'), await leaveOut(3, '9'), await leaveOut(4, '6')]).toEqual([false, false, false]);
  expect(await leaveOut(4, '8')).toBe(true);
});
