import { createHash } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { type HeldRow, heldName } from '../../src/ledger/rows/story.ts';
import { openConsole, openDesk } from '../support/desk.ts';
import { makeNotedAudit } from '../support/noted-audit.ts';

/** Four rows. The limits of two were made without an answer, and that of a third was not made. */
async function openHeld(who: Parameters<typeof openConsole>[1] = {}) {
  const desk = await openDesk(
    4,
    {
      rules: [
        { on: 'limit', match: 'HRB 2', fault: 'reset', made: true, times: 1 },
        { on: 'limit', match: 'HRB 3', fault: 'reset', times: 1 },
        { on: 'limit', match: 'HRB 4', fault: 'reset', made: true, times: 1 },
      ],
    },
    { SERVICE_CONCURRENCY: '1' },
  );
  await desk.limitline('run', 'q4.csv', '--deadline', '20s');
  const web = await openConsole(desk, who);
  const madeFor = (buyer: string) =>
    desk.standIn.things('limit').find(({ body }) => JSON.stringify(body).includes(buyer))?.id ?? '';
  /** Sends a file as the form of a page does. */
  const sendFile = async (content: string, name = 'held.csv') => {
    const { cookie, token, origin } = await web.credentials();
    const body = new FormData();
    body.set('file', new File([content], name, { type: 'text/csv' }));
    const response = await fetch(`${web.url}/portfolios/q4/held/file?_csrf=${encodeURIComponent(token)}`, {
      method: 'POST',
      headers: { cookie, origin, 'sec-fetch-site': 'same-origin' },
      body,
    });
    return { status: response.status, text: await response.text() };
  };
  /** Answers for these rows that they were made under this id, or without an id that they were not made. */
  const answer = (rows: readonly HeldRow[], made?: string, more: Record<string, string> = {}) => {
    const fields = rows.map((held) => [`${made === undefined ? 'pick' : 'made'}-${heldName(held)}`, made ?? 'yes']);
    const resend = made === undefined ? { resend: 'yes' } : {};
    return web.post('/held/plan', { back: 'account', ...resend, ...Object.fromEntries(fields), ...more });
  };
  return { ...desk, ...web, madeFor, sendFile, answer };
}

// Promise: held-list-with-sums
test('the page of held requests lists each call and its time, oldest first, with a letter to the service and no secret', async () => {
  const { get, post, context } = await openHeld();
  const { status, text } = await get('/held');
  expect(status).toBe(200);
  expect(text).toMatch(/Requests need an answer<\/dt><dd class="stat-value">3</);
  const held = await context.stories.held({ count: 10 });
  const places = held.map(({ row }) => text.indexOf(`/rows/${row.key}"`));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places).not.toContain(-1);
  expect(text).toContain('&quot;requested_limit&quot;:1002.5');
  const letter = (await get('/held/text')).text;
  expect(letter).toMatch(/^We sent you 3 requests and received no answer that tells us what became of them\./);
  expect(letter).toMatch(
    /\n1\. Buyer limit request of 1,00\d\.50 for Buyer \d GmbH\n {3}Sent: 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC\n {3}Content: \{/,
  );
  // What Limitline concluded about the call does not matter to the service’s people.
  expect(letter).not.toMatch(/held|reset|came back|line \d|limitline/i);
  const [, second] = held;
  const one = await post('/held/plan', { letter: 'yes', [`pick-${second && heldName(second)}`]: 'yes' });
  expect(one.text).toContain('We sent you a request and received');
  expect(one.text).toContain(`Our reference: q4/${second?.row.key}`);
  for (const secret of [context.settings.SERVICE_CLIENT_SECRET, context.settings.SERVICE_CLIENT_ID]) {
    expect(text).not.toContain(secret);
  }
  expect((await get('/portfolios/q4/held')).text).toContain('Held in q4');
  expect(await get('/portfolios/none/held')).toMatchObject({ status: 404 });

  // The next page begins after a held row, whoever answers rows in between.
  const first = await context.stories.held({ count: 1 });
  const next = await context.stories.held({ after: first[0], count: 1 });
  const rest = await context.stories.held({ after: next[0], count: 5 });
  expect([...first, ...next, ...rest].map(({ row }) => row.key)).toEqual(held.map(({ row }) => row.key));
});

test('confirming ids is refused while other requests are selected, and the form keeps both', async () => {
  const { answer, context, madeFor } = await openHeld();
  const [first, second] = await context.stories.held({ count: 2 });
  if (!first || !second) throw new Error('too few rows are held');
  const id = madeFor('HRB 2');
  const pick = { [`pick-${heldName(second)}`]: 'yes' };
  const { status, text } = await answer([first], id, pick);
  expect(status).toBe(422);
  expect(text).toContain('“Confirm the ids” is about the ids alone');
  expect(text).toContain(`value="${id}"`);
  expect(text).toMatch(new RegExp(`name="pick-${heldName(second)}"[^>]* checked`));
  expect((await answer([first], id, { ...pick, resend: 'yes' })).text).toContain('ask again for');
});

// Promises: file-answers-held, audit-proves-the-file
test('a file of answers is previewed, and done once as it was previewed', async () => {
  const { context, post, get, sendFile, madeFor, limitline, json, standIn } = await openHeld();
  const wrong = await sendFile(`line,id\n3,company_1\n99,resend\n`);
  expect(wrong).toMatchObject({ status: 200, text: expect.stringContaining('Problems in 2 lines of the file') });
  expect(wrong.text).not.toContain('name="plan"');
  const shown = await sendFile(`line,id\n3,${madeFor('HRB 2')}\n4,resend\n5,\n`, '"><script>alert(1)</script>.csv');
  expect(shown.text).toContain('1 line without an answer would change nothing');
  expect(shown.text).toMatch(
    /<dt>Exist<\/dt><dd class="stat-value">1<.*asked for again<\/dt><dd class="stat-value">1</s,
  );
  expect(shown.text).not.toContain('<script>alert');
  expect((await json('report', 'q4')).states.held).toBe(3);
  const plan = /name="plan" value="([^"]+)"/.exec(shown.text)?.[1] ?? '';

  // A row was answered meanwhile, so the plan would differ from its preview.
  await limitline('resolve', 'q4', '--line', '4', '--resend');
  const changed = await post('/portfolios/q4/held/confirm', { plan });
  expect(changed).toMatchObject({ status: 409, text: expect.stringContaining('so nothing was done') });
  expect((await json('report', 'q4')).states.held).toBe(2);

  const content = `line,id\n3,${madeFor('HRB 2')}\n5,${madeFor('HRB 4')}\n`;
  const again = await sendFile(content);
  const next = /name="plan" value="([^"]+)"/.exec(again.text)?.[1] ?? '';
  expect(await post('/portfolios/other/held/confirm', { plan: next })).toMatchObject({ status: 409 });
  const done = await post('/portfolios/q4/held/confirm', { plan: next });
  expect(done.headers.get('location')).toBe('/portfolios/q4/held?did=answered-2');
  expect((await get('/portfolios/q4/held?did=answered-2')).text).toContain('2 calls answered');
  const [audited] = (await context.audit.read.page({ count: 1, walk: 9 })).entries;
  const sha256 = createHash('sha256').update(content).digest('hex');
  expect(audited?.facts).toMatchObject({ file: 'held.csv', sha256, made: 2, resend: 0, calls: 2 });
  expect(await post('/portfolios/q4/held/confirm', { plan: next })).toMatchObject({ status: 409 });
  expect((await limitline('run', 'q4.csv')).status).toBe(0);
  expect(standIn.counts().made.limit).toBe(4);
});

const planIn = (text: string) => /name="plan" value="([^"]+)"/.exec(text)?.[1] ?? '';

// Promise: answers-need-confirmation
test.each([
  [
    '“not made”',
    undefined,
    /Not made: ask again for 1 limit, .*1,00\d\.50/s,
    /The limit of .*1,00\d\.50.* is requested again\. What the service answers becomes the row’s result\./s,
  ],
  [
    'an id',
    'bl_invented',
    /Confirm that bl_invented exists/,
    /bl_invented<\/code> is written as its limit of .*1,00\d\.50/s,
  ],
])(
  'an answer with %s is previewed with its effect, and takes effect after the confirmation',
  async (_said, made, yes, follows) => {
    const audit = makeNotedAudit();
    const { context, post, get, json, standIn, answer } = await openHeld({ audit });
    const held = await context.stories.held({ count: 3 });
    const sent = standIn.counts().requests;
    for (const one of held) {
      const { status, text } = await answer([one], made);
      expect(status).toBe(200);
      expect(text).toMatch(follows);
      expect(text).toMatch(/<bdi>Buyer \d GmbH<\/bdi>.*1,00\d\.50.*20\d\d-\d\d-\d\d/s);
      expect(text).toMatch(yes);
    }
    expect((await json('report', 'q4')).states).toMatchObject({ held: 3, queued: 0, limit: 0 });
    expect(standIn.counts().requests).toEqual(sent);
    expect((await get(`/portfolios/q4/rows/${held[0]?.row.key}`)).text).toContain('The row needs an answer');
    expect(audit.noted).toEqual([]);

    // Each confirmation counts once and for its own row, and is recorded.
    const plan = planIn((await answer(held.slice(0, 1), made, { back: 'portfolio' })).text);
    const done = await post('/held/confirm', { plan });
    expect(done.headers.get('location')).toBe('/portfolios/q4/held?did=answered-1');
    expect(await post('/held/confirm', { plan })).toMatchObject({ status: 409 });
    expect((await json('report', 'q4')).states.held).toBe(2);
    expect(JSON.stringify(audit.noted)).toContain(`q4/${held[0]?.row.key}`);
  },
);

// Promise: one-plan-of-answers
test('one plan contains both kinds of answers, and a wrong answer is shown beside its row with what was typed', async () => {
  const { context, post, json, answer, madeFor } = await openHeld();
  const [first, second, third] = (await context.stories.held({ count: 3 })) as [HeldRow, HeldRow, HeldRow];
  const wrong = await answer([first], 'bl_twice', { [`made-${heldName(second)}`]: 'bl_twice' });
  expect(wrong.status).toBe(422);
  expect(wrong.text).toContain('1 answer cannot be right. Nothing was done');
  expect(wrong.text).toMatch(
    /value="bl_twice".*value="bl_twice".*is already given for Buyer \d GmbH, line \d of q4\./s,
  );
  const both = await answer([first], undefined, { [`made-${heldName(first)}`]: 'bl_1' });
  expect(both).toMatchObject({ status: 422, text: expect.stringContaining('This row has two answers') });
  expect(await answer([])).toMatchObject({ status: 422, text: expect.stringContaining('Type the ids of what exists') });

  const id = madeFor('HRB 2') || madeFor('HRB 4');
  const shown = await answer([second, third], undefined, { [`made-${heldName(first)}`]: id });
  expect(shown.text).toMatch(new RegExp(`Confirm that ${id} exists, and ask again for 2 limits, .*2,00\\d\\.`, 's'));
  expect((await json('report', 'q4')).states.held).toBe(3);
  const done = await post('/held/confirm', { plan: planIn(shown.text) });
  expect(done.headers.get('location')).toBe('/held?did=answered-3');
  expect((await json('report', 'q4')).states.held).toBe(0);
});

// Promise: impossible-id-said
test('an id of another row, of another form or with an impossible character is refused without a plan', async () => {
  const { context, limitline, madeFor, answer } = await openHeld();
  await limitline('resolve', 'q4', '--line', '3', '--made', madeFor('HRB 2'));
  const held = await context.stories.held({ count: 1 });
  for (const made of [madeFor('HRB 2'), madeFor('HRB 1'), 'bl_', 'bl_1 2', 'bl_1\u0000', 'bl_\u202e1', 'company_1']) {
    const { status, text } = await answer(held, made);
    expect([made, status, planIn(text)]).toEqual([made, 422, '']);
    expect(text).toMatch(/aria-invalid="true"/);
  }
  const strange = await answer(held, 'bl_THIS-IS-UNLIKE-OTHERS');
  expect(strange.text).toContain('It looks unlike the other ids, such as bl_');
});

// Promise: plan-acts-on-unchanged
test('outdated answers and answers for unknown rows are left out, and a changed plan is not done', async () => {
  const { context, post, limitline, json, answer } = await openHeld();
  const [first, second] = (await context.stories.held({ count: 2 })) as [HeldRow, HeldRow];
  const other = { row: { portfolio: 'of-another-account', key: first.row.key }, atMs: first.atMs };
  const anew = await answer([{ ...first, atMs: 1 }, other]);
  expect(anew).toMatchObject({ status: 200, text: expect.stringContaining('2 answers are left out') });
  expect(planIn(anew.text)).toBe('');
  const plan = planIn((await answer([first, second])).text);
  await limitline('resolve', 'q4', '--row', first.row.key, '--resend');
  const { states } = await json('report', 'q4');
  const changed = await post('/held/confirm', { plan });
  expect(changed).toMatchObject({ status: 409, text: expect.stringContaining('so nothing was done') });
  expect(changed.text).toContain('1 answer is left out');
  // No file was sent, so the page mentions none.
  expect(changed.text).not.toMatch(/undefined|of the file|Correct the file/);
  expect((await json('report', 'q4')).states).toEqual(states);
  await post('/held/confirm', { plan: planIn(changed.text) });
  expect((await json('report', 'q4')).states.held).toBe(1);
});

// Promise: answered-leave-open-pages
test('an answered row disappears from all open pages, which share one read of the list every two seconds', async () => {
  const { context, open, limitline } = await openHeld();
  const [first, second, third] = (await context.stories.held({ count: 3 })) as [HeldRow, HeldRow, HeldRow];
  const query = new URLSearchParams({ after: heldName(first) });
  const shownAt = async (address: string) => JSON.stringify(await (await open(address)).json());
  const shown = () => shownAt(`/held/events?${query}`);
  const onFirst = () => shownAt('/held/events');
  expect(await onFirst()).toContain(heldName(second));
  expect(await shown()).not.toContain(heldName(first));
  expect(await shown()).toContain(`${heldName(second)}|${heldName(third)}`);
  const read = vi.spyOn(context.stories, 'held');
  await Promise.all(Array.from({ length: 9 }, shown));
  // The sums and the page may each be read once more if two seconds have passed.
  expect(read.mock.calls.length).toBeLessThanOrEqual(2);
  read.mockRestore();
  await limitline('resolve', 'q4', '--row', second.row.key, '--resend');
  for (const page of [shown, onFirst]) {
    await expect.poll(page, { timeout: 20_000 }).not.toContain(heldName(second));
    expect(await page()).toContain(heldName(third));
  }
});

// Promise: audit-by-each-portfolio
test('answers for several portfolios in one plan are found in the audit under each portfolio', async () => {
  const { context, post, limitline, answer, get } = await openHeld();
  await limitline('run', 'q4.csv', '--portfolio', 'q5', '--deadline', '20s');
  const held = await context.stories.held({ count: 9 });
  const names = ['q4', 'q5'].map((name) => held.find(({ row }) => row.portfolio === name) as HeldRow);
  const plan = planIn((await answer(names)).text);
  expect((await post('/held/confirm', { plan })).status).toBe(303);
  for (const about of ['q4', 'q5']) {
    const { entries } = await context.audit.read.page({ count: 9, walk: 99, filter: { about, what: 'held call' } });
    expect(entries.map(({ is }) => is)).toEqual(['done', 'begun']);
  }
  expect((await get('/audit?about=q5')).text).toContain('held call answered');
});

test('a too large file, a missing file and a file without answers are refused', async () => {
  const { sendFile, get } = await openHeld();
  expect(await sendFile('x'.repeat(6_000_000))).toMatchObject({ status: 413 });
  expect(await sendFile('', '')).toMatchObject({ status: 422 });
  const other = await sendFile('a;b\n1;2\n', 'list.csv');
  expect(other).toMatchObject({
    status: 422,
    text: expect.stringContaining('list.csv cannot be read as answers to held rows'),
  });
  expect(other.text).not.toContain('limitline-held-');
  expect((await get('/held')).status).toBe(200);
});

test('without held rows the page says so', async () => {
  const { get } = await openConsole(await openDesk(1));
  expect((await get('/held')).text).toContain('Nothing is held');
});
