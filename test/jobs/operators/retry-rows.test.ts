import { expect, test } from 'vitest';
import { retryRows } from '../../support/approved-portfolio.ts';
import { buyerLines, openWorkplace } from '../../support/workplace.ts';

/** Four rows, one refused at its company and two at their limits. */
async function withRefusals() {
  const place = await openWorkplace({
    faults: {
      rules: [
        { on: 'company', match: 'Buyer 1 ', fault: 'status', status: 400, body: 'name looks odd' },
        { on: 'limit', match: 'HRB 2', fault: 'status', status: 422, body: 'Amount TOO HIGH' },
        { on: 'limit', match: 'HRB 3', fault: 'status', status: 422, body: 'contact missing' },
      ],
    },
  });
  await place.import(buyerLines(4));
  await place.work();
  expect((await place.settled()).states).toMatchObject({ done: 1, refused: 3 });
  const retry = async (options: object = {}) =>
    (await retryRows({ portfolio: 'q4', state: 'refused', ...options }, place.context)).rows;
  return { ...place, retry };
}

test('retry sends every refused row again at its own step, and makes no company twice', async () => {
  const { standIn, settled, retry } = await withRefusals();
  await standIn.setFaults({ rules: [] });
  expect(await retry()).toBe(3);
  const report = await settled();
  expect(report.states).toMatchObject({ done: 4, refused: 0 });
  // One company call and two limit calls were refused. Nothing else was sent a second time.
  expect(report.calls).toMatchObject({ company: 5, limit: 6 });
  expect(standIn.counts().made).toMatchObject({ company: 4, limit: 4 });
});

// Each row is refused again, so that the next options find the same rows.
test('retry selects rows by line and by words of the problem, and stores the new refusal', async () => {
  const { standIn, settled, retry, context } = await withRefusals();
  const refused = async () => {
    const rows = (await context.rows.inState('q4', 'refused', { count: 9 })).map(({ row }) => row);
    return (await context.rows.read(rows)).flatMap((one) => one ?? []);
  };
  for (const [options, chosen] of [
    [{ line: 3 }, ['HRB 2']],
    [{ error: 'too high' }, ['HRB 2']],
    [{ error: 'refused the company' }, ['HRB 1']],
    [{ error: 'status 422' }, ['HRB 2', 'HRB 3']],
    [{ line: 3, error: 'contact' }, []],
  ] as const) {
    const before = new Map((await refused()).map(({ line, updatedMs }) => [line, updatedMs]));
    expect(await retry(options), JSON.stringify(options)).toBe(chosen.length);
    await settled();
    const again = (await refused()).filter(({ line, updatedMs }) => updatedMs !== before.get(line));
    expect(again.map(({ request }) => request.limit.company_registration_number).sort()).toEqual(chosen);
  }
  await standIn.setFaults({ rules: [{ on: 'limit', fault: 'status', status: 403, body: 'closed' }] });
  expect(await retry({ line: 3 })).toBe(1);
  await settled();
  const problem = { step: 'limit', status: 403, body: 'closed' };
  expect((await refused()).find(({ line }) => line === 3)).toMatchObject({ problem });
});

// Promise: retry-of-two-files
test('retry refuses a line number of two files, and accepts the row id', async () => {
  const place = await openWorkplace({ faults: { rules: [{ on: 'company', fault: 'status', status: 400 }] } });
  const retry = (options: object) => retryRows({ portfolio: 'q4', state: 'refused', ...options }, place.context);
  const [header = '', first = '', second = ''] = buyerLines(2);
  await place.work();
  for (const line of [first, second]) {
    await place.import([header, line]);
    await place.settled();
  }
  const several = /^Several refused rows .*Buyer 1 .*; line 2 of q4.csv #2, Buyer 2 .* \(row q4\/(\S+)\)/;
  const { message = '' } = (await retry({ line: 2 }).catch((error: Error) => error)) as Error;
  const [, row = ''] = several.exec(message) ?? [];
  await place.standIn.setFaults({ rules: [] });
  expect(await retry({ row })).toEqual({ rows: 1 });
  expect((await place.settled()).states).toMatchObject({ done: 1, refused: 1 });
  expect(JSON.stringify(place.standIn.things('limit'))).toContain('HRB 2');
  expect(await retry({ row })).toEqual({ rows: 0 });
});
