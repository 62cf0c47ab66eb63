import { expect, test } from 'vitest';
import { makeRequest, openLedger, putRow, ROW } from '../../support/ledger.ts';

// Promise: refused-stays-without-a-rule
test('a refused call stays refused for any other job of its row until the row is put back in the queue', async () => {
  const { calls, rows, process, portfolios } = await putRow();
  await process('a');
  const company = { kind: 'company', key: 'buyer-of-muster', row: ROW, revision: '0' } as const;
  await rows.begin(ROW, 'company');
  await calls.claim(company, { owner: 'a/1', onUnknown: 'resend' });
  await calls.release(company, 'a/1', 'refused', { status: 422, body: 'a city\nis wanted' });
  const refused = { is: 'refused', status: 422, body: 'a city\nis wanted' };
  expect(await calls.claim(company, { owner: 'a/2', onUnknown: 'resend' })).toEqual(refused);
  await portfolios.pause('q4', 'by request');
  expect(await calls.claim(company, { owner: 'a/3', onUnknown: 'resend' })).toEqual(refused);
  await portfolios.resume('q4');
  // The refusal does not apply to another revision or another kind of call.
  for (const other of [{ ...company, revision: '1' }, { ...company, kind: 'limit', key: 'row-1' } as const])
    expect(await calls.claim(other, { owner: 'a/4', onUnknown: 'resend' })).not.toMatchObject({ is: 'refused' });
  await calls.release({ ...company, kind: 'limit', key: 'row-1' }, 'a/4', 'unsent');
  expect(await rows.advance(ROW, 'company', 'refused', { answered: true })).toBe('refused');
  await rows.requeue(ROW, 'refused');
  await rows.begin(ROW, 'company');
  expect(await calls.claim(company, { owner: 'a/5', onUnknown: 'resend' })).toMatchObject({ is: 'go' });
});

test('a held row whose call is refused late is refused by that answer after its sender died', async () => {
  const { calls, rows, process } = await putRow();
  await process('a');
  const company = { kind: 'company', key: 'buyer-of-muster', row: ROW, revision: '0' } as const;
  await rows.begin(ROW, 'company');
  await calls.claim(company, { owner: 'a/1', onUnknown: 'hold' });
  const { vanish } = await process('b');
  await calls.doubt(company, 'a/1', 'no answer');
  await rows.advance(ROW, 'company', 'held', { problem: { step: 'company', message: 'unknown' } });
  await vanish();
  expect(await calls.release(company, 'a/1', 'refused', { status: 409, body: '' })).toMatchObject({ late: true });
  await rows.requeue(ROW, 'held', false);
  await rows.begin(ROW, 'company');
  const refused = { is: 'refused', status: 409, body: '' };
  expect(await calls.claim(company, { owner: 'a/2', onUnknown: 'hold' })).toEqual(refused);
});

test('a late refusal ends a row whose answer waits for approval, even if that answer is declined', async () => {
  const { calls, rows, process, approvals } = await putRow();
  await process('a');
  const company = { kind: 'company', key: 'buyer-of-muster', row: ROW, revision: '0' } as const;
  await rows.begin(ROW, 'company');
  await calls.claim(company, { owner: 'a/1', onUnknown: 'hold' });
  await calls.doubt(company, 'a/1', 'no answer');
  await rows.advance(ROW, 'company', 'held', { problem: { step: 'company', message: 'unknown' } });
  const of = { portfolio: 'q4', id: await approvals.askFor({ portfolio: 'q4', kind: 'answer', by: 'olivia' }) };
  expect(await approvals.awaitRow(ROW, 'held', { id: of.id, by: 'olivia', said: 'resend' })).toBe(true);
  await approvals.close(of, { always: true, above: undefined });
  // The process that received this died before the row was refused.
  expect(await calls.release(company, 'a/1', 'refused', { status: 409, body: '' })).toMatchObject({ late: true });
  const digest = (await approvals.read(of.id))?.digest ?? '';
  expect(await approvals.decline({ id: of.id, by: 'ann', digest })).toBe('declined');
  await approvals.freeSome(of, [ROW]);
  expect((await rows.read([ROW]))[0]).toMatchObject({ state: 'held' });
  await rows.requeue(ROW, 'held', false);
  await rows.begin(ROW, 'company');
  expect(await calls.claim(company, { owner: 'a/2', onUnknown: 'hold' })).toMatchObject({ is: 'refused', status: 409 });
});

test('a refused document that another row had made since does not make its row refused for another document', async () => {
  const { calls, rows, process } = await putRow();
  const other = { portfolio: 'q4', key: 'row-2' };
  await rows.put(other, 3, 'import-1', makeRequest());
  await process('a');
  for (const row of [ROW, other]) {
    await rows.begin(row, 'company');
    await rows.advance(row, 'company', 'documents', { company: 'company_1' });
  }
  const first = { kind: 'document', key: 'first', row: ROW, revision: '0' } as const;
  await calls.claim(first, { owner: 'a/1', onUnknown: 'resend' });
  await calls.release(first, 'a/1', 'refused', { status: 422, body: 'no' });
  await calls.claim({ ...first, row: other }, { owner: 'a/2', onUnknown: 'resend' });
  await calls.settle({ ...first, row: other }, 'a/2', { id: 'document_1', record: {}, buyer: 'buyer-of-muster' });
  expect(await calls.claim(first, { owner: 'a/3', onUnknown: 'resend' })).toMatchObject({ is: 'made' });
  expect(await calls.claim({ ...first, key: 'second' }, { owner: 'a/4', onUnknown: 'resend' })).toMatchObject({
    is: 'go',
  });
});

test('a refusal of a call in doubt is reported as late, also when the reply is lost and asked for again', async () => {
  const { calls } = openLedger();
  const limit = { kind: 'limit', key: 'request-1', row: { portfolio: 'q4', key: 'row-1' } } as const;
  await calls.claim(limit, { owner: 'a/1', onUnknown: 'hold' });
  expect(await calls.claim(limit, { owner: 'b/1', onUnknown: 'hold' })).toMatchObject({ is: 'unknown' });
  for (let time = 0; time < 2; time += 1)
    expect(await calls.release(limit, 'a/1', 'refused')).toMatchObject({ is: 'back', late: true });
});
