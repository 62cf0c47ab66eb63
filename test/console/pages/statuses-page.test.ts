import { expect, test } from 'vitest';
import { as, byHeader, decided, openConsole, openDesk } from '../../support/desk.ts';

const FIONA = as('fiona', 'finance');
const VERA = as('vera', 'viewer');
const ADA = as('ada', 'admin');

/** A hostile status: markup, line breaks, a direction override and a NUL. */
const HOSTILE = '<script>alert(1)</script>\u202E\r\n\0"&';

async function openAsked(settings: Record<string, string> = {}) {
  const statuses = ['in_progress', 'in_progress', HOSTILE, ' '];
  const rules = statuses.map((status, at) => decided(at + 1, status, 0.5));
  const desk = await openDesk(6, { rules }, settings);
  await desk.limitline('run', 'q4.csv', '--no-results');
  return { ...desk, web: await openConsole(desk, byHeader) };
}

/** The escaped statuses in the forms of a page. */
const askedIn = (text: string) => [...text.matchAll(/name="status" value="([^"]*)"/g)].map(([, value]) => value);

// Promise: meaning-by-one-click
test('the console asks for the meaning of a status, and an answer by finance changes all pages at once', async () => {
  const { json, web } = await openAsked();
  for (const [path, back] of [
    ['/', '/'],
    ['/portfolios/q4', 'q4'],
  ] as const) {
    const { text } = await web.get(path, FIONA);
    expect(text).toMatch(/“<bdi>in_progress<\/bdi>” came 2 times\.<\/strong> What does it mean\?/);
    expect(text).toContain('“<bdi>&lt;script&gt;alert(1)&lt;/script&gt;\u202E␍␊␀&quot;&amp;</bdi>” came 1 time.');
    expect(text).not.toContain('<script>alert');
    expect(askedIn(text)).toEqual(['in_progress', encodeURIComponent(HOSTILE)]);
    expect(text).toContain(`name="back" value="${back}"`);
  }
  const { fragments } = JSON.parse((await web.get('/portfolios/q4/events', FIONA)).text);
  const live = fragments.find(({ id }: { id: string }) => id === 'portfolio-statuses');
  expect(live.html).toContain('came 2 times');

  const say = (status: string, means: string, back: string, who = FIONA) =>
    web.post('/statuses', { status: encodeURIComponent(status), means, back }, who);
  const said = await say('in_progress', 'review', 'q4');
  expect([said.status, said.headers.get('location')]).toEqual([303, '/statuses?said=in_progress&back=q4']);
  // A wrong click is visible at once, and can be undone there.
  const told = (await web.get('/statuses?said=in_progress&back=q4', FIONA)).text;
  expect(told).toMatch(
    /in_progress<\/bdi>” means “Under review” from now on, in all portfolios of the account\. <a href="\/portfolios\/q4">Back to <bdi>q4<\/bdi><\/a>[\s\S]*Take back/,
  );
  const shown = (await web.get('/portfolios/q4', FIONA)).text;
  expect(shown).toMatch(/under review <b>(?:<[^>]*>)?2</);
  expect(shown).not.toContain('in_progress</bdi>” came');
  const monthOf = async () => {
    const { fragments } = JSON.parse((await web.get('/newest/events', FIONA)).text);
    return fragments.find(({ id }: { id: string }) => id === 'this-month').html;
  };
  const before = await monthOf();
  const hostile = (await say(HOSTILE, 'declined', '/')).headers.get('location') ?? '';
  expect((await web.get(hostile, FIONA)).text).toContain('&quot;&amp;</bdi>” means “Declined” from now on');
  expect((await web.get('/', FIONA)).text).not.toContain('What does it mean?');
  // The live updates show the new meaning, not a cached one.
  expect(await monthOf()).not.toBe(before);
  expect((await json('report', 'q4')).outcomes).toMatchObject({ under_review: { rows: 2 }, declined: { rows: 1 } });
  const { entries } = await json('audit', 'list', '--what', 'status meaning set');
  const begun = entries.filter(({ is }: { is: string }) => is === 'begun');
  expect(begun).toMatchObject([
    { by: 'fiona', about: 'in_progress', facts: { means: 'review' } },
    { by: 'fiona', about: HOSTILE, facts: { means: 'declined' } },
  ]);
});

test('an answer is refused when somebody else has answered since the page was loaded', async () => {
  const { json, web } = await openAsked();
  expect((await web.get('/portfolios/q4', FIONA)).text).toContain('name="was" value="unknown"');
  const say = (means: string, was: string) =>
    web.post('/statuses', { status: 'in_progress', means, was, back: 'q4' }, FIONA);
  expect((await say('declined', 'unknown')).status).toBe(303);
  const late = await say('approved', 'unknown');
  expect([late.status, late.text]).toEqual([409, expect.stringContaining('Somebody has said since')]);
  expect((await json('report', 'q4')).outcomes).toMatchObject({ declined: { rows: 2 } });
  expect((await say('review', 'declined')).status).toBe(303);
});

// Promise: meaning-by-one-click
test('a viewer sees the question and who may answer it, without a button, and an admin may answer it', async () => {
  const { web, json } = await openAsked();
  for (const path of ['/', '/portfolios/q4', '/statuses']) {
    const { text } = await web.get(path, VERA);
    expect(text).toContain('in_progress</bdi>”');
    expect(text).toContain('finance, operator or admin');
    expect(text).not.toContain('action="/statuses"');
  }
  const fields = { status: 'in_progress', means: 'declined' };
  for (const who of [VERA, as('abe', 'approver')]) expect((await web.post('/statuses', fields, who)).status).toBe(403);
  expect((await json('statuses')).statuses).toContainEqual({
    status: 'in_progress',
    rows: 2,
    meaning: null,
    from: null,
  });
  const page = (await web.get('/statuses', ADA)).text;
  expect(page).toContain('href="/statuses">Statuses</a>');
  expect(askedIn(page)).toContain('in_progress');
  expect((await web.post('/statuses', fields, ADA)).status).toBe(303);
  const said = (await web.get('/statuses', ADA)).text;
  expect(said).toContain('href="/audit?what=status+meaning+set&amp;about=in_progress"');
});

test('a meaning can be changed and removed, except one from the setting, and an empty status gets none', async () => {
  const { web, json } = await openAsked({ STATUS_MEANINGS: 'withdrawn = declined' });
  const rowOf = async (name: string) => {
    const { text } = await web.get('/statuses', FIONA);
    return text.split('<tr').find((row) => row.includes(`“<bdi>${name}</bdi>”`)) ?? '';
  };
  const say = (status: string, means: string) => web.post('/statuses', { status, means }, FIONA);
  expect(await rowOf('in_progress')).not.toContain('fiona');
  await say('in_progress', 'review');
  expect(await rowOf('in_progress')).toMatch(/>2<[\s\S]*Under review<[\s\S]*<bdi>fiona<\/bdi>[\s\S]*Take back/);
  expect(await rowOf('approved')).toMatch(/the service[\s\S]*–/);
  expect(await rowOf('withdrawn')).toMatch(/Declined[\s\S]*the setting STATUS_MEANINGS[\s\S]*fixed by the setting/);
  expect(await rowOf(' ')).toContain('It is empty, so no meaning can be given to it.');
  await say('in_progress', 'declined');
  expect(await rowOf('in_progress')).toContain('state-declined');
  // An older version did not record who gave the meaning.
  await web.context.ledger.hdel(web.context.keys.account, 'meantBy:in_progress');
  expect(await rowOf('in_progress')).toContain('people of this account');
  await say('in_progress', 'unknown');
  expect(await rowOf('in_progress')).not.toContain('fiona');
  expect((await json('report', 'q4')).outcomes).toMatchObject({ answered: { rows: 4 } });
  for (const [status, means, answer] of [
    ['withdrawn', 'review', 422],
    ['approved', 'declined', 422],
    ['%20', 'declined', 422],
    ['a'.repeat(101), 'declined', 422],
    ['in_progress', 'maybe', 400],
    ['%E0%A4%A', 'review', 400],
  ] as const) {
    expect((await say(status, means)).status, status).toBe(answer);
  }
  const away = await web.post('/statuses', { status: 'x', means: 'review', back: '//example.com' }, FIONA);
  const strange = await web.get(away.headers.get('location') ?? '', FIONA);
  expect(strange.text).not.toContain('href="//example.com');
});

test('a status that resembles a known one is marked with a question until it has a meaning', async () => {
  const rules = [decided(1, 'aproved')];
  const desk = await openDesk(1, { rules });
  await desk.limitline('run', 'q4.csv', '--no-results');
  const web = await openConsole(desk, byHeader);
  const asked = '“<bdi>aproved</bdi>”<br><span class="hint">Did you mean “<bdi>approved</bdi>”?</span>';
  expect((await web.get('/statuses', FIONA)).text).toContain(asked);
  await web.post('/statuses', { status: 'aproved', means: 'approved' }, FIONA);
  expect((await web.get('/statuses', FIONA)).text).not.toContain('Did you mean');
});

// Promise: most-frequent-statuses-first
test('of 500 statuses the most frequent are asked about, and the number of others is shown', async () => {
  const desk = await openDesk(1);
  await desk.limitline('run', 'q4.csv', '--no-results');
  const { get, context } = await openConsole(desk);
  const counts = Array.from({ length: 500 }, (_none, at) => [`status:odd ${at}`, String(at + 1)]).flat();
  await context.ledger.hset(context.keys.sums('q4', 'a'), ...counts);
  const portfolio = (await get('/portfolios/q4')).text;
  expect(portfolio).toContain('“<bdi>odd 499</bdi>” came 500 times.');
  expect(askedIn(portfolio)).toEqual(['odd%20499', 'odd%20498', 'odd%20497']);
  expect(portfolio).toContain('All statuses, with 497 more without a meaning');
  const { text } = await get('/statuses');
  expect(askedIn(text).length).toBe(20);
  expect(text).toContain('480 more statuses of ');
});

test('an account whose rows have no status yet is not asked for a meaning', async () => {
  const { get } = await openConsole(await openDesk(0));
  expect((await get('/statuses')).text).toContain('No row has a status yet.');
  expect((await get('/')).text).not.toContain('What does it mean?');
});

test('of two first answers at the same time, one is stored and the other is answered with status 409', async () => {
  const desk = await openDesk(1);
  const webs = [await openConsole(desk, byHeader), await openConsole(desk, byHeader)] as const;
  await webs[0].get('/', as('fiona', 'finance'));
  await webs[1].get('/', as('paul', 'finance'));
  const answers: number[][] = [];
  for (let n = 0; n < 10; n += 1) {
    const say = (web: (typeof webs)[number], means: string, who: string) =>
      web.post('/statuses', { status: `s_${n}`, means, was: 'unknown', back: '/' }, as(who, 'finance'));
    const both = await Promise.all([say(webs[0], 'approved', 'fiona'), say(webs[1], 'declined', 'paul')]);
    answers.push(both.map(({ status }) => status).sort());
  }
  expect(answers).toEqual(Array(10).fill([303, 409]));
});
