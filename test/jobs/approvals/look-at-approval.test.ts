import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { carryOutAnswered } from '../../../jobs/approvals/answer-approval.ts';
import { largestRows, lookAtApproval } from '../../../jobs/approvals/look-at-approval.ts';
import { lookElsewhere } from '../../../jobs/approvals/look-elsewhere.ts';
import { makeUnderstandFile } from '../../../jobs/approvals/understand-file.ts';
import { resolveCalls } from '../../../jobs/operators/resolve-calls.ts';
import { documentKey } from '../../../jobs/rows/walk-rows.ts';
import { saidLine, waitingWords } from '../../../scripts/approval/approval-words.ts';
import { NO_RIGHTS } from '../../../src/console/access/access.ts';
import { approvalPage } from '../../../src/console/pages/approvals/approval-page.ts';
import { whyWords } from '../../../src/ledger/schema/approval.ts';
import { ANSWERING, openPortfolio, waitingIn } from '../../support/approved-portfolio.ts';
import { unmarked } from '../../support/desk.ts';
import { buyerLines } from '../../support/workplace.ts';

const HEADER = 'name,country_code,company_registration_number,requested_limit,Kostenstelle';
const line = (n: number, amount: string) => `Buyer ${n} GmbH,DE,HRB ${n},${amount},K${n}`;

test('the largest rows are found among thousands, also if many are equal', async () => {
  const { import: bring, context } = await openPortfolio(1);
  const amounts = Array.from({ length: 1_500 }, (_none, n) => `${1_000 + ((n * 7_919) % 1_500)}.25`);
  amounts[700] = '9000000';
  amounts[1_499] = '450000.75';
  await bring([HEADER, ...amounts.map((amount, n) => line(n + 1, amount))], { portfolio: 'many', by: 'alice' });
  await bring([HEADER, ...Array.from({ length: 600 }, (_none, n) => line(n + 1, '5'))], {
    portfolio: 'same',
    by: 'alice',
  });
  const waiting = await context.approvals.waiting();
  const many = waiting.find(({ portfolio }) => portfolio === 'many');
  const same = waiting.find(({ portfolio }) => portfolio === 'same');
  if (!many || !same) throw new Error('nothing waits');
  const { largest, isExact } = await largestRows(many, context);
  expect(isExact).toBe(true);
  const expected = amounts.map(Number).sort((a, b) => b - a);
  expect(largest.map(({ result }) => Number(result.request.limit.requested_limit))).toEqual(expected.slice(0, 10));
  const equal = await largestRows(same, context);
  expect([equal.isExact, equal.largest.length]).toEqual([true, 10]);
  // Rows without an index are read from the beginning only, and the result is marked as inexact.
  await context.ledger.del(context.keys.names('many'));
  const unindexed = await largestRows(many, context);
  expect([unindexed.isExact, unindexed.largest.length]).toEqual([false, 10]);
});

// Promises: approval-shows-what-is-sent, approver-sees-the-file
test('an approver sees what is sent, how the file was read, its warnings and its left-out lines', async () => {
  const { import: bring, context } = await openPortfolio(1);
  const reading = { decimal: '.' as const };
  await bring([HEADER, line(1, '5000'), line(2, '7000'), line(2, '7000'), ',DE,HRB 3,1,K'], {
    portfolio: 'seen',
    by: 'alice',
    reading,
  });
  const seen = (await context.approvals.waiting()).find(({ portfolio }) => portfolio === 'seen');
  const understand = makeUnderstandFile(context);
  const look = await lookAtApproval(seen?.id ?? '', { ...context, understand });
  expect(look).toMatchObject({
    approval: { rows: 2, sum: '12000.00' },
    file: {
      name: 'seen.csv',
      by: 'alice',
      found: { lines: 4, rows: 2, invalid: 1, duplicate: 1 },
      reading: ['UTF-8', 'separated by commas', 'header in line 1', 'decimals after a point'],
      fileWarnings: [{ message: expect.stringContaining('2 good lines name no document') }],
      lookedThrough: 4,
      isWhole: true,
    },
    largest: [
      { name: 'Buyer 2 GmbH', amount: '7000' },
      { name: 'Buyer 1 GmbH', amount: '5000' },
    ],
    isLargestExact: true,
    since: [],
  });
  expect(look?.file?.columns).toContainEqual({ written: 'requested_limit', known: 'requested_limit' });
  expect(look?.file?.columns).toContainEqual({ written: 'Kostenstelle', known: undefined });
  expect(look?.first[0]).toMatchObject({
    line: 2,
    company: { name: 'Buyer 1 GmbH' },
    limit: { company_registration_number: 'HRB 1', requested_limit: 5_000 },
  });
  // Another data folder has no copy of the file. The other facts are in the ledger.
  const elsewhere = makeUnderstandFile({
    imports: { ...context.imports, open: () => ({ path: '/nowhere' }) } as never,
  });
  const unread = await lookAtApproval(seen?.id ?? '', { ...context, understand: elsewhere });
  expect(unread).toMatchObject({ file: undefined, unread: {}, largest: [{ amount: '7000' }, { amount: '5000' }] });
  const pageOf = (made: { leftOut: number; people: string } | undefined) =>
    unread ? approvalPage({ ...unread, unread: { made } }, ANSWERING, NO_RIGHTS).markup : '';
  expect(pageOf(undefined)).toContain('The file cannot be shown here.');
  expect(pageOf({ leftOut: 2, people: 'alice' })).toContain('Changed by hand: 2 lines left out by alice.');
  expect(look ? approvalPage(look, ANSWERING, NO_RIGHTS).markup : '').not.toContain('cannot be shown here');
});

// Promise: approver-sees-second-limits
test('an approver sees which buyers have another request', async () => {
  const { import: bring, context } = await openPortfolio(1);
  await bring([HEADER, line(1, '5000'), line(2, '7000')], { portfolio: 'first', by: 'alice' });
  await bring([HEADER, line(2, '8000'), line(3, '9000')], { portfolio: 'second', by: 'alice' });
  const waiting = await context.approvals.waiting();
  const second = waiting.find(({ portfolio }) => portfolio === 'second');
  const look = await lookAtApproval(second?.id ?? '', { ...context, understand: makeUnderstandFile(context) });
  expect(look?.others).toMatchObject({
    rows: 1,
    isExact: true,
    first: [{ line: 2, name: 'Buyer 2 GmbH', requested_limit: '8000', other: { requested_limit: '7000' } }],
  });
  const page = look ? approvalPage(look, ANSWERING, NO_RIGHTS).markup : '';
  expect(page).toContain('Some buyers have another request.');
  expect(page).toContain('1 row is of a buyer with another request, so a second limit would be requested:');
  expect(page).toContain('Decline it if a second limit is not meant.');
});

// Promise: approver-sees-alike-buyers
test('an approver sees which buyers may be the same company as one with another request', async () => {
  const { import: bring, context, say } = await openPortfolio(1);
  const named = (at: number, name: string, amount: string) => line(at, amount).replace(`Buyer ${at} GmbH`, name);
  await bring([HEADER, line(1, '5000'), named(2, 'Adler Werke GmbH', '7000')], { portfolio: 'first', by: 'alice' });
  const lines = [HEADER, named(3, 'ADLER-WERKE GmbH', '8000'), named(4, 'Adler Werke', '400'), line(5, '9000')];
  await bring(lines, { portfolio: 'second', by: 'alice' });
  const waiting = await context.approvals.waiting();
  const [first, second] = ['first', 'second'].map((name) => waiting.find(({ portfolio }) => portfolio === name));
  const look = await lookAtApproval(second?.id ?? '', { ...context, understand: makeUnderstandFile(context) });
  expect(look?.others).toBeUndefined();
  const other = { words: expect.stringMatching(/^Adler Werke GmbH, line 3 of first.csv #1 in portfolio first /) };
  expect(look?.alike).toMatchObject({
    isExact: true,
    first: [
      { line: 2, name: 'ADLER-WERKE GmbH', other },
      { line: 3, name: 'Adler Werke', other },
    ],
  });
  const page = look ? approvalPage(look, ANSWERING, NO_RIGHTS).markup : '';
  expect(page).toContain('Some buyers may have another request under another name or number.');
  expect(page).toContain('2 rows are of buyers that may be the same company as one with another request:');
  // Both are also alike to each other, which each shares with the first buyer alone.
  const no = await say({ id: first?.id ?? '', digest: first?.digest ?? '', answer: 'decline', words: 'too much' });
  if (no.is === 'done') await carryOutAnswered(no.approval, context);
  const later = await lookAtApproval(second?.id ?? '', { ...context, understand: makeUnderstandFile(context) });
  const among = (name: string) => ({
    words: expect.stringMatching(new RegExp(`^${name}, line .* of second.csv #1 `)),
  });
  expect(later?.alike?.first).toMatchObject([{ other: among('Adler Werke') }, { other: among('ADLER-WERKE GmbH') }]);
});

// Promise: approval-shows-what-is-sent
test.each([
  ['company_77', 'made: company_77', 0],
  [undefined, 'not made: send it again', 1],
])('an approver of a held row sees its answer %s, and what is sent then', async (made, words, sent) => {
  const { context, approve, waiting, all, hold } = await openPortfolio(1);
  await approve();
  const [row] = await all('queued');
  if (!row) throw new Error('no row was approved');
  await hold(row);
  await resolveCalls({ portfolio: 'q4', row: row.key, made, by: 'olivia' }, context);
  const approval = await waiting();
  const look = await lookAtApproval(approval.id, { ...context, understand: makeUnderstandFile(context) });
  expect(look?.first).toHaveLength(sent);
  const { largest } = await largestRows(approval, context);
  expect(largest.map((one) => saidLine(one, 'EUR'))).toEqual([expect.stringContaining(`EUR 1,001.50, ${words}`)]);
  expect(whyWords(approval)).toContain('it exists twice');
});

// Promise: approval-shows-what-is-sent
test('an approver sees the rows requested elsewhere meanwhile, and what an approval would request now', async () => {
  const place = await openPortfolio(3);
  const { context } = place;
  await place.import([...buyerLines(2), ...buyerLines(9).slice(9)], { portfolio: 'q5', by: 'alice' });
  const [first, second] = [await waitingIn('q4', place), await waitingIn('q5', place)];
  const [row] = await context.approvals.rowsOf(second);
  if (!row) throw new Error('no row waits');
  await context.ledger.hset(context.keys.call('limit', row.key), { state: 'made', id: 'limit_1' });
  const look = await lookAtApproval(first.id, { ...context, understand: makeUnderstandFile(context) });
  expect(look).toMatchObject({
    approval: { rows: 3, sum: '3007.50' },
    goes: { rows: 2, sum: '2006.00' },
    first: [{ line: 3 }, { line: 4 }],
    since: [
      '1 row, 1,001.50 in all, was requested elsewhere meanwhile, and nothing is requested twice. A yes requests 2 rows now, 2,006.00 in all.',
    ],
  });
  const page = unmarked(look ? approvalPage(look, ANSWERING, NO_RIGHTS).markup : '');
  for (const words of ['Approve 2 rows, 2,006.00?', 'was requested elsewhere meanwhile', '<dd>3, 3,007.50</dd>'])
    expect(page).toContain(words);
  // The approval covers the stored content. Calls made meanwhile do not change its digest.
  expect(await place.say({ id: first.id, digest: first.digest })).toMatchObject({ is: 'done' });
  const answered = (await context.approvals.read(first.id)) ?? first;
  expect(await lookElsewhere(answered, context)).toMatchObject({ goes: { rows: 3 }, words: [] });
});

// Promise: approval-shows-what-is-sent
test('a row that waits for a document in doubt elsewhere counts as held', async () => {
  const { import: bring, context, dir } = await openPortfolio(1);
  await mkdir(join(dir, 'documents'));
  await writeFile(join(dir, 'documents', 'report.pdf'), '%PDF-1.4');
  const [header, first, second] = buyerLines(2);
  const lines = [`${header},supporting_documents`, `${first},report.pdf`, `${second},`];
  await bring(lines, { portfolio: 'q5', by: 'alice' });
  const approval = (await context.approvals.waiting()).find(({ portfolio }) => portfolio === 'q5');
  if (!approval) throw new Error('nothing waits');
  const results = await context.rows.read(await context.approvals.rowsOf(approval));
  const [document] = results.flatMap((result) => result?.request.documents ?? []);
  if (!document) throw new Error('no document');
  await context.ledger.hset(context.keys.call('document', documentKey(document)), { state: 'unknown' });
  expect(await lookElsewhere(approval, context)).toMatchObject({
    goes: { rows: 1, sum: '1002.50' },
    words: [expect.stringContaining('1 row, 1,001.50 in all, is held elsewhere: nothing is sent for it')],
  });
});

// Promise: approval-shows-what-is-sent
test('a reason with an outdated sum is marked as such, and the present sum is shown beside it', async () => {
  const place = await openPortfolio(3, { APPROVE_ALWAYS: 'off', APPROVE_ABOVE: '2000' });
  const { context } = place;
  const approval = await waitingIn('q4', place);
  const deps = { ...context, understand: makeUnderstandFile(context) };
  const pageOf = async () => {
    const look = await lookAtApproval(approval.id, deps);
    return unmarked(look ? approvalPage(look, ANSWERING, NO_RIGHTS).markup : '');
  };
  const why = 'Portfolio q4 asks for 3,007.50 with these rows, which is above 2,000.00.';
  const before = await pageOf();
  expect(before).toContain(why);
  expect(before).toContain('To be requested');
  expect(before).not.toContain('When this was asked for');
  expect(waitingWords(approval, { currency: 'EUR' })).toContain(': 3 rows, EUR 3,007.50 in all, ');
  expect(waitingWords(approval)).toContain(`why           ${why}`);
  const [row] = await context.approvals.rowsOf(approval);
  await context.ledger.hset(context.keys.call('limit', row?.key ?? ''), { state: 'made', id: 'limit_1' });
  const now = await pageOf();
  for (const words of [`When this was asked for: ${why}`, 'Requested by a yes now', 'A yes requests 2 rows now'])
    expect(now).toContain(words);
  expect(waitingWords(approval, { isOld: true })).toContain(`why           When this was asked for: ${why}`);
  await place.import(buyerLines(2), { by: 'alice', replace: true });
  const less = await waitingIn('q4', place);
  expect(waitingWords(less)).toContain(`why           When this was asked for: ${why}`);
});

// Promise: approval-shows-what-is-sent
test('an approver sees which of many rows were made, are held or are under way elsewhere', async () => {
  const place = await openPortfolio(26);
  const { context } = place;
  const approval = await waitingIn('q4', place);
  const rows = await context.approvals.rowsOf(approval);
  const results = await context.rows.read(rows);
  // These are more rows than the first page, and include the largest.
  const made = rows.filter((_row, n) => n < 20 || n === 25);
  for (const { key } of made)
    await context.ledger.hset(context.keys.call('limit', key), { state: 'made', id: `limit_${key}` });
  await context.ledger.hset(context.keys.call('limit', rows[20]?.key ?? ''), { state: 'unknown' });
  const buyer = results[21]?.request.buyer ?? '';
  await context.ledger.hset(context.keys.call('company', buyer), { state: 'unknown' });
  await context.ledger.hset(context.keys.call('limit', rows[22]?.key ?? ''), { state: 'claimed' });
  const look = await lookAtApproval(approval.id, { ...context, understand: makeUnderstandFile(context) });
  expect(look).toMatchObject({ goes: { rows: 2, sum: '2050.00' }, first: [{ line: 25 }, { line: 26 }] });
  expect(look?.since).toEqual([
    '21 rows, 21,246.50 in all, were requested elsewhere meanwhile, and nothing is requested twice. ' +
      '2 rows, 2,044.00 in all, are held elsewhere: nothing is sent for them until a person answers. ' +
      '1 row, 1,023.50 in all, is under way elsewhere: nothing is sent for it before the answer is there. ' +
      'A yes requests 2 rows now, 2,050.00 in all.',
  ]);
  expect(look?.largest.slice(0, 6).map(({ line, elsewhere }) => [line, elsewhere])).toEqual([
    [27, 'made'],
    [26, undefined],
    [25, undefined],
    [24, 'under way'],
    [23, 'held'],
    [22, 'held'],
  ]);
  const page = unmarked(look ? approvalPage(look, ANSWERING, NO_RIGHTS).markup : '');
  for (const words of ['requested elsewhere: not sent again', 'held elsewhere: not sent now'])
    expect(page).toContain(words);
});
