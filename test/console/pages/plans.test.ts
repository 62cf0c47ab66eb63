import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { as, byHeader, openConsole, openDesk } from '../../support/desk.ts';
import { buyerLines } from '../../support/workplace.ts';

/** Three queued rows, the console, and the address that a plan’s page posts to. */
async function openWaiting() {
  const desk = await openDesk(3);
  await desk.limitline('import', 'q4.csv', '--yes');
  const web = await openConsole(desk);
  const plan = async (query: string) => {
    const { status, text } = await web.get(`/plans/new?${query}`);
    return { status, text, confirm: /action="(\/plans\/[\w-]+\/confirm)"/.exec(text)?.[1] ?? '' };
  };
  const states = async () => (await web.context.portfolios.read('q4')).states;
  return { desk, web, plan, states };
}

// Promise: confirmation-belongs-to-plan
test('a plan acts on the rows that it was made for, whatever fields the confirmation sends', async () => {
  const { web, plan, states } = await openWaiting();
  const { confirm, text } = await plan('portfolio=q4&action=cancel&states=queued&max=1001.50');
  expect(text).toContain('Cancel 1 row?');
  // The browser formats the amount in its reader’s locale.
  expect(text).toContain('<data class="amount" value="1001.5">1,001.50</data>');
  expect(await states()).toMatchObject({ queued: 3 });
  const posted = await web.post(confirm, { portfolio: 'other', action: 'cancel', states: 'queued', max: '999999' });
  expect(posted.status).toBe(303);
  expect(await states()).toMatchObject({ queued: 2, cancelled: 1 });
  const location = posted.headers.get('location') ?? '';
  expect((await web.get(location)).text).toContain('1 row cancelled');
  // A page without live updates fetches the same as JSON.
  expect((await web.get(`${location}/events`)).text).toContain('1 row cancelled');
  expect((await web.post(confirm)).headers.get('location')).toBe(`${location}?twice`);
  expect(await states()).toMatchObject({ queued: 2, cancelled: 1 });
});

// Promise: plan-acts-on-unchanged
test.each([
  ['cancel', 'queued', 'Nothing more is sent'],
  ['retry', 'cancelled', 'The rows are being sent.'],
])(
  'a plan to %s rows that another plan has changed meanwhile says that it did nothing',
  async (action, states, done) => {
    const { web, plan } = await openWaiting();
    if (states === 'cancelled') await web.post((await plan('portfolio=q4&action=cancel&states=queued')).confirm);
    const query = `portfolio=q4&action=${action}&states=${states}`;
    const [one, other] = [await plan(query), await plan(query)];
    const outcome = async ({ confirm }: typeof one) => {
      const posted = await web.post(confirm);
      return (await web.get(posted.headers.get('location') ?? '')).text;
    };
    expect(await outcome(one)).toContain(done);
    const text = await outcome(other);
    expect(text).toContain('All planned rows have changed since the plan was made');
    expect(text).not.toContain(done);
  },
);

test('a plan that needs approval gives the reason before and after the confirmation', async () => {
  const desk = await openDesk(3, {}, { APPROVE_ABOVE: '5000' });
  await desk.limitline('import', 'q4.csv', '--yes');
  const web = await openConsole(desk);
  await web.post(
    /action="(\/plans\/[\w-]+\/confirm)"/.exec((await web.get('/plans/new?portfolio=q4&action=cancel')).text)?.[1] ??
      '',
  );
  const stricter = await openConsole({ ...desk, env: { ...desk.env, APPROVE_ABOVE: '2500' } });
  const asked = await stricter.get('/plans/new?portfolio=q4&action=retry&states=cancelled');
  const why = 'These rows ask for 3,007.50 in all, which is above 2,500.00.';
  expect(asked.text).toContain(why);
  const posted = await stricter.post(/action="(\/plans\/[\w-]+\/confirm)"/.exec(asked.text)?.[1] ?? '');
  expect((await stricter.get(posted.headers.get('location') ?? '')).text).toContain(`Nothing was sent. ${why}`);
});

test('a plan for a whole portfolio is refused after another import, and so is an expired plan', async () => {
  const { web, desk, plan, states } = await openWaiting();
  const whole = await plan('portfolio=q4&action=cancel');
  expect(whole.text).toContain('Cancel all rows of “q4” that are not sent?');
  await writeFile(join(desk.cwd, 'more.csv'), `${buyerLines(4).join('\n')}\n`);
  await desk.limitline('import', 'more.csv', '--portfolio', 'q4', '--yes');
  const refused = await web.post(whole.confirm);
  expect(refused.status).toBe(409);
  expect(refused.text).toContain('Another file was imported into this portfolio');
  const old = await plan('portfolio=q4&action=cancel&states=queued');
  await web.context.ledger.hset(web.context.keys.plan(old.confirm.split('/')[2] ?? ''), 'expires', 1);
  expect(await web.post(old.confirm)).toMatchObject({ status: 409, text: expect.stringContaining('too old') });
  expect(await states()).toMatchObject({ queued: 4, cancelled: 0 });
});

test('a plan that cannot be made is answered with its reason', async () => {
  const { plan, web } = await openWaiting();
  for (const [query, status, words] of [
    ['portfolio=nobody&action=retry', 404, 'There is no portfolio'],
    ['portfolio=q4&action=explode', 422, 'There is no such action'],
    ['portfolio=q4&action=retry&states=exploded', 422, 'There is no such state'],
    ['portfolio=q4&action=retry&states=done', 200, 'No rows to send again'],
    ['portfolio=q4&action=retry&min=1&min=2', 422, 'names &quot;min&quot; twice'],
  ] as const) {
    expect(await plan(query)).toMatchObject({ status, text: expect.stringContaining(words), confirm: '' });
  }
  expect((await web.get('/plans/no-such-plan')).status).toBe(404);
});

test('an interrupted plan says that it stopped before the end, and continues on one press', async () => {
  const { web, plan, states } = await openWaiting();
  const { plans, ledger, keys } = web.context;
  const { confirm } = await plan('portfolio=q4&action=cancel&states=queued');
  const id = confirm.split('/')[2] ?? '';
  await plans.claim(id, 'a console that was killed', 'console');
  expect((await web.get(`/plans/${id}`)).text).toContain('Rows are being cancelled');
  await ledger.hset(keys.plan(id), 'sign', 1);
  const { text } = await web.get(`/plans/${id}`);
  expect(text).toContain('Stopped before the end');
  expect(text).toMatch(new RegExp(`action="${confirm}"[\\s\\S]*Continue`));
  expect((await web.post(confirm)).headers.get('location')).toBe(`/plans/${id}`);
  expect(await states()).toMatchObject({ queued: 0, cancelled: 3 });
});

test('the 61st plan of one person is answered with status 429, while other people are not limited', async () => {
  const desk = await openDesk(1);
  await desk.limitline('import', 'q4.csv', '--yes');
  const { get } = await openConsole(desk, byHeader);
  const plan = (who: string) => get('/plans/new?portfolio=q4&action=cancel', as(who, 'operator'));
  const answers = [];
  for (let n = 0; n < 61; n += 1) answers.push(await plan('olaf'));
  expect(answers.map(({ status }) => status)).toEqual([...Array.from({ length: 60 }, () => 200), 429]);
  expect(Number(answers.at(-1)?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await plan('olivia')).status).toBe(200);
});
