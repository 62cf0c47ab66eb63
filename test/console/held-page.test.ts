import { expect, test } from 'vitest';
import { openConsole } from '../support/console.ts';
import { openDesk } from '../support/desk.ts';
import { makeNotedAudit } from '../support/noted-audit.ts';

/** Four rows, of which the limits of two were made without an answer, and that of one was not made. */
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
  /** Sends a file as a page's form does. */
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
  return { ...desk, ...web, madeFor, sendFile };
}

test('the desk has what was sent and when, oldest first, with a text for the service’s people and no secret', async () => {
  const { get, context } = await openHeld();
  const { status, text } = await get('/held');
  expect(status).toBe(200);
  expect(text).toContain('3 held rows, oldest first');
  expect(text).toContain('What came back: ');
  const held = await context.stories.held({ count: 10 });
  const places = held.map(({ row }) => text.indexOf(`/rows/${row.key}"`));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places).not.toContain(-1);
  expect(text).toMatch(/1\. buyer limit request for Buyer \d GmbH\n {3}Sent: 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC\n/);
  expect(text).toContain('&quot;requested_limit&quot;:1002.5');
  expect((await get('/held/text')).text).toMatch(/^We sent you 3 requests, and nothing that came back to us says/);
  for (const secret of [context.settings.SERVICE_CLIENT_SECRET, context.settings.SERVICE_CLIENT_ID]) {
    expect(text).not.toContain(secret);
  }
  expect((await get('/portfolios/q4/held')).text).toContain('Held in q4');
  expect(await get('/portfolios/none/held')).toMatchObject({ status: 404 });
});

test('who gave a wrong id is led back to the desk, and to no other place', async () => {
  const { context, post, url } = await openHeld();
  const [first] = await context.stories.held({ count: 1 });
  const answer = `/portfolios/q4/rows/${first?.row.key}/resolve`;
  const wrong = await post(answer, { made: 'xyz' }, { referer: `${url}/held?after=1` });
  expect(wrong.status).toBe(422);
  expect(wrong.text).toContain('href="/held?after=1">Back</a>');
  for (const referer of ['https://elsewhere.example/held', `${url}//elsewhere.example`, 'no address']) {
    expect((await post(answer, { made: 'xyz' }, { referer })).text).not.toContain('>Back</a>');
  }
});

test('pages go from one held row to the next, whoever is answered in between', async () => {
  const { context } = await openHeld();
  const first = await context.stories.held({ count: 1 });
  const second = await context.stories.held({ after: first[0], count: 1 });
  const third = await context.stories.held({ after: second[0], count: 5 });
  expect([...first, ...second, ...third].map(({ row }) => row.key)).toEqual(
    (await context.stories.held({ count: 5 })).map(({ row }) => row.key),
  );
});

test('a file is shown before it is done, and is done once and only as it was shown', async () => {
  const { post, get, sendFile, madeFor, limitline, json, standIn } = await openHeld();
  const wrong = await sendFile(`line,id\n3,company_1\n99,resend\n`);
  expect(wrong).toMatchObject({ status: 200, text: expect.stringContaining('Problems in 2 lines of the file') });
  expect(wrong.text).not.toContain('name="plan"');
  const shown = await sendFile(`line,id\n3,${madeFor('HRB 2')}\n4,resend\n5,\n`, '"><script>alert(1)</script>.csv');
  expect(shown.text).toContain(
    '1 call would be taken as made, 1 call sent again; 1 line without an answer would change nothing',
  );
  expect(shown.text).not.toContain('<script>alert');
  expect((await json('report', 'q4')).states.held).toBe(3);
  const plan = /name="plan" value="([^"]+)"/.exec(shown.text)?.[1] ?? '';

  // Answered by another meanwhile: what was shown is not what would be done.
  await limitline('resolve', 'q4', '--line', '4', '--resend');
  const changed = await post('/portfolios/q4/held/confirm', { plan });
  expect(changed).toMatchObject({ status: 409, text: expect.stringContaining('so nothing was done') });
  expect((await json('report', 'q4')).states.held).toBe(2);

  const again = await sendFile(`line,id\n3,${madeFor('HRB 2')}\n5,${madeFor('HRB 4')}\n`);
  const next = /name="plan" value="([^"]+)"/.exec(again.text)?.[1] ?? '';
  expect(await post('/portfolios/other/held/confirm', { plan: next })).toMatchObject({ status: 409 });
  const done = await post('/portfolios/q4/held/confirm', { plan: next });
  expect(done.headers.get('location')).toBe('/portfolios/q4/held?did=file-2');
  expect((await get('/portfolios/q4/held?did=file-2')).text).toContain('2 calls answered by the file');
  expect(await post('/portfolios/q4/held/confirm', { plan: next })).toMatchObject({ status: 409 });
  expect((await limitline('run', 'q4.csv')).status).toBe(0);
  expect(standIn.counts().made.limit).toBe(4);
});

const planIn = (text: string) => /name="plan" value="([^"]+)"/.exec(text)?.[1] ?? '';

test.each([
  [
    'that it was not made',
    { resend: 'yes' },
    'It was not made: send it again',
    /Once more the limit of .*1,00\d\.50.* is requested/s,
  ],
  [
    'an id',
    { made: 'bl_invented' },
    'take bl_invented',
    /bl_invented<\/code> is written as its limit of .*1,00\d\.50/s,
  ],
])(
  'who says %s of one row is shown what follows, and nothing is done before the yes',
  async (_said, said, yes, follows) => {
    const audit = makeNotedAudit();
    const { context, post, get, json, standIn } = await openHeld({ audit });
    const rows = (await context.stories.held({ count: 3 })).map(({ row }) => `/portfolios/q4/rows/${row.key}`);
    const sent = standIn.counts().requests;
    for (const address of rows) {
      const { status, text } = await post(`${address}/resolve`, { ...said, back: 'portfolio' });
      expect(status).toBe(200);
      expect(text).toMatch(follows);
      expect(text).toMatch(/<bdi>Buyer \d GmbH<\/bdi>.*1,00\d\.50.*20\d\d-\d\d-\d\d/s);
      expect(text).toContain(yes);
    }
    expect((await json('report', 'q4')).states).toMatchObject({ held: 3, queued: 0, limit: 0 });
    expect(standIn.counts().requests).toEqual(sent);
    expect((await get(rows[0] ?? '')).text).toContain('The row is held');
    expect(audit.noted).toEqual([]);

    // Each yes is heard once, for its own row, and by the audit.
    const plan = planIn((await post(`${rows[0]}/resolve`, { ...said, back: 'portfolio' })).text);
    const done = await post('/portfolios/q4/held/confirm', { plan });
    expect(done.headers.get('location')).toMatch(/^\/portfolios\/q4\/held\?did=(made|resent)$/);
    expect(await post('/portfolios/q4/held/confirm', { plan })).toMatchObject({ status: 409 });
    expect((await json('report', 'q4')).states.held).toBe(2);
  },
);

test('an id that is known of another row, or has a space in it, is offered no plan', async () => {
  const { context, post, limitline, madeFor } = await openHeld();
  await limitline('resolve', 'q4', '--line', '3', '--made', madeFor('HRB 2'));
  const [held] = await context.stories.held({ count: 1 });
  for (const made of [madeFor('HRB 2'), madeFor('HRB 1'), 'bl_', 'bl_1 2', 'company_1']) {
    const { status, text } = await post(`/portfolios/q4/rows/${held?.row.key}/resolve`, { made });
    expect([made, status, planIn(text)]).toEqual([made, 422, '']);
  }
});

test('a plan of one row that is held anew by then, or answered, is carried out no more', async () => {
  const { context, post, limitline, json } = await openHeld();
  const [held] = await context.stories.held({ count: 1 });
  const answer = `/portfolios/q4/rows/${held?.row.key}/resolve`;
  expect(await post(answer, { resend: 'yes', held: '1' })).toMatchObject({ status: 404 });
  const plan = planIn((await post(answer, { resend: 'yes' })).text);
  await limitline('resolve', 'q4', '--row', held?.row.key ?? '', '--resend');
  const { states } = await json('report', 'q4');
  const changed = await post('/portfolios/q4/held/confirm', { plan });
  expect(changed).toMatchObject({ status: 409, text: expect.stringContaining('so nothing was done') });
  // No file was sent, so none is spoken of.
  expect(changed.text).not.toMatch(/undefined|of the file|Correct the file/);
  expect((await json('report', 'q4')).states).toEqual(states);
});

test('a file that is too large, none at all, and one that says nothing of held rows', async () => {
  const { sendFile, get } = await openHeld();
  expect(await sendFile('x'.repeat(6_000_000))).toMatchObject({ status: 413 });
  expect(await sendFile('', '')).toMatchObject({ status: 422 });
  const other = await sendFile('a;b\n1;2\n', 'list.csv');
  expect(other).toMatchObject({
    status: 422,
    text: expect.stringContaining('list.csv does not say what became of held rows'),
  });
  expect(other.text).not.toContain('limitline-held-');
  expect((await get('/held')).status).toBe(200);
});

test('where nothing is held, the page says so', async () => {
  const { get } = await openConsole(await openDesk(1));
  expect((await get('/held')).text).toContain('Nothing is held');
});
