import { expect, test } from 'vitest';
import { CALL_KINDS } from '../../../src/call-kind.ts';
import type { Approval } from '../../../src/ledger/schema/approval.ts';
import { ROW_STATES } from '../../../src/ledger/schema/row.ts';
import { ALWAYS, openApprovals } from '../../support/awaiting-ledger.ts';
import { makeRequest, openLedger, ROW } from '../../support/ledger.ts';

const STANDINGS = ['open', 'waiting', 'declined', 'void', 'granted', undefined] as const;

// Promise: unapproved-never-leaves
test.each(STANDINGS)('a row in any state may claim a call only if its approval is granted: %s', async (standing) => {
  const { connection, keys, calls } = openLedger();
  if (standing) await connection.hset(keys.approval('x'), { standing, portfolio: 'q4', kind: 'import' });
  const said: string[] = [];
  for (const state of ROW_STATES) {
    await connection.hset(keys.row('q4', ROW.key), { state, approval: 'x', rev: '3' });
    // Neither a wrong revision nor a missing one gets around this.
    const asked = CALL_KINDS.flatMap((kind) =>
      (['hold', 'resend'] as const).flatMap((onUnknown) =>
        ['3', '2', undefined].map(async (revision) => {
          const thing = { kind, key: `${state} ${onUnknown} ${revision}`, row: ROW, revision };
          const { is } = await calls.claim(thing, { owner: 'ann/1', onUnknown });
          // Whoever claims, only a row at the step of the call may send it.
          const isAtStep = state === (kind === 'document' ? 'documents' : kind);
          const isOwn = revision === undefined || (revision === '3' && isAtStep);
          const expected = standing !== 'granted' ? 'awaiting' : isOwn ? 'go' : 'changed';
          said.push(is);
          expect(is, `${state}, ${kind}, ${revision}`).toBe(state === 'cancelled' && revision ? 'cancelled' : expected);
        }),
      ),
    );
    await Promise.all(asked);
  }
  expect(said.includes('go')).toBe(standing === 'granted');
});

test('a claim whose reply was lost is released if its row waits for another approval by then', async () => {
  const { imported, grant, free, rows, connection, keys, calls, portfolios } = openApprovals();
  const first = await imported('a.csv', { 'row-1': '1' });
  await grant(first);
  await free(first);
  await rows.begin(ROW, 'company');
  const thing = { kind: 'company', key: 'b', row: ROW, revision: '0' } as const;
  expect(await calls.claim(thing, { owner: 'ann/1', onUnknown: 'hold' })).toMatchObject({ is: 'go' });
  await imported('b.csv', { 'row-1': '2' });
  expect(await calls.claim(thing, { owner: 'ann/1', onUnknown: 'hold' })).toEqual({ is: 'awaiting' });
  expect(await connection.hget(keys.call('company', 'b'), 'state')).toBe('free');
  expect((await portfolios.read('q4')).calls.company).toBe(0);
});

test('the supplier of an import cannot be claimed before that import is approved', async () => {
  const { begin, put, calls, portfolios, approvals, grant } = openApprovals();
  const waiting = await begin('a.csv', { supplier: 's' });
  await portfolios.setSupplier('q4', { body: { name: 'S' }, key: 's' }, waiting.id);
  await put(waiting.id, { r1: '1' });
  const thing = { kind: 'company', key: 's', row: { portfolio: 'q4', key: 'supplier' } } as const;
  const claim = async (owner: string) => (await calls.claim(thing, { owner, onUnknown: 'hold' })).is;
  expect(await claim('ann/1')).toBe('awaiting');
  await approvals.close({ portfolio: 'q4', id: waiting.id }, { always: true, above: undefined });
  expect(await claim('ann/2')).toBe('awaiting');
  expect((await portfolios.read('q4')).supplierAwaits).toBe(true);
  await grant(waiting);
  expect((await portfolios.read('q4')).supplierAwaits).toBe(false);
  expect(await claim('ann/3')).toBe('go');
});

// Promise: declined-needs-another-approval
test('a request declined in another portfolio stays blocked, although an earlier approval of it is carried out later', async () => {
  const { imported, grant, decline, free, approvals, portfolios, rows, stateOf, claim } = openApprovals();
  const first = await imported('a.csv', { r1: '1' });
  const file = { id: 'b', fileName: 'b.csv', reading: '{}', by: 'alice' };
  const run = await portfolios.startImport('q5', file);
  const id = await approvals.beginImport('q5', { file, number: run.number, authors: ['alice'], supplier: undefined });
  const request = makeRequest({ buyer: 'buyer of r1', limit: { requested_limit: '1' } });
  await rows.put({ portfolio: 'q5', key: 'r1' }, 2, run.number, request, '', { approval: id });
  await run.end();
  await approvals.close({ portfolio: 'q5', id }, ALWAYS);
  const second = { id, look: async () => (await approvals.read(id)) as Approval };

  expect(await grant(first)).toBe('granted');
  expect(await decline(second)).toBe('declined');
  await approvals.freeSome({ portfolio: 'q5', id }, [{ portfolio: 'q5', key: 'r1' }]);
  await free(first);
  expect(await stateOf('r1')).toBe('queued');
  expect(await claim('r1')).toBe('awaiting');
});
