import { describe, expect, test } from 'vitest';
import { openConsole, openDesk } from '../support/desk.ts';

const SCRIPT = '<script>alert(1)</script>';

/** A portfolio with two rejected rows of two causes, a held one and a done one. */
async function openFailed() {
  const desk = await openDesk(4, {
    rules: [
      { on: 'limit', match: '"HRB 1"', times: 2, fault: 'status', status: 422, body: `no ${SCRIPT}` },
      { on: 'limit', match: '"HRB 2"', times: 1, fault: 'status', status: 403, body: 'never' },
      { on: 'limit', match: '"HRB 3"', times: 1, fault: 'status', status: 500, body: 'no' },
    ],
  });
  await desk.limitline('run', 'q4.csv', '--portfolio', 'q4', '--yes');
  const web = await openConsole(desk);
  const keyOf = async (state: 'refused' | 'held' | 'done') =>
    (await web.context.rows.inState('q4', state, { count: 1 }))[0]?.row.key ?? '';
  return { desk, keyOf, ...web };
}

describe('the page of the queues', () => {
  // Promises: failed-rows-found, queues-say-made-a-minute
  test('shows each queue and every failed row, also after BullMQ removed its job', async () => {
    const { get, context, keyOf } = await openFailed();
    const key = await keyOf('refused');
    for (const state of ['refused', 'held'] as const) {
      const found = await context.rows.inState('q4', state, { count: 9 });
      await context.queues.forget(found.map(({ row }) => row));
    }
    const { status, text } = await get('/work');
    expect(status).toBe(200);
    expect(text).toContain('No rows wait to be sent.');
    for (const head of ['Per minute, now', 'Per minute, last hour', 'Oldest waits'])
      expect(text).toContain(`>${head}</th>`);
    for (const words of ['companies', 'documents', 'buyer-limits', 'q4, line 2', 'q4, line 3', 'q4, line 4']) {
      expect(text).toContain(words);
    }
    // Several files of a portfolio have a line 2, so the command names the row.
    expect(text).toContain(`npx limitline retry q4 --row ${key}`);
    expect(text).not.toContain('line 5');
    expect(text).not.toContain(SCRIPT);
    expect(text).toContain('npx limitline pause --queue companies');
  });

  test('finds failed rows by line, name, cause and portfolio, and names the causes of a portfolio', async () => {
    const { get, context } = await openFailed();
    const shown = async (query: string) =>
      [...(await get(`/work?${query}`)).text.matchAll(/q4, line (\d)/g)].map((match) => match[1]);
    // Line 3, and the row of a buyer whose name contains 3.
    expect(await shown('text=3')).toEqual(['3', '4']);
    expect(await shown('text=buyer+1')).toEqual(['2']);
    expect(await shown('state=held')).toEqual(['4']);
    const causes = await context.portfolios.causes('q4');
    const cause = causes.find(({ status }) => status === 403)?.id ?? '';
    expect(await shown(`portfolio=q4&cause=${cause}`)).toEqual(['3']);
    const { text } = await get('/work?portfolio=q4');
    for (const { id } of causes) expect(text).toContain(id);
    expect(text).toContain(`/plans/new?portfolio=q4&amp;action=retry&amp;states=refused&amp;cause=${cause}`);
    expect(await shown('portfolio=nobody')).toEqual([]);
    expect((await get(`/work?portfolio=${encodeURIComponent('../q4')}`)).text).toContain('no portfolio of this name');
  });

  test('sends a rejected row again, and refuses a held or done row', async () => {
    const { post, keyOf, context, desk } = await openFailed();
    const before = desk.standIn.counts().requests.limit;
    const retry = async (state: 'refused' | 'held' | 'done') =>
      post('/work/retry', { portfolio: 'q4', key: await keyOf(state), back: '/work?state=refused' });
    const sent = await retry('refused');
    expect(sent).toMatchObject({ status: 303 });
    expect(sent.headers.get('location')).toBe('/work?state=refused');
    expect((await context.portfolios.read('q4')).states).toMatchObject({ queued: 1, refused: 1 });
    expect(await retry('held')).toMatchObject({ status: 409, text: expect.stringContaining('on the page Held') });
    expect(await retry('done')).toMatchObject({ status: 409 });
    const fields = { portfolio: 'q4', key: 'nobody', back: 'https://evil.example' };
    expect((await post('/work/retry', fields)).status).toBe(404);
    expect((await post('/work/retry', { ...fields, key: await keyOf('refused') })).headers.get('location')).toBe(
      '/work',
    );
    expect(desk.standIn.counts().requests.limit).toEqual(before);
  });

  test('a form that is older than the row’s present state or request sends nothing, here and on the page of the row', async () => {
    const { post, get, keyOf, context, desk } = await openFailed();
    const refused = (await context.rows.inState('q4', 'refused', { count: 2 })).map(({ row }) => row);
    const at = (await context.rows.read(refused)).findIndex((result) => result?.line === 2);
    const key = refused[at]?.key ?? '';
    const page = `/portfolios/q4/rows/${key}`;
    const forms = [
      { at: '/work/retry', fields: { portfolio: 'q4', key }, shownAt: '/work?portfolio=q4&text=2' },
      { at: `${page}/retry`, fields: { state: 'refused' }, shownAt: page },
    ];
    const seenAt = async (address: string) => /name="seen" value="(\d+)"/.exec((await get(address)).text)?.[1] ?? '';
    const old = await Promise.all(forms.map(({ shownAt }) => seenAt(shownAt)));
    // Imported again, the row is sent again, and refused once more.
    await desk.limitline('run', 'q4.csv', '--portfolio', 'q4', '--yes');
    expect(await keyOf('refused')).toBe(key);
    for (const [nth, { at: address, fields }] of forms.entries()) {
      const answer = await post(address, { ...fields, seen: old[nth] ?? '' });
      expect(answer).toMatchObject({
        status: 409,
        text: expect.stringContaining('has changed since this page was made'),
      });
    }
    expect((await context.portfolios.read('q4')).states).toMatchObject({ queued: 0 });
    const seen = await seenAt(page);
    expect(Number(seen)).toBeGreaterThan(Number(old[0]));
    // A page shows a damaged time as no number, and its form is good nevertheless.
    await context.ledger.hset(context.keys.row('q4', key), 'since', 'damaged');
    expect((await post('/work/retry', { portfolio: 'q4', key, seen })).status).toBe(409);
    expect((await post('/work/retry', { portfolio: 'q4', key, seen: 'NaN' })).status).toBe(303);
  });

  test('pauses and resumes a queue, and the strip of every page says so', async () => {
    const { post, get, context } = await openFailed();
    expect((await get('/work')).text).toContain('href="/work/buyer-limits/pause"');
    const question = (await get('/work/buyer-limits/pause')).text;
    expect(question).toMatch(/It stops for all portfolios[\s\S]*action="\/work\/buyer-limits\/pause"/);
    expect(await context.queues.paused()).toEqual([]);
    expect((await post('/work/buyer-limits/pause')).status).toBe(303);
    expect((await get('/')).text).toContain('A queue is paused: buyer-limits');
    expect(await context.queues.paused()).toEqual(['buyer-limits']);
    const paused = 'The queue buyer-limits is paused, so its rows wait';
    await expect.poll(async () => (await get('/keys')).text).toContain(paused);
    expect((await get('/work')).text).toContain('npx limitline resume --queue buyer-limits');
    await post('/work/buyer-limits/resume');
    expect(await context.queues.paused()).toEqual([]);
    expect((await post('/work/nothing/pause')).status).toBe(404);
    expect((await get('/work/nothing/pause')).status).toBe(404);
  });
});

test('the console answers health checks and metrics', async () => {
  const { get } = await openConsole(await openDesk(1));
  expect(await get('/health/live')).toMatchObject({ status: 200 });
  expect(await get('/health/ready')).toMatchObject({
    status: 503,
    text: expect.stringContaining('No worker is running'),
  });
  const figures = await get('/metrics');
  expect(figures.headers.get('content-type')).toContain('text/plain; version=0.0.4');
  expect(figures.text).toContain('role="console"');
  expect(figures.text).toMatch(/limitline_redis_up\{.*\} 1/);
});
