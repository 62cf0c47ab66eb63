import { describe, expect, test } from 'vitest';
import { NO_APPROVAL } from '../../../src/ledger/schema/approval.ts';
import { ALWAYS, openApprovals } from '../../support/awaiting-ledger.ts';

const ABOVE = (above: string) => ({ always: false, above });

test('rows of an import wait until another person approves them, and are then queued in the order of their lines', async () => {
  const { imported, grant, free, stateOf, claim, portfolios, rows } = openApprovals();
  const waiting = await imported('a.csv', { r1: '1000', r2: '0.5', r3: '99999999.99' });
  expect(await waiting.look()).toMatchObject({
    kind: 'import',
    standing: 'waiting',
    authors: ['alice'],
    file: { name: 'a.csv', sha256: 'sha-of-a.csv' },
    rows: 3,
    sum: '100001000.49',
    answered: undefined,
  });
  expect((await portfolios.read('q4')).states).toMatchObject({ awaiting: 3, queued: 0 });
  expect((await portfolios.read('q4')).finishedMs).toBeUndefined();
  expect(await claim('r1')).toBe('awaiting');
  expect(await grant(waiting)).toBe('granted');
  expect(await claim('r1')).toBe('changed');
  await free(waiting);
  expect(await stateOf('r1')).toBe('queued');
  expect((await rows.inState('q4', 'queued', { count: 9 })).map(({ row }) => row.key)).toEqual(['r1', 'r2', 'r3']);
  expect(await waiting.look()).toMatchObject({
    standing: 'granted',
    rows: 3,
    sum: '100001000.49',
    answered: { by: 'bob' },
  });
});

describe('an answer', () => {
  // Promise: no-one-approves-their-own
  test('is refused if it comes from an author or from an unknown person', async () => {
    const { imported, grant, decline, begin, approvals, put } = openApprovals();
    const waiting = await imported('a.csv', { r1: '1' });
    expect(await grant(waiting, 'alice')).toBe('own');
    expect(await decline(waiting, 'alice')).toBe('own');
    expect(await grant(waiting, 'console')).toBe('own');
    expect(await grant(waiting, '')).toBe('own');
    const open = await begin('b.csv', { by: 'alice' });
    await put(open.id, { r2: '2' });
    await begin('b.csv', { by: 'carol' });
    await approvals.close({ portfolio: 'q4', id: open.id }, ALWAYS);
    expect(await grant(open, 'carol')).toBe('own');
    expect(await grant(open, 'bob')).toBe('granted');
  });

  // Promise: first-answer-counts
  test('is accepted once, and later answers are refused', async () => {
    const { imported, grant, decline, approvals } = openApprovals();
    const waiting = await imported('a.csv', { r1: '1' });
    const { id, digest } = await waiting.look();
    const answers = await Promise.all([
      approvals.grant({ id, digest, by: 'bob' }),
      approvals.decline({ id, digest, by: 'carol' }),
      approvals.grant({ id, digest, by: 'dave' }),
    ]);
    expect(answers.toSorted()).toEqual(['answered', 'answered', 'granted']);
    expect(await grant(waiting, 'erin')).toBe('answered');
    expect(await decline(waiting, 'alice')).toBe('answered');
    expect(await waiting.look()).toMatchObject({ standing: 'granted', answered: { by: 'bob' } });
  });

  // Promises: yes-covers-what-was-seen, yes-to-old-does-nothing
  test('is refused if a row joined, left or changed after the person looked', async () => {
    const { imported, approvals, rows, put } = openApprovals();
    const waiting = await imported('a.csv', { r1: '1', r2: '2' });
    const { id, digest } = await waiting.look();
    const mended = await imported('b.csv', { r2: '3' });
    expect(await approvals.grant({ id, digest, by: 'bob' })).toBe('changed');
    expect(await approvals.decline({ id, digest, by: 'bob' })).toBe('changed');
    expect(await waiting.look()).toMatchObject({ rows: 1, sum: '1.00', standing: 'waiting' });
    expect(await mended.look()).toMatchObject({ rows: 1, sum: '3.00' });
    expect(await approvals.grant({ id, digest: (await mended.look()).digest, by: 'bob' })).toBe('changed');
    const before = await mended.look();
    await rows.leaveOut({ portfolio: 'q4', key: 'r2' }, { importId: 'x', begun: '9' }, { step: 'limit', message: 'x' });
    expect(await approvals.grant({ ...before, by: 'bob' })).toBe('gone');
    expect(await mended.look()).toMatchObject({ standing: 'void', rows: 0 });
    expect(await put(id, { r9: '1' })).toEqual(['closed']);
  });

  test('is refused while the import still adds rows, and for an unknown approval', async () => {
    const { begin, put, grant, approvals } = openApprovals();
    const open = await begin('a.csv');
    await put(open.id, { r1: '1' });
    expect(await grant(open)).toBe('changed');
    expect(await approvals.grant({ id: 'x', digest: 'y', by: 'bob' })).toBe('gone');
    expect(await approvals.waitingCount()).toBe(0);
    // The approval is closed between the look and the answer, so the answer is to other content.
    const blind = approvals.grant({ id: open.id, digest: 'y', by: 'bob' });
    await approvals.close({ portfolio: 'q4', id: open.id }, ALWAYS);
    expect(await blind).toBe('changed');
    expect(await approvals.waitingCount()).toBe(1);
  });
});

test('declined rows are cancelled, with the person and the reason in their problem', async () => {
  const { imported, decline, free, rows, portfolios, claim, approvals } = openApprovals();
  const waiting = await imported('a.csv', { r1: '1', r2: '2', r3: '3' });
  expect(await decline(waiting)).toBe('declined');
  expect(await approvals.answered()).toEqual([{ portfolio: 'q4', id: waiting.id }]);
  await free(waiting);
  expect(await approvals.answered()).toEqual([]);
  const [row] = await rows.read([{ portfolio: 'q4', key: 'r1' }]);
  expect(row).toMatchObject({ state: 'cancelled', problem: { message: 'declined by bob: too much' } });
  expect(await claim('r1')).toBe('cancelled');
  expect((await portfolios.read('q4')).finishedMs).toBeDefined();
  expect(await portfolios.compare(['q4'])).toEqual([]);
});

describe('a limit for the sum of a portfolio', () => {
  test.each([
    ['3.00', 'granted'],
    ['2.99', 'waiting'],
    ['3', 'granted'],
    ['2.9999999999', 'waiting'],
    ['0', 'waiting'],
    ['999999999999999999999999999999', 'granted'],
  ])('of %s gives an import with rows of 1 and 2 the standing %s', async (above, standing) => {
    const { imported } = openApprovals();
    const waiting = await imported('a.csv', { r1: '1', r2: '2' }, ABOVE(above));
    expect((await waiting.look()).standing).toBe(standing);
  });

  // Promise: whole-portfolio-counts
  test('is exact for amounts of any size', async () => {
    const { imported } = openApprovals();
    const amounts = { r1: '90071992547409.93', r2: '12345678.905', r3: '9'.repeat(25), r4: '0.0000000001' };
    const exact = '10000000000090072004893088.8350000001';
    const below = await imported('a.csv', amounts, ABOVE(exact));
    expect(await below.look()).toMatchObject({ standing: 'granted', sum: '10000000000090072004893087.8350000001' });
    const more = await imported('b.csv', { r5: '1.0000000001' }, ABOVE(exact));
    expect((await more.look()).standing).toBe('waiting');
  });

  // Promise: whole-portfolio-counts
  test('counts the rows of earlier imports, but no cancelled or replaced rows', async () => {
    const { imported, rows, portfolios } = openApprovals();
    const first = await imported('a.csv', { r1: '60', r2: '30' }, ABOVE('100'));
    expect(await first.look()).toMatchObject({ standing: 'granted', answered: { by: '', words: 'below the limit' } });
    const second = await imported('b.csv', { r3: '11' }, ABOVE('100'));
    expect((await second.look()).standing).toBe('waiting');
    await portfolios.cancel('q4');
    for (const key of ['r1', 'r2', 'r3']) await rows.cancel({ portfolio: 'q4', key });
    expect((await second.look()).standing).toBe('void');
    const third = await imported('c.csv', { r4: '100' }, ABOVE('100'));
    expect((await third.look()).standing).toBe('granted');
  });
});

test('a row imported again on another line with the same amount is queued in the order of its new line', async () => {
  const { begin, put, approvals, portfolios } = openApprovals();
  const { id } = await begin('a.csv');
  await put(id, { r1: '1', r2: '2' });
  await put(id, { r2: '2', r1: '1' }, { name: 'Other GmbH' });
  expect((await approvals.rowsOf({ portfolio: 'q4', id })).map(({ key }) => key)).toEqual(['r2', 'r1']);
  expect(await portfolios.compare(['q4'])).toEqual([]);
});

test('a row that a killed import left waiting moves to the approval of another file with the same line', async () => {
  const { begin, put, imported } = openApprovals();
  const died = await begin('a.csv');
  await put(died.id, { r1: '1', r2: '2' });
  const other = await imported('b.csv', { r1: '1' });
  expect(await other.look()).toMatchObject({ rows: 1, standing: 'waiting' });
  expect(await died.look()).toMatchObject({ rows: 1, sum: '2.00', standing: 'open' });
});

// Promise: changed-content-waits-again
test('an approved row whose content changes waits for approval again, and the new content is not sent', async () => {
  const { imported, grant, free, put, stateOf, claim, rows } = openApprovals();
  const waiting = await imported('a.csv', { r1: '1' });
  await grant(waiting);
  await free(waiting);
  await rows.begin({ portfolio: 'q4', key: 'r1' }, 'company');
  const mended = await imported('b.csv', { r1: '100' });
  expect(await stateOf('r1')).toBe('awaiting');
  expect(await claim('r1', 'company')).toBe('awaiting');
  expect(await rows.advance({ portfolio: 'q4', key: 'r1' }, 'company', 'limit', { revision: '0' })).toBe('awaiting');
  expect(await mended.look()).toMatchObject({ rows: 1, sum: '100.00' });
  // The next import needs no approval, so the waiting import has nothing left to approve.
  expect(await put(undefined, { r1: '7' })).toEqual(['renewed']);
  expect(await claim('r1', 'company')).toBe('go');
  expect((await mended.look()).standing).toBe('void');
});

// Promise: changed-rows-leave-approval
test('a cancelled row leaves its approval, and needs another approval to be sent again', async () => {
  const { imported, grant, free, rows, portfolios, approvals, claim, stateOf } = openApprovals();
  const waiting = await imported('a.csv', { r1: '1' });
  await grant(waiting);
  await free(waiting);
  await portfolios.cancel('q4');
  const row = { portfolio: 'q4', key: 'r1' };
  expect(await rows.cancel(row)).toBe('cancelled');
  expect(await rows.requeue(row, 'cancelled')).toBe(false);
  const id = await approvals.askFor({ portfolio: 'q4', kind: 'retry', by: 'carol' });
  expect(await approvals.awaitRow(row, 'cancelled', { id, by: 'carol' })).toBe(true);
  expect(await approvals.close({ portfolio: 'q4', id }, NO_APPROVAL)).toBe('granted');
  await approvals.freeSome({ portfolio: 'q4', id }, [row]);
  expect(await stateOf('r1')).toBe('queued');
  expect(await claim('r1')).toBe('go');
});

test.each(['granted', 'declined', 'waiting'])(
  'an import sets no supplier once another import of the file has closed its approval (%s)',
  async (standing) => {
    const { begin, put, grant, decline, approvals, portfolios } = openApprovals();
    const open = await begin('a.csv', { by: 'alice' });
    await put(open.id, { r1: '1' });
    await approvals.close({ portfolio: 'q4', id: open.id }, ALWAYS);
    if (standing !== 'waiting') await (standing === 'granted' ? grant(open) : decline(open));
    expect(await portfolios.setSupplier('q4', { body: { name: 'Supplier GmbH' }, key: 's1' }, open.id)).toBe(false);
    expect(await portfolios.read('q4')).toMatchObject({ supplierAwaits: false, supplier: undefined });
  },
);

test('an approval can be begun with half a surrogate pair in the file name or the author', async () => {
  const { approvals } = openApprovals();
  const file = { id: 'f'.repeat(64), fileName: 'half \ud83d.csv', reading: '{}' };
  const ids = [
    await approvals.beginImport('q4', { file, number: '1', authors: ['eva'] }),
    await approvals.askFor({ portfolio: 'q4', kind: 'retry', by: 'eva \ud83d' }),
  ];
  for (const id of ids) expect((await approvals.read(id))?.standing).toBe('open');
});
