import { expect, test } from 'vitest';
import { carryOutAllAnswered } from '../../../jobs/approvals/answer-approval.ts';
import { lookAtApproval } from '../../../jobs/approvals/look-at-approval.ts';
import { makeUnderstandFile } from '../../../jobs/approvals/understand-file.ts';
import { NO_RIGHTS } from '../../../src/console/access/access.ts';
import { approvalPage } from '../../../src/console/pages/approvals/approval-page.ts';
import { ANSWERING, openPortfolio, waitingIn } from '../../support/approved-portfolio.ts';
import { as, byHeader, openConsole, openDesk, plainText, unmarked } from '../../support/desk.ts';
import { buyerLines } from '../../support/workplace.ts';

type Place = Awaited<ReturnType<typeof openPortfolio>>;

async function pageOf(id: string, { context }: Place): Promise<string> {
  const look = await lookAtApproval(id, { ...context, understand: makeUnderstandFile(context) });
  return look ? plainText(unmarked(approvalPage(look, ANSWERING, NO_RIGHTS).markup)) : '';
}

// Promise: approval-shows-what-is-sent
test('the page of an approval counts only rows that still wait, after one of them was cancelled', async () => {
  const place = await openPortfolio(4);
  const { id } = await place.waiting();
  expect(await pageOf(id, place)).toMatch(
    /The whole portfolio 4,012\.00 4 waiting for approval Lines of the file 4 all are included/,
  );
  const [first] = await place.all('awaiting');
  if (first) await place.context.rows.giveUp(first, 'awaiting', [], { plan: 'none', beforeMs: 1e15 }, 'alice');
  expect(await pageOf(id, place)).toMatch(
    /The whole portfolio 3,010\.50 1 not sent, 3 waiting for approval\. What is not sent is not in this sum\. Lines of the file 4 3 of them to be requested/,
  );
});

test('the page of an answered approval says why it was asked for, and that the portfolio’s figures are of now', async () => {
  const place = await openPortfolio(2, { APPROVE_ABOVE: '1500' });
  const { id, digest } = await place.waiting();
  expect(await pageOf(id, place)).toMatch(
    /[^:] Portfolio q4 asks for 2,004\.00 with these rows.*The whole portfolio 2,004\.00/,
  );
  await place.say({ id, digest, answer: 'decline', words: 'Too much' });
  await carryOutAllAnswered(place.context);
  await place.import([...buyerLines(3).toSpliced(1, 2)], { by: 'alice' });
  const page = await pageOf(id, place);
  expect(page).toMatch(
    /When this was asked for: Portfolio q4 asks for 2,004\.00 with these rows, which is above 1,500\.00\./,
  );
  expect(page).toMatch(/The whole portfolio now 1,003\.50/);
});

test('the address of an approval whose portfolio is archived says that the approval comes back with it', async () => {
  const desk = await openDesk(1, {}, { APPROVE_ALWAYS: 'on' });
  await desk.limitline('import', 'q4.csv');
  const { get, context } = await openConsole(desk, byHeader);
  const [asked] = await context.approvals.waiting();
  const look = () => get(`/approvals/${asked?.id}`, as('bob', 'approver'));
  await desk.limitline('cancel', 'q4');
  await desk.limitline('archive', 'q4', '--yes');
  const { status, text } = await look();
  expect(status).toBe(404);
  expect(plainText(text)).toContain('The approvals of an archived portfolio come back when it is restored.');
  await desk.limitline('restore', 'q4');
  expect((await look()).status).toBe(200);
});

test('the page of an approval counts rows that need an answer in the plural', async () => {
  const place = await openPortfolio(1);
  const { id } = await place.waiting();
  const look = await lookAtApproval(id, { ...place.context, understand: makeUnderstandFile(place.context) });
  if (!look) throw new Error('There is no such approval.');
  const { portfolio } = look;
  const shown = (held: number) => {
    const seen = { ...look, portfolio: { ...portfolio, states: { ...portfolio.states, awaiting: 0, held } } };
    return plainText(unmarked(approvalPage(seen, ANSWERING, NO_RIGHTS).markup));
  };
  expect(shown(6)).toContain(' 6 need an answer ');
  expect(shown(1)).toContain(' 1 needs an answer ');
});

// Promise: approver-sees-the-file
test('the page of an approval lists columns that are read and not sent apart from the sent ones', async () => {
  const place = await openPortfolio(1);
  const lines = ['name,country_code,requested_limit,buyer_reference,Notes', 'Buyer 1 GmbH,DE,1000,K1,x'];
  await place.import(lines, { portfolio: 'q5', by: 'alice' });
  const page = await pageOf((await waitingIn('q5', place)).id, place);
  expect(page).toMatch(/Columns read, but not sent buyer_reference Columns not sent Notes/);
  expect(page).toMatch(/Column Sent as name name country_code country_code requested_limit requested_limit [^b]/);
});

// Promise: approver-sees-changed-values
test('amounts and names that were changed by hand are shown before a hundred other changes', async () => {
  const place = await openPortfolio(1);
  const look = await lookAtApproval((await place.waiting()).id, {
    ...place.context,
    understand: makeUnderstandFile(place.context),
  });
  if (!look?.file) throw new Error('There is no such approval.');
  const change = (line: number, column: string | null, meaning: string | null) => {
    const of = { column, meaning };
    return { line, before: { ...of, cell: `a${line}` }, now: { ...of, cell: `b${line}` } };
  };
  const values = [
    ...Array.from({ length: 120 }, (_, at) => change(at + 2, 'Notes', null)),
    change(200, 'Ort', 'city'),
    change(201, 'Firma', 'name'),
    change(202, 'Limit', 'requested_limit'),
    change(203, null, null),
  ];
  const file = { ...look.file, made: { corrected: values.length }, changes: { values, leftOut: [] } };
  const page = plainText(unmarked(approvalPage({ ...look, file }, ANSWERING, NO_RIGHTS).markup));
  expect(page).toMatch(
    /202 Limit a202 b202 203 the whole line a203 b203 201 Firma a201 b201 200 Ort a200 b200 2 Notes a2 b2 /,
  );
  expect(page).toContain('The first 100 are shown.');
});

// Promises: approval-says-why, approval-shows-earlier-no
test.each([
  [
    'a portfolio',
    { APPROVE_ABOVE: '2500' },
    /Portfolio q4 asks for 3,007\.50 with these rows, which is above 2,500\.00\./,
  ],
  ['a person', { APPROVE_PERSON_ABOVE: '2500' }, /alice asks for 3,007\.50 .*, which is above 2,500\.00\./],
  ['a buyer', { APPROVE_ABOVE: '3200' }, /Buyer 1 GmbH is to get 3,501\.50 .*, which is above 3,200\.00\./],
])(
  'a request after a decline shows the earlier decline, and which sum of %s is above its limit',
  async (of, settings, words) => {
    const place = await openPortfolio(of === 'a buyer' ? 1 : 3, settings);
    if (of === 'a buyer') await place.import(OF_BUYER, { portfolio: 'q5', by: 'alice' });
    const asked = await place.waiting();
    expect(await pageOf(asked.id, place)).toMatch(words);
    await place.say({ id: asked.id, digest: asked.digest, answer: 'decline', words: 'too much' });
    await carryOutAllAnswered(place.context);
    if (of === 'a buyer') await place.import(OF_BUYER, { portfolio: 'q5', by: 'alice' });
    else await place.import(buyerLines(3), { by: 'alice' });
    const page = await pageOf((await place.waiting()).id, place);
    expect(page).toMatch(words);
    expect(page).toContain('Some of what was asked for here was declined before, by bob: too much.');
  },
);

const OF_BUYER = ['name,country_code,company_registration_number,requested_limit', 'Buyer 1 GmbH,DE,HRB 1,2500'];
