import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Person } from '../../../src/people/person.ts';
import { addUser, codeOf, openConsole, openDesk, plainText, unmarked } from '../../support/desk.ts';
import { PASSWORD } from '../../support/people.ts';
import { buyerLines } from '../../support/workplace.ts';

const ALICE: Person = { by: 'alice', roles: ['finance'] };
const BOB: Person = { by: 'bob', roles: ['approver'] };

/** Three waiting rows that alice imported, and a console whose visitor is the person that the test names. */
async function openWaiting({ settings = { APPROVE_ALWAYS: 'on' }, users = true } = {}) {
  const desk = await openDesk(3, {}, settings);
  const now = { who: BOB };
  const web = await openConsole(desk, { identify: async () => now.who });
  const { approvals, portfolios } = web.context;
  const { codes = [], secret = '' } = users ? await addUser(web, 'bob', ['approver']) : {};
  await desk.limitline('import', 'q4.csv', '--yes');
  const [approval] = await approvals.waiting();
  if (!approval) throw new Error('nothing waits');
  const address = `/approvals/${approval.id}`;
  return {
    ...web,
    desk,
    approval,
    address,
    secret,
    as: (who: Person) => {
      now.who = who;
    },
    states: async () => (await portfolios.read('q4')).states,
    approve: (fields: Record<string, string> = {}) =>
      web.post(`${address}/approve`, {
        digest: approval.digest,
        password: PASSWORD,
        code: codes.shift() ?? '',
        ...fields,
      }),
  };
}

// Promises: approval-shows-what-is-sent, approver-sees-the-file
test('the list shows each waiting approval with its author, and its page shows everything that the approval covers', async () => {
  const { get, approve, approval, address, context, desk } = await openWaiting();
  const list = (await get('/approvals')).text;
  for (const words of ['1 waits, oldest first', address, '3,007.50', 'command line (', 'q4.csv', 'to be requested']) {
    expect(list).toContain(words);
  }
  expect(list).toMatch(/Approvals<span id="approvals-count"> <span class="count">1/);
  const { text } = await get(address);
  for (const words of [
    'Approve 3 rows, 3,007.50?',
    'Buyer 3 GmbH',
    '&quot;requested_limit&quot;: 1001.5',
    'company_registration_number',
    'header in line 1',
    '1 on the whole file',
    '3 good lines name no document',
    approval.digest,
    '/downloads/original?import=1',
    `npx limitline approve q4 --as USER --approval ${approval.id} --digest ${approval.digest}`,
  ]) {
    expect(unmarked(text)).toContain(words);
  }
  // The largest amount is listed first.
  expect(text.indexOf('Buyer 3 GmbH')).toBeLessThan(text.indexOf('Buyer 1 GmbH'));
  // It also says whether the portfolio is paused or its rows are being sent.
  const words = ['The portfolio is paused: nothing of it goes', 'Its rows are being sent.'];
  const said = async () => get(address).then(({ text }) => words.map((one) => text.includes(one)));
  await context.portfolios.pause('q4', 'by request');
  expect(await said()).toEqual([true, false]);
  await approve();
  expect(await said()).toEqual([true, false]);
  await desk.limitline('resume', 'q4');
  expect(await said()).toEqual([false, true]);
  await desk.limitline('cancel', 'q4');
  expect(await said()).toEqual([false, false]);
});

// Promise: earlier-no-is-said
test('the page of a waiting approval names the limit that its sum exceeds', async () => {
  const { get, address } = await openWaiting({ settings: { APPROVE_PERSON_ABOVE: '3000' } as never });
  expect((await get(address)).text).toMatch(
    /\S+ asks for 3,007\.50 with this and what passed lately without another person&#39;s yes, which is above 3,000\.00\./,
  );
});

// Promise: approval-asks-password-again
test('an approval needs the password and a fresh code, and takes effect once', async () => {
  const { get, address, approve, states, secret, context } = await openWaiting();
  expect((await get(address)).text).toContain('type="password"');
  const wrong = await approve({ password: 'not the password' });
  expect(wrong).toMatchObject({ status: 422, text: expect.stringContaining('The password is wrong') });
  expect(wrong.text).not.toContain('not the password');
  for (const code of ['', '000000', 'made-up-code']) expect(await approve({ code })).toMatchObject({ status: 422 });
  const code = codeOf(secret);
  expect((await context.people.check({ name: 'bob', password: PASSWORD, code, from: '' })).is).toBe('ok');
  expect(await approve({ code }), 'used before').toMatchObject({ status: 422 });
  expect(await states()).toMatchObject({ awaiting: 3 });
  expect(await approve({ code: codeOf(secret, 1) })).toMatchObject({ status: 303 });
  expect(await states()).toMatchObject({ awaiting: 0, queued: 3 });
  expect(await approve()).toMatchObject({ status: 409, text: expect.stringContaining('bob approved it already') });
  expect((await get(address)).text).toMatch(/Approved[\s\S]*by bob/);
  expect((await get('/approvals')).text).toMatch(/Decided lately[\s\S]*approved by bob/);
});

test('after many wrong passwords further tries are answered with status 429, even with the right password', async () => {
  const { approve, states } = await openWaiting();
  let last = await approve({ password: 'guess 0' });
  for (let guess = 1; last.status === 422 && guess < 20; guess += 1)
    last = await approve({ password: `guess ${guess}` });
  expect(last).toMatchObject({ status: 429, text: expect.stringContaining('Too many wrong passwords') });
  expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await approve()).toMatchObject({ status: 429 });
  expect(await states()).toMatchObject({ awaiting: 3 });
});

// Promise: approval-signs-in-anew
test('a person of an identity provider signs in anew there for each approval, and is asked for no password', async () => {
  const { as, get, address, approve, states, approval, context } = await openWaiting();
  as({ by: 'bea@example.com (sso 4f6d2a)', roles: ['approver'] });
  expect((await get(address)).text).not.toContain('type="password"');
  expect((await get(address)).text).toContain(`/sign-in/oidc?approval=${approval.id}`);
  expect(await approve({ password: '' })).toMatchObject({
    status: 403,
    text: expect.stringContaining('Sign in again'),
  });
  const proof = { by: 'bea@example.com (sso 4f6d2a)', session: '', beganS: 0 };
  await context.people.elsewhere.keepProof({ ...proof, approval: 'another' });
  await context.people.elsewhere.keepProof({ ...proof, approval: approval.id, by: 'ben@example.com (sso 4f6d2b)' });
  await context.people.elsewhere.keepProof({ ...proof, approval: approval.id, session: 'another' });
  expect(await approve({ password: '' })).toMatchObject({ status: 403 });
  await context.people.elsewhere.keepProof({ ...proof, approval: approval.id });
  expect(await approve({ digest: 'another' }), 'used up').toMatchObject({ status: 409 });
  expect(await approve({ password: '' })).toMatchObject({ status: 403 });
  await context.people.elsewhere.keepProof({ ...proof, approval: approval.id });
  expect((await get(address)).text).not.toContain('/sign-in/oidc');
  expect(await approve({ password: '' })).toMatchObject({ status: 303 });
  expect(await states()).toMatchObject({ queued: 3 });
});

test('an approval of an outdated digest is refused with status 409, and the page shows the current rows', async () => {
  const { approve, states, approval, context, get, address } = await openWaiting();
  expect(await approve({ digest: 'another' })).toMatchObject({ status: 409 });
  // Its address is opened again by a reload, and after a new sign-in.
  for (const answer of ['approve', 'decline'])
    expect((await get(`${address}/${answer}`)).headers.get('location')).toBe(address);
  // One of its rows is cancelled meanwhile.
  const [first] = await context.rows.inState('q4', 'awaiting', { count: 1 });
  await context.rows.giveUp(
    first?.row ?? { portfolio: '', key: '' },
    'awaiting',
    [],
    { plan: 'none', beforeMs: 1e15 },
    'alice',
  );
  const stale = await approve();
  expect(stale).toMatchObject({ status: 409, text: expect.stringContaining('It has changed since you looked at it') });
  expect(stale.text).toContain('Approve 2 rows');
  expect(stale.text).toContain('1 row was changed, given up or replaced: 3 waited at first');
  expect(stale.text).not.toContain(approval.digest);
  expect(await states()).toMatchObject({ awaiting: 2, queued: 0 });
});

test.each([
  [
    'the author of the request',
    (author: string): Person => ({ by: author, roles: ['approver'] }),
    'You asked for this, or took part in it.',
  ],
  ['somebody who lost the role approver', (): Person => ({ by: 'bob', roles: ['viewer'] }), 'You cannot approve this.'],
] as const)('%s sees the approval without a button, and a posted approval is refused', async (_who, person, words) => {
  const { as, get, address, approval, approve, post, states } = await openWaiting();
  // The page was loaded before the role was lost.
  await get(address);
  as(person(approval.authors[0] ?? ''));
  const { text } = await get(address);
  expect(text).toContain(words);
  expect(text).not.toContain(`action="${address}/approve"`);
  expect((await approve()).status).toBe(403);
  expect((await post(`${address}/decline`, { digest: approval.digest, because: 'no' })).status).toBe(403);
  expect(await states()).toMatchObject({ awaiting: 3 });
});

test('an approval without the page’s token, or from another site, is refused', async () => {
  const { approve, post, address, approval, states } = await openWaiting();
  expect((await approve({ _csrf: 'made up' })).status).toBe(403);
  const fields = { digest: approval.digest, password: PASSWORD };
  const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
  expect((await post(`${address}/approve`, fields, headers)).status).toBe(403);
  expect(await states()).toMatchObject({ awaiting: 3 });
});

// Promise: first-page-what-waits
test('declining needs a reason and cancels the rows, and the author reads the reason on the first page', async () => {
  const { post, get, address, approval, states } = await openWaiting();
  const { digest } = approval;
  expect((await post(`${address}/decline`, { digest, because: '  ' })).status).toBe(422);
  expect(await states()).toMatchObject({ awaiting: 3 });
  expect((await post(`${address}/decline`, { digest, because: '<b>too much</b>' })).status).toBe(303);
  expect(await states()).toMatchObject({ awaiting: 0, cancelled: 3 });
  const { text } = await get(address);
  expect(text).toContain('&lt;b&gt;too much&lt;/b&gt;');
  expect(text).toContain('Declined');
  const first = (await get('/')).text.replace(/<[^>]*>/g, '');
  expect(first).toMatch(/declined 3 requests of q4\s*&lt;b&gt;too much&lt;\/b&gt;\s*3,007\.50/);
});

test('the pages of the portfolio and of the row show what waits for approval, and who may approve it', async () => {
  const { get, as, address, context } = await openWaiting();
  as(ALICE);
  const { text } = await get('/portfolios/q4');
  expect(text).toMatch(/Waits for approval\.[\s\S]*3 rows, 3,007\.50, asked for by[\s\S]*bob may approve it/);
  expect(text).toContain(`href="${address}"`);
  const [first] = await context.rows.inState('q4', 'awaiting', { count: 1 });
  const row = (await get(`/portfolios/q4/rows/${first?.row.key}`)).text;
  expect(row).toContain('Nothing of this row is sent before another person has approved its import.');
  expect(row).toContain(`href="${address}"`);
  expect((await get('/')).text).toContain('Waits for approval');
});

test('without users nobody can approve, and the page names the command that adds an approver', async () => {
  const { get, as, address, approve, states } = await openWaiting({ users: false });
  as({ by: 'console', roles: ['approver'] });
  expect((await get('/approvals')).text).toContain('npx limitline user add NAME --roles approver');
  expect((await get(address)).text).toContain('Nobody can approve yet.');
  expect((await approve()).status).toBe(403);
  expect(await states()).toMatchObject({ awaiting: 3 });
});

test('an approval with an unknown id is answered with status 404', async () => {
  const { get, post } = await openWaiting();
  for (const id of ['nothing', '..%2f..%2fusers', encodeURIComponent('<script>')]) {
    expect((await get(`/approvals/${id}`)).status).toBe(404);
    expect((await post(`/approvals/${id}/approve`, { digest: 'x', password: PASSWORD })).status).toBe(404);
  }
});

// Promise: sent-again-needs-approval
test('each way to send rows again leads to a waiting approval where one is needed, and says that nothing was sent', async () => {
  const { approve, as, get, post, context, states } = await openWaiting();
  expect((await approve()).status).toBe(303);
  const { rows, approvals } = context;
  const queued = (await rows.inState('q4', 'queued', { count: 3 })).map(({ row }) => row);
  for (const row of queued) {
    await rows.begin(row, 'company');
    const problem = { step: 'company', message: 'the service refused the company', status: 400 } as const;
    await rows.advance(row, 'company', 'refused', { problem });
  }
  const [first, second] = queued;
  as({ by: 'olaf', roles: ['operator'] });
  const ofRow = await post(`/portfolios/q4/rows/${first?.key}/retry`);
  expect(ofRow.headers.get('location')).toContain('did=asked');
  expect((await get(ofRow.headers.get('location') ?? '')).text).toContain(
    'Nothing is done before another person has approved',
  );
  const ofQueue = await post('/work/retry', { portfolio: 'q4', key: second?.key ?? '' });
  expect(ofQueue.headers.get('location')).toMatch(/^\/approvals\/[\w-]+$/);
  const page = (await get(ofQueue.headers.get('location') ?? '')).text;
  expect(page).toContain('You asked for this, or took part in it.');
  expect(page).toContain('to be sent again');
  const plan = (await get('/plans/new?portfolio=q4&action=retry')).text;
  const confirm = /action="(\/plans\/[\w-]+\/confirm)"/.exec(plan)?.[1] ?? '';
  const outcome = (await get((await post(confirm)).headers.get('location') ?? '')).text;
  expect(outcome).toContain('1 row waits for approval');
  expect(outcome).toContain('Sending these rows needs another person’s approval. Nothing was sent.');
  expect(await states()).toMatchObject({ awaiting: 3, refused: 0, queued: 0 });
  expect((await approvals.waiting()).map(({ authors }) => authors)).toEqual([['olaf'], ['olaf'], ['olaf']]);
});

test('warnings about the whole file are shown escaped on the page of an approval, without choices', async () => {
  const { desk, get, context } = await openWaiting();
  const [header, ...lines] = buyerLines(2);
  const file = [`${header},Ort <b>`, ...lines.map((line) => `${line},Berlin`)];
  await writeFile(join(desk.cwd, 'more.csv'), `${file.join('\n')}\n`);
  await desk.limitline('import', 'more.csv', '--portfolio', 'more', '--yes');
  const more = (await context.approvals.waiting()).find(({ portfolio }) => portfolio === 'more');
  const { text } = await get(`/approvals/${more?.id}`);
  expect(text).toContain('<bdi>Ort &lt;b&gt;</bdi>');
  expect(text).not.toContain('below.');
});

test('amounts to approve, to send again or to request are shown with the currency of their file', async () => {
  const desk = await openDesk(2, {}, { APPROVE_ALWAYS: 'on' });
  const lines = (await desk.read('q4.csv')).trim().split('\n');
  await writeFile(
    join(desk.cwd, 'q4.csv'),
    lines.map((line, at) => `${line},${at === 0 ? 'currency' : 'GBP'}\n`).join(''),
  );
  const { get, context } = await openConsole(desk, {
    identify: async () => ({ by: 'ada', roles: ['admin', 'approver', 'operator'] }),
  });
  await desk.limitline('import', 'q4.csv', '--yes');
  const [approval] = await context.approvals.waiting();
  const plain = async (path: string) => plainText(unmarked((await get(path)).text));
  expect(await plain('/approvals')).toContain('GBP 2,004.00');
  const page = await plain(`/approvals/${approval?.id}`);
  expect(page).toMatch(/Approve 2 rows, GBP 2,004\.00\?.*The whole portfolio GBP 2,004\.00/);
  expect(await plain('/portfolios/q4')).toContain('2 rows, GBP 2,004.00, asked for by');
  expect(await plain('/plans/new?portfolio=q4&action=cancel')).toContain('Their amounts GBP 2,004.00');
});
