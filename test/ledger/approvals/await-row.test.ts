import { describe, expect, test } from 'vitest';
import { causeOf } from '../../../src/ledger/counts/cause.ts';
import { ALWAYS, openApprovals } from '../../support/awaiting-ledger.ts';
import { makeRequest } from '../../support/ledger.ts';

const ROW = { portfolio: 'q4', key: 'r1' };

/** A row that was approved once, and then refused, or held, at its limit. */
async function ended(as: 'refused' | 'held') {
  const ledger = openApprovals();
  const { imported, grant, free, rows, calls } = ledger;
  const first = await imported('a.csv', { r1: '10' });
  await grant(first);
  await free(first);
  await rows.begin(ROW, 'company');
  await rows.advance(ROW, 'company', 'limit', { company: 'company_1' });
  const thing = { kind: 'limit', key: 'r1', row: ROW, revision: '0' } as const;
  await calls.claim(thing, { owner: 'ann/1', onUnknown: 'hold' });
  if (as === 'held') await calls.doubt(thing, 'ann/1', 'reset');
  else await calls.release(thing, 'ann/1', 'refused', { status: 422, body: 'no' });
  const problem = { step: 'limit', message: 'The service refused it', status: 422, body: 'no' } as const;
  const cause = causeOf(problem, as === 'held' ? 'unknown' : 'refused', makeRequest());
  await rows.advance(ROW, 'limit', as, { problem, cause });

  /** Asks for an approval: to send the row again, or of what a person says about its call. */
  const ask = async (said?: string, by = 'carol') => {
    const id = await ledger.approvals.askFor({ portfolio: 'q4', kind: as === 'held' ? 'answer' : 'retry', by });
    const joined = await ledger.approvals.awaitRow(ROW, as, { id, by, said });
    await ledger.approvals.close({ portfolio: 'q4', id }, ALWAYS);
    const look = async () => {
      const found = await ledger.approvals.read(id);
      if (!found) throw new Error('gone');
      return found;
    };
    return { id, look, joined };
  };
  return { ...ledger, ask, thing, first: first.id, causes: () => ledger.portfolios.causes('q4') };
}

describe('a refused row for which a retry is requested', () => {
  test('waits with its problem, and is queued once another person approves the retry', async () => {
    const { ask, grant, free, rows, claim, causes, portfolios, stories } = await ended('refused');
    const asked = await ask();
    expect(asked.joined).toBe(true);
    expect(await asked.look()).toMatchObject({
      kind: 'retry',
      standing: 'waiting',
      rows: 1,
      sum: '10.00',
      authors: ['carol'],
    });
    const [waits] = await rows.read([ROW]);
    expect(waits).toMatchObject({
      state: 'awaiting',
      problem: { status: 422 },
      awaits: { was: 'refused', answer: '' },
    });
    expect(await causes()).toEqual([]);
    expect(await rows.requeue(ROW, 'refused')).toBe(false);
    expect(await claim('r1')).toBe('awaiting');
    expect(await grant(asked, 'carol')).toBe('own');
    expect(await grant(asked, 'alice')).toBe('granted');
    await free(asked);
    const [goes] = await rows.read([ROW]);
    expect(goes).toMatchObject({ state: 'queued', approval: asked.id, problem: undefined, awaits: undefined });
    expect(await claim('r1')).toBe('go');
    expect((await stories.entries(ROW)).map((entry) => entry.is)).toEqual(['refused', 'asked', 'approved']);
    expect(await portfolios.compare(['q4'])).toEqual([]);
  });

  test('is refused again with its cause and its earlier approval if the retry is declined', async () => {
    const { ask, decline, free, rows, causes, first, claim, portfolios } = await ended('refused');
    const [before] = await causes();
    const asked = await ask();
    expect(await decline(asked)).toBe('declined');
    await free(asked);
    const [row] = await rows.read([ROW]);
    expect(row).toMatchObject({ state: 'refused', problem: { status: 422 }, approval: first, awaits: undefined });
    expect(await causes()).toEqual([before]);
    // Whatever job runs, nobody sends a row that a person declined.
    expect(await claim('r1')).toBe('awaiting');
    expect(await portfolios.compare(['q4'])).toEqual([]);
  });

  test('is refused again if its portfolio is cancelled while it waits', async () => {
    const { ask, rows, portfolios } = await ended('refused');
    const asked = await ask();
    await portfolios.cancel('q4');
    expect(await rows.cancel(ROW)).toBe('restored');
    expect((await rows.read([ROW]))[0]).toMatchObject({ state: 'refused', problem: { status: 422 } });
    expect(await asked.look()).toMatchObject({ standing: 'void', rows: 0 });
  });

  test('waits for the approval of another file that changes it, and leaves the retry', async () => {
    const { ask, imported, rows } = await ended('refused');
    const asked = await ask();
    const mended = await imported('b.csv', { r1: '12' });
    expect(await mended.look()).toMatchObject({ rows: 1, sum: '12.00' });
    expect((await asked.look()).standing).toBe('void');
    expect((await rows.read([ROW]))[0]).toMatchObject({ state: 'awaiting', approval: mended.id, awaits: undefined });
  });

  test('keeps its state if it changed since it was looked at, or if the approval is already closed', async () => {
    const { approvals, rows, ask } = await ended('refused');
    const [row] = await rows.read([ROW]);
    const id = await approvals.askFor({ portfolio: 'q4', kind: 'retry', by: 'carol' });
    const writtenMs = (row?.updatedMs ?? 0) - 1;
    expect(await approvals.awaitRow(ROW, 'refused', { id, by: 'carol', writtenMs })).toBe(false);
    expect(await approvals.awaitRow(ROW, 'held', { id, by: 'carol' })).toBe(false);
    await approvals.close({ portfolio: 'q4', id }, ALWAYS);
    expect(await approvals.awaitRow(ROW, 'refused', { id, by: 'carol' })).toBe(false);
    expect((await ask()).joined).toBe(true);
  });
});

describe('a held row whose call a person answers', () => {
  test('waits in doubt, is held again once the answer is approved, and stays listed until it is carried out', async () => {
    const { ask, grant, approvals, rows, claim, connection, keys, portfolios } = await ended('held');
    const asked = await ask('bl_7');
    expect(await asked.look()).toMatchObject({ kind: 'answer', standing: 'waiting', rows: 1 });
    expect(await connection.zcard(keys.held)).toBe(0);
    expect(await claim('r1')).toBe('unknown');
    expect(await grant(asked)).toBe('granted');
    const id = { portfolio: 'q4', id: asked.id };
    expect(await approvals.freeSome(id, [ROW])).toBe(1);
    expect(await approvals.restore(ROW, asked.id)).toEqual({ state: 'held', said: 'bl_7' });
    expect(await approvals.restore(ROW, asked.id)).toEqual({ state: 'held', said: 'bl_7' });
    expect(await connection.zcard(keys.held)).toBe(1);
    expect(await approvals.answered()).toEqual([id]);
    expect(await approvals.rowsOf(id)).toEqual([ROW]);
    expect(await claim('r1')).toBe('unknown');
    expect(await approvals.carriedOut(ROW, asked.id)).toBe(0);
    expect(await approvals.answered()).toEqual([]);
    expect(await rows.requeue(ROW, 'held')).toBe(true);
    expect(await portfolios.compare(['q4'])).toEqual([]);
  });

  test('is held again, in doubt, if the answer is declined', async () => {
    const { ask, decline, free, approvals, rows, first, connection, keys } = await ended('held');
    const asked = await ask('resend');
    await decline(asked);
    expect(await approvals.restore(ROW, asked.id)).toBeUndefined();
    await free(asked);
    expect((await rows.read([ROW]))[0]).toMatchObject({ state: 'held', approval: first, awaits: undefined });
    expect(await connection.zrange(keys.held, '0', '-1')).toEqual(['q4/r1']);
  });

  test('takes a late answer of the service, and then needs no approval', async () => {
    const { ask, calls, thing, rows, first, portfolios } = await ended('held');
    const asked = await ask('resend');
    await calls.settle(thing, 'ann/1', { id: 'bl_1', record: {}, buyer: 'b' });
    expect(await rows.advance(ROW, 'limit', 'done', { limit: 'bl_1', record: {}, revision: '0' })).toBe('done');
    expect((await rows.read([ROW]))[0]).toMatchObject({ state: 'done', approval: first, awaits: undefined });
    expect(await asked.look()).toMatchObject({ standing: 'void' });
    expect(await portfolios.compare(['q4'])).toEqual([]);
  });
});
