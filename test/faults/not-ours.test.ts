import { expect, test } from 'vitest';
import { resolveCalls } from '../../jobs/operators/resolve-calls.ts';
import type { FaultChange } from '../../src/stand-in/fault-settings.ts';
import { buyerLines, exportedText, foundBy, openWorkplace } from '../support/workplace.ts';

type Rule = NonNullable<FaultChange['rules']>[number];

/** The limits of one buyer, or of all, are answered with these fields instead of their own. */
const limitAnswers = (set: Record<string, unknown>, match?: string): Rule => ({
  on: 'limit',
  fault: 'answer',
  set,
  ...(match === undefined ? {} : { match }),
});

async function run(rules: Rule[], { env = {}, count = 3 }: { env?: Record<string, string>; count?: number } = {}) {
  const place = await openWorkplace({ faults: { rules }, env });
  await place.import(buyerLines(count));
  await place.work();
  return { place, report: await place.settled() };
}

async function heldProblem(place: Awaited<ReturnType<typeof openWorkplace>>, field: 'message' | 'body' = 'message') {
  const [first] = await place.context.rows.inState('q4', 'held', { count: 1 });
  const [result] = await place.context.rows.read(first ? [first.row] : []);
  return result?.problem?.[field] ?? '';
}

// Promise: foreign-answer-is-held
test.each<[string, Record<string, unknown>, RegExp]>([
  ['amount', { requested_limit: 1 }, /its requested_limit is 1, where 1002\.5 was sent/],
  ['company', { company: 'company_other' }, /its company is company_other, where company_\w+ was sent/],
])('a limit that is answered with another %s is held, also with ON_UNKNOWN_LIMIT=resend', async (_name, set, words) => {
  const { place, report } = await run([limitAnswers(set, 'HRB 2"')], { env: { ON_UNKNOWN_LIMIT: 'resend' } });
  expect(report.states).toMatchObject({ done: 2, held: 1 });
  expect(await heldProblem(place)).toMatch(words);
  expect(place.standIn.counts().made.limit).toBe(3);
  expect(place.standIn.madeTwice()).toEqual([]);
});

// Promise: whole-answer-while-held
test('the whole answer to another request is kept with the held row until the row is resolved', async () => {
  const { place } = await run([limitAnswers({ requested_limit: 1, note: 'ü'.repeat(2_000) }, 'HRB 2"')]);
  const body = await heldProblem(place, 'body');
  expect(body).toContain('"requested_limit":1,');
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(2_048);
  expect(Buffer.byteLength(body)).toBeGreaterThan(2_000);
  expect(await exportedText(place.context)).not.toContain('üüü');
  const [held] = await place.context.rows.inState('q4', 'held', { count: 1 });
  await resolveCalls({ portfolio: 'q4', row: held?.row.key, made: 'bl_found' }, place.context);
  expect(JSON.stringify(await place.context.rows.read(held ? [held.row] : []))).not.toContain('üüü');
});

// Promises: foreign-answer-is-held, shared-id-first-keeps-it
test('when several limits are answered with one id, the first counts, and a person cannot give that id to another row', async () => {
  const { place, report } = await run([limitAnswers({ id: 'bl_same' })], { env: { ON_UNKNOWN_LIMIT: 'resend' } });
  expect(report.states).toMatchObject({ done: 1, held: 2 });
  expect(await heldProblem(place)).toMatch(/its id bl_same is that of the limit that was made for the row q4\//);
  expect(place.standIn.counts().made.limit).toBe(3);
  const [first] = await place.context.rows.inState('q4', 'held', { count: 1 });
  await expect(resolveCalls({ portfolio: 'q4', row: first?.row.key, made: 'bl_same' }, place.context)).rejects.toThrow(
    /"bl_same" is already known: it was made for line \d of portfolio "q4" \(Buyer \d GmbH\)/,
  );
});

// Promise: ten-foreign-answers-pause
test('ten foreign answers in a row pause the portfolio, and resume starts the count again', async () => {
  const place = await openWorkplace({
    faults: { rules: [limitAnswers({ requested_limit: 1 })] },
    env: { SERVICE_CONCURRENCY: '1', CANARY_REFUSALS: '0' },
  });
  const read = () => place.context.portfolios.read('q4');
  await place.import(buyerLines(40));
  await place.work();
  await expect.poll(async () => (await read()).paused).toMatch(/^10 limits in a row were answered with another/);
  // Foreign answers trip no breaker, so calls with right answers continue at once.
  expect(await place.context.ledger.hget(place.context.keys.breakers, 'shut:limit')).toBeNull();
  await place.standIn.setFaults({ rules: [{ ...limitAnswers({ requested_limit: 1 }), times: 9 }] });
  await place.context.portfolios.resume('q4');
  const { states } = await place.settled();
  expect(states.done + states.held).toBe(40);
  // The ten before the pause, at most one in flight, and nine more.
  expect(states.held).toBeGreaterThanOrEqual(19);
  expect(states.held).toBeLessThanOrEqual(20);
  expect((await read()).paused).toBeUndefined();
});

test('foreign answers with right ones between them do not pause the portfolio', async () => {
  const { place, report } = await run([{ ...limitAnswers({ requested_limit: 1 }), every: 2 }], {
    count: 30,
    env: { SERVICE_CONCURRENCY: '1' },
  });
  expect(report.states).toMatchObject({ done: 15, held: 15 });
  expect((await place.context.portfolios.read('q4')).paused).toBeUndefined();
});

// Promise: answer-check-warn
test('SERVICE_ANSWER_CHECK=warn accepts foreign answers with a warning in the results', async () => {
  const rules = [limitAnswers({ requested_limit: 1000 }, 'HRB 1"'), limitAnswers({ id: 'bl_same' })];
  const { place, report } = await run(rules, { env: { SERVICE_ANSWER_CHECK: 'warn' } });
  expect(report.states).toMatchObject({ done: 3, held: 0 });
  const results = await exportedText(place.context);
  expect(results).toContain('differs from what was sent: its requested_limit is 1000, where 1001.5 was sent');
  expect(results).toContain('its id bl_same is that of the limit that was made for the row q4/');
});

// Promises: other-difference-warned, id-alone-is-enough
test('any other difference is a warning in the results, and missing fields are none', async () => {
  const drop = ['company', 'requested_limit', 'company_registration_number', 'status', 'object', 'total_limit'];
  const { place, report } = await run([
    limitAnswers({ company_registration_number: 'HRB 77' }, 'HRB 2"'),
    { on: 'limit', fault: 'answer', drop, match: 'HRB 3"' },
  ]);
  expect(report.states).toMatchObject({ done: 3, held: 0 });
  expect(await exportedText(place.context)).toContain(
    'its company_registration_number is HRB 77, where HRB 2 was sent',
  );
});

// Promise: shared-company-reported
test('a company that two buyers share is a finding of the nightly check, and holds no row', async () => {
  const { place } = await run([], { count: 1 });
  const [first] = await place.context.rows.inState('q4', 'done', { count: 1 });
  const [known] = await place.context.rows.read(first ? [first.row] : []);
  await place.standIn.setFaults({ rules: [{ on: 'company', fault: 'answer', set: { id: known?.companyId } }] });
  await place.import(buyerLines(3), { portfolio: 'q5' });
  expect((await place.settled('q5')).states).toMatchObject({ done: 2, skipped: 1, held: 0 });
  const found = (await foundBy(place.context, { finance: true })).filter(({ finding }) => /one company/.test(finding));
  const finding = 'two buyers have one company: see whether they are the same';
  expect(found).toEqual([{ portfolio: 'q5', finding, rows: 2 }]);
  // A company_id that a file gives to two buyers, or to a buyer other than its own, is a finding, too.
  await place.standIn.setFaults({ rules: [] });
  const [header, id] = ['name,country_code,requested_limit,company_id', known?.companyId];
  await place.import([header, `A AG,DE,7,${id}`, `B AG,DE,8,${id}`, `B AG,DE,9,${id}`], { portfolio: 'q6' });
  await place.settled('q6');
  const all = await foundBy(place.context, { finance: true });
  expect(all.filter(({ finding }) => /one company/.test(finding))).toContainEqual({
    portfolio: 'q6',
    finding,
    rows: 3,
  });
});
