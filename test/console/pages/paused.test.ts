import { expect, test } from 'vitest';
import { refusedAlikeWords } from '../../../src/ledger/schema/pause-reasons.ts';
import { openConsole, openDesk } from '../../support/desk.ts';
import { openThreeRows } from '../../support/three-rows.ts';

const PAUSED = 'The portfolio is paused: nothing of it goes before it is resumed on its page.';

async function openPaused() {
  const place = await openThreeRows();
  const { get, context } = place;
  await context.portfolios.pause('q4', 'by request');
  const since = await context.plans.now();
  await expect.poll(context.plans.now).toBeGreaterThan(since);
  const follow = async ({ headers }: { headers: Headers }) => (await get(headers.get('location') ?? '')).text;
  return { ...place, follow };
}

test('the page of a portfolio shows who paused it by a page or a command, and when', async () => {
  const { get, post, limitline, context } = await openThreeRows();
  for (const pause of [() => post('/portfolios/q4/pause'), () => limitline('pause', 'q4')]) {
    await context.portfolios.resume('q4');
    await pause();
    const text = (await get('/portfolios/q4')).text.replace(/<[^>]+>/g, '');
    expect(text).toMatch(/By request of command line \(\w+\), \d{4}-\d\d-\d\d \d\d:\d\d/);
  }
});

test('a row’s retry reports that its portfolio is paused', async () => {
  const { post, rowOf, heldOf, follow, context } = await openPaused();
  const address = await rowOf('refused');
  expect(await follow(await post(`${address}/retry`))).toContain(PAUSED);
  // After the portfolio was resumed, other pages no longer report the pause.
  await context.portfolios.resume('q4');
  const { text } = await post('/held/plan', { resend: 'yes', [`pick-${await heldOf()}`]: 'yes' });
  expect(text).not.toContain(PAUSED);
});

test.each(['row', 'portfolio', 'account'])(
  'an answer of a held row reports the pause before and after, returning to the %s',
  async (back) => {
    const { post, heldOf, follow } = await openPaused();
    const { text } = await post('/held/plan', { resend: 'yes', [`pick-${await heldOf()}`]: 'yes', back });
    expect(text).toContain('“q4” is paused: nothing of it goes before it is resumed on its page.');
    const [, plan = ''] = /name="plan" value="([^"]+)"/.exec(text) ?? [];
    const done = back === 'row' ? 'It is sent again, as soon as it is its turn.' : '1 call answered: the rows go on.';
    expect(await follow(await post('/held/confirm', { plan }))).toContain(`${done} ${PAUSED}`);
  },
);

// Promise: pages-name-who-may
test('a plan to retry or to send again reports the pause before and after, and one to cancel does not', async () => {
  const { get, post, follow, context } = await openPaused();
  for (const plan of ['retry', 'resend', 'cancel&text=Buyer+3']) {
    const { text } = await get(`/plans/new?portfolio=q4&action=${plan}`);
    const sends = !plan.startsWith('cancel');
    expect(text.includes(PAUSED), plan).toBe(sends);
    const [, confirm = ''] = /action="(\/plans\/[^"]+\/confirm)"/.exec(text) ?? [];
    const done = await follow(await post(confirm));
    expect(done).toContain('Done.');
    expect(done.includes(PAUSED), plan).toBe(sends);
    // Changes in the same ms as the next plan would count as later.
    const since = await context.plans.now();
    await expect.poll(context.plans.now).toBeGreaterThan(since);
  }
  expect((await context.portfolios.read('q4')).states).toMatchObject({ done: 1, queued: 1, cancelled: 1 });
});

test('a plan to send held rows again names the rows of other portfolios that are sent with them', async () => {
  const { get, post, heldOf, limitline, context } = await openPaused();
  await limitline('run', 'q4.csv', '--portfolio', 'q5');
  expect((await context.portfolios.read('q5')).states.held).toBe(1);
  const words = '1 held row of portfolio q5, which is not paused, goes on by the same answer.';
  expect((await get('/plans/new?portfolio=q4&action=resend')).text).toContain(words);
  expect((await post('/held/plan', { resend: 'yes', [`pick-${await heldOf()}`]: 'yes' })).text).toContain(words);
});

test('a portfolio without open rows does not show its pause, and has no button to resume', async () => {
  const desk = await openDesk(2);
  await desk.limitline('import', 'q4.csv', '--yes');
  const { get, context } = await openConsole(desk);
  await context.portfolios.pause('q4', 'by request');
  const pausedOn = async () => (await get('/portfolios/q4')).text.match(/Paused\.|\/portfolios\/q4\/resume/g);
  expect(await pausedOn()).toEqual(['Paused.', '/portfolios/q4/resume']);
  expect(await desk.limitline('cancel', 'q4')).toMatchObject({ status: 0 });
  expect(await pausedOn()).toBeNull();
});

test('a portfolio whose pause has a reason of several lines is resumed by a form with CR LF line breaks', async () => {
  const desk = await openDesk(1);
  await desk.limitline('import', 'q4.csv');
  const web = await openConsole(desk);
  const body = '{\n  "error": "currency is not supported"\n}';
  const message = 'the service refused the limit with status 400';
  const why = refusedAlikeWords(5, 'limit', { status: 400, message, body });
  await web.context.portfolios.pause('q4', why);
  // A browser sends each line break of a field as CR LF.
  const pause = why.replaceAll('\n', '\r\n');
  expect(pause).not.toBe(why);
  expect((await web.post('/portfolios/q4/resume', { pause: `${pause} since` })).status).toBe(409);
  expect((await web.post('/portfolios/q4/resume', { pause })).status).toBe(303);
});
