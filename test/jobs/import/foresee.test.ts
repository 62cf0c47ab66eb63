import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { carryOutAllAnswered } from '../../../jobs/approvals/answer-approval.ts';
import { cancelRows } from '../../../jobs/operators/cancel-rows.ts';
import { makeDocumentFolder } from '../../../src/documents/folder.ts';
import { checkedFile, openWorkplace } from '../../support/workplace.ts';

type Place = Awaited<ReturnType<typeof openWorkplace>>;

type In = { portfolio?: string; header?: string };

const HEADER = 'name,country_code,company_registration_number,request_reference,supporting_documents,requested_limit';

/** What check reports about a file: the limits and companies that an import would make, and its lines by kind. */
async function checked(
  { dir, context }: Place,
  lines: string[],
  { portfolio = 'q4', warnings = [], header = HEADER }: In & { warnings?: [number, string][] } = {},
) {
  const path = join(dir, `${portfolio}.csv`);
  await writeFile(path, `${[header, ...lines].join('\n')}\n`);
  const documents = makeDocumentFolder({ dir: join(dir, 'documents'), maxSizeMb: 1 });
  const { lines: found, limits, companies } = await checkedFile({ path, portfolio, documents }, context);
  for (const one of found)
    if (one.kind === 'row') warnings.push(...one.warnings.map(({ message }): [number, string] => [one.line, message]));
  const count = (kind: (typeof found)[number]['kind']) => found.filter((one) => one.kind === kind).length;
  return { limits, companies, rows: count('row'), invalid: count('invalid'), duplicate: count('duplicate') };
}

/** The workplaces whose workers run, since the first file was checked. */
const WORKING = new WeakSet<Place>();

/** What an import of the same file does: its lines by kind, and the calls that the service answers, made or refused. */
async function imported(place: Place, lines: string[], { portfolio = 'q4', header = HEADER }: In = {}) {
  const asked = () => {
    const { limit, company } = place.standIn.counts().made;
    return { limits: limit, companies: company };
  };
  const before = asked();
  const { rows, invalid, duplicate } = await place.import([header, ...lines], { portfolio });
  if (!WORKING.has(place)) await place.work();
  WORKING.add(place);
  await place.settled(portfolio);
  const after = asked();
  const [limits, companies] = [after.limits - before.limits, after.companies - before.companies];
  return { limits, companies, rows, invalid, duplicate };
}

// Promise: check-counts-the-import
test('check and import agree on how many limits are requested and companies created', async () => {
  const lost = (on: 'company' | 'limit', match: string) =>
    ({ on, match, fault: 'reset', made: true, times: 1 }) as const;
  const rules = [
    lost('limit', 'HRB 2"'),
    lost('company', 'Firma C'),
    { on: 'limit', match: 'HRB 4"', fault: 'status', status: 400, times: 1 } as const,
  ];
  const place = await openWorkplace({ faults: { rules } });
  await mkdir(join(place.dir, 'documents'));
  await writeFile(join(place.dir, 'documents', 'a.pdf'), '%PDF-1.4\n');
  const line = (letter: string, amount = 1_000, more = '') =>
    `Firma ${letter} GmbH,DE,HRB ${letter.charCodeAt(0) - 64},${more || ','},${amount}`;
  const first = ['A', 'B', 'C', 'D', 'E'].map((letter) => line(letter));
  const situations: [string, string[], string?][] = [
    ['a new file, of which one is lost at its limit, one at its company and one refused', first],
    ['the same again: one made, one refused, the others held', first],
    ['in another portfolio', first, 'q5'],
    ['a held company with another amount', [line('C', 2_000)]],
    ['other amounts for known buyers', [line('A', 2_000), line('E', 3_000)]],
    ['a repetition and another name', [line('F'), line('F'), line('G').replace('HRB 7', 'HRB 6')]],
    ['a changed amount under its reference', [line('H', 1, 'R-1,')]],
    ['… after it was requested', [line('H', 2, 'R-1,')]],
    ['… in another portfolio', [line('H', 2, 'R-1,')], 'q5'],
    ['a reference for another buyer', [line('K', 1, 'R-1,')], 'q5'],
    ['with a document', [line('L', 1, 'R-2,a.pdf')]],
    ['with the same document again', [line('L', 1, 'R-2,a.pdf')]],
    ['without the document after it was requested', [line('L', 1, 'R-2,')]],
  ];
  const held = new Set([situations[0]?.[0]]);
  for (const [what, lines, portfolio = 'q4'] of situations) {
    const foreseen = await checked(place, lines, { portfolio });
    const found = await imported(place, lines, { portfolio });
    // A lost answer cannot be foreseen. Everything else can.
    const expected = held.has(what) ? { ...foreseen, limits: 3 } : foreseen;
    expect({ what, ...found }).toEqual({ what, ...expected });
  }
});

test('check and import agree on documents with a purpose: an equal one is known, another purpose is a change', async () => {
  const place = await openWorkplace();
  await mkdir(join(place.dir, 'documents'));
  await writeFile(join(place.dir, 'documents', 'a.pdf'), '%PDF-1.4\n');
  const header = `${HEADER},document_purpose`;
  const line = (reference: string, purpose: string) =>
    `Firma ${reference} GmbH,DE,HRB ${reference},${reference},a.pdf,1,${purpose}`;
  const asked = { limits: 1, companies: 1, rows: 1, invalid: 0, duplicate: 0 };
  const before = { ...asked, limits: 0, companies: 0 };
  const changed = { ...before, rows: 0, invalid: 1 };
  const situations: [string, object][] = [
    [line('1', 'tax_return'), asked],
    [line('1', 'tax_return'), before],
    [line('1', 'annual_report'), changed],
    [line('1', ''), changed],
    [line('2', ''), asked],
    [line('2', 'financial_statement'), before],
    [line('2', 'tax_return'), changed],
  ];
  for (const [written, expected] of situations) {
    const foreseen = await checked(place, [written], { header });
    const found = await imported(place, [written], { header });
    expect({ written, foreseen, found }).toEqual({ written, foreseen: expected, found: expected });
  }
});

test('check counts waiting rows and cancelled rows as requests', async () => {
  const place = await openWorkplace();
  const lines = ['Firma A GmbH,DE,HRB 1,,,1000', 'Firma B GmbH,DE,HRB 2,,,1000'];
  await place.import([HEADER, ...lines]);
  const wanted = { limits: 2, companies: 2, rows: 2, invalid: 0, duplicate: 0 };
  expect(await checked(place, lines)).toEqual(wanted);
  await cancelRows({ portfolio: 'q4', awaitMs: 30_000 }, place.context);
  expect(await checked(place, lines)).toEqual(wanted);
  expect(await imported(place, lines)).toEqual(wanted);
});

// Promise: check-counts-the-import
test('check counts a request under way in another portfolio once, unless that portfolio is paused', async () => {
  const place = await openWorkplace();
  const lines = ['Firma A GmbH,DE,HRB 1,,,1000', 'Firma B GmbH,DE,HRB 2,,,1000'];
  await place.import([HEADER, lines[0] ?? '']);
  const warnings: [number, string][] = [];
  const counted = { limits: 1, companies: 1, rows: 2, invalid: 0, duplicate: 0 };
  expect(await checked(place, lines, { portfolio: 'q5', warnings })).toEqual(counted);
  const message =
    'This request is under way already, line 2 of q4.csv #1 in portfolio q4 (1,000, queued): it is requested once, by whichever goes first.';
  expect(warnings).toEqual([[2, message]]);
  await place.context.portfolios.pause('q4', 'first of all');
  const both = { ...counted, limits: 2, companies: 2 };
  expect(await checked(place, lines, { portfolio: 'q5' })).toEqual(both);
  await place.context.portfolios.resume('q4');
  const { warnings: told } = await place.import([HEADER, ...lines], { portfolio: 'q5' });
  expect(told.map((one) => [one.line, one.message])).toContainEqual([2, message]);
  // This portfolio now has a waiting row of its own, which counts as before.
  expect(await checked(place, lines, { portfolio: 'q5' })).toEqual(both);
  await place.work();
  await Promise.all([place.settled('q5'), place.settled('q4')]);
  expect(place.standIn.counts().made).toMatchObject({ limit: 2, company: 2 });
});

// Promise: check-counts-the-import
test('an open reference of another portfolio with another amount is one request, and gets one warning', async () => {
  const place = await openWorkplace();
  await place.import([HEADER, 'Firma A GmbH,DE,HRB 1,R-1,,1000']);
  const again = ['Firma A GmbH,DE,HRB 1,R-1,,2000'];
  const message = `This request is under way already, line 2 of q4.csv #1 in portfolio q4 (1,000, queued): it is requested once, by whichever goes first.`;
  const warnings: [number, string][] = [];
  expect(await checked(place, again, { portfolio: 'q5', warnings })).toMatchObject({ limits: 0 });
  await place.context.portfolios.pause('q4', 'by request');
  expect(await checked(place, again, { portfolio: 'q5', warnings })).toMatchObject({ limits: 1 });
  expect(warnings).toEqual([
    [2, message],
    [2, message],
  ]);
});

// Promise: earlier-no-is-said
test('check warns of a request that a person declined before', async () => {
  const place = await openWorkplace({ env: { APPROVE_ALWAYS: 'on' } });
  const { context } = place;
  const lines = ['Firma A GmbH,DE,HRB 1,,,1000'];
  await place.import([HEADER, ...lines], { portfolio: 'q4', by: 'alice' });
  const [asked] = await context.approvals.waiting();
  await context.approvals.decline({ id: asked?.id ?? '', digest: asked?.digest ?? '', by: 'bob', words: 'no' });
  await carryOutAllAnswered(context);
  const warnings: [number, string][] = [];
  await checked(place, [...lines, 'Firma B GmbH,DE,HRB 2,,,1000'], { portfolio: 'q5', warnings });
  expect(warnings).toEqual([[2, expect.stringContaining('A person declined this request before')]]);
});

// Promises: check-counts-the-import, repetition-needs-the-header
test.each([
  ['without the header of today', {}, 0],
  ['with the header of today', { header: 'idempotency-key' }, 1],
])(
  'a check counts the limit of a buyer whose company is in doubt, by a call that left %s',
  async (_left, sent, limits) => {
    const lost = { on: 'company', match: 'Erle', fault: 'reset', made: false, times: 1 } as const;
    const place = await openWorkplace({ faults: { rules: [lost] } });
    const lines = ['Erle GmbH,DE,HRB 1,,,1000'];
    expect(await imported(place, lines)).toMatchObject({ rows: 1, limits: 0 });
    const { ledger, keys } = place.context;
    const [line] = (await checkedFile({ path: join(place.dir, 'q4.csv') }, place.context)).lines;
    const company = keys.call('company', line?.kind === 'row' ? line.row.buyer : '');
    expect(await ledger.hget(company, 'state')).toBe('unknown');
    if ('header' in sent) await ledger.hset(company, sent);
    const settings = { ...place.context.settings, SERVICE_IDEMPOTENCY_HEADER: 'Idempotency-Key' };
    const context = { ...place.context, settings };
    expect(await checked({ ...place, context }, lines, { portfolio: 'q5' })).toMatchObject({ rows: 1, limits });
  },
);
