import { expect, test, vi } from 'vitest';
import { callInDoubt } from '../../../jobs/rows/calls-of.ts';
import { countQuestions, makeHeldDesk } from '../../../jobs/story/held-desk.ts';
import { openWorkplace } from '../../support/workplace.ts';

test('two held calls of one request are two questions on the list of the account', async () => {
  const { context, import: importLines } = await openWorkplace();
  const { rows, calls, ledger, keys, stories } = context;
  const header = 'name,country_code,company_registration_number,requested_limit,request_reference';
  await importLines([header, 'Uno SpA,IT,1,100,R1'], { portfolio: 'south' });
  // This file names the company that the service has already, so its row has no company to make.
  await importLines([`${header},company_id`, 'Uno SpA,IT,1,100,R1,company_known'], { portfolio: 'north' });
  const [south] = await rows.inState('south', 'queued', { count: 1 });
  const [north] = await rows.inState('north', 'queued', { count: 1 });
  if (!south || !north) throw new Error('no rows');
  expect(north.row.key).toBe(south.row.key);
  const [known] = await rows.read([south.row]);
  const buyer = known?.request.buyer ?? '';
  await rows.begin(south.row, 'company');
  await ledger.hset(keys.call('company', buyer), { state: 'unknown', row: `south/${south.row.key}` });
  await rows.advance(south.row, 'company', 'held', { problem: { step: 'company', message: 'nobody knows' } });
  await rows.begin(north.row, 'limit');
  await ledger.hset(keys.call('limit', north.row.key), { state: 'unknown', row: `north/${north.row.key}` });
  await rows.advance(north.row, 'limit', 'held', { problem: { step: 'limit', message: 'nobody knows' } });
  const held = await stories.held({ count: 9 });
  const results = await rows.read(held.map(({ row }) => row));
  const asked = await Promise.all(
    held.map(async ({ row }, at) => callInDoubt({ row, result: results[at] } as never, { calls })),
  );
  expect(asked.map((call) => call?.kind).sort()).toEqual(['company', 'limit']);
  const desk = makeHeldDesk(context);
  expect((await desk.rows(undefined)).map(({ row }) => row.portfolio).sort()).toEqual(['north', 'south']);
  expect(await countQuestions(context)).toBe(2);
  // Each page shows the number: rows are compared again only once others are held.
  const read = vi.spyOn(context.rows, 'read');
  expect(await countQuestions(context)).toBe(2);
  expect(read).not.toHaveBeenCalled();
  await rows.advance(north.row, 'held', 'queued', {});
  expect(await countQuestions(context)).toBe(1);
});
