import { expect, test } from 'vitest';
import { makePortfolioList } from '../../../src/ledger/portfolios/portfolio-list.ts';
import { openLedger } from '../../support/ledger.ts';

async function openList(names: readonly [name: string, ms: number][]) {
  const { connection, keys } = openLedger();
  for (const [name, ms] of names) await connection.zadd(keys.portfolios, ms, name);
  return { list: makePortfolioList({ connection, keys }), connection, keys };
}

test('portfolios are listed newest first in pages, and new ones do not shift the later pages', async () => {
  const { list, connection, keys } = await openList([
    ['one', 1],
    ['two b', 2],
    ['two a', 2],
    ['three', 3],
    ['four', 4],
  ]);
  const first = await list.page({ count: 2 });
  expect(first.names).toEqual(['four', 'three']);
  await connection.zadd(keys.portfolios, 9, 'newer');
  const second = await list.page({ count: 2, after: first.next ?? '' });
  expect(second.names).toEqual(['two b', 'two a']);
  await connection.zrem(keys.portfolios, 'two a');
  const third = await list.page({ count: 2, after: second.next ?? '' });
  expect(third).toEqual({ names: ['one'] });
  expect(await list.count()).toBe(5);
});

test('portfolios are found by a part of their name in any case, also behind thousands of others', async () => {
  const others = Array.from({ length: 4_100 }, (_, at): [string, number] => [`run ${at}`, at + 10]);
  const { list } = await openList([['Müller Q4', 1], ['Q4 2026', 2], ...others]);
  expect(await list.page({ count: 5, text: 'q4' })).toEqual({ names: ['Q4 2026', 'Müller Q4'] });
  const first = await list.page({ count: 1, text: 'MÜLLER' });
  expect(first).toEqual({ names: ['Müller Q4'] });
  const page = await list.page({ count: 1_000, text: 'run' });
  expect(page.names[0]).toBe('run 4099');
  expect((await list.page({ count: 1_000, text: 'run', after: page.next ?? '' })).names[0]).toBe('run 3099');
});

test('an invalid page position starts the list from the beginning', async () => {
  const { list } = await openList([['one', 1]]);
  for (const after of ['', 'x', '12', '-1 one', `${'9'.repeat(40)} one`]) {
    expect((await list.page({ count: 5, after })).names, after).toEqual(['one']);
  }
});
