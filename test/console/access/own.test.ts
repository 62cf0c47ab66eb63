import { expect, test } from 'vitest';
import { as, byHeader, openConsole, openDesk } from '../../support/desk.ts';
import { buyerLines } from '../../support/workplace.ts';

const FIONA = as('fiona', 'finance');
const FRANK = as('frank', 'finance');
const OLAF = as('olaf', 'operator');

/** A console with portfolios that people of finance uploaded. No worker runs, so nothing is sent. */
async function openPortfolios() {
  const desk = await openDesk(0);
  const web = await openConsole(desk, byHeader);
  /** Uploads and submits a file through the pages. */
  const bring = async (who: Record<string, string>, portfolio: string, file: string, fields = {}) => {
    const { cookie, token, origin } = await credentials();
    const body = new FormData();
    body.append('file', new Blob([file]), `${portfolio}.csv`);
    const headers = { cookie, origin, 'sec-fetch-site': 'same-origin', ...who };
    const uploaded = await fetch(`${web.url}/new/upload?_csrf=${encodeURIComponent(token)}`, {
      method: 'POST',
      redirect: 'manual',
      headers,
      body,
    });
    const draft = uploaded.headers.get('location') ?? '';
    expect(draft).toMatch(/^\/new\/[\w-]/);
    await web.post(`${draft}/portfolio`, { portfolio }, who);
    await expect.poll(async () => (await web.get(draft, who)).text).toContain('name="of"');
    const { text } = await web.get(draft, who);
    const [, of = ''] = /name="of" value="([^"]+)"/.exec(text) ?? [];
    return web.post(`${draft}/submit`, { of, ...fields }, who);
  };
  const credentials = async () => {
    await web.get('/keys', FIONA);
    return web.credentials();
  };
  const states = async (name: string) => {
    const state = await web.context.portfolios.read(name);
    // A plan leaves out rows that are imported after it is made, so tests wait for the end of the import.
    return { ...state.states, importing: state.importing };
  };
  const planOf = async (who: Record<string, string>, portfolio: string, action = 'cancel') => {
    const answer = await web.get(`/plans/new?portfolio=${portfolio}&action=${action}&states=queued`, who);
    const [, id] = /\/plans\/([\w-]+)\/confirm/.exec(answer.text) ?? [];
    return { ...answer, id };
  };
  return { ...web, bring, states, planOf };
}

const file = (rows: number) => `${buyerLines(rows).join('\n')}\n`;

test('finance cancels an own portfolio, and cannot cancel one of another person with any plan', async () => {
  const { bring, planOf, post, states } = await openPortfolios();
  expect((await bring(FIONA, 'hers', file(3))).status).toBe(303);
  await expect.poll(() => states('hers')).toMatchObject({ importing: false, queued: 3 });

  const refused = await planOf(FRANK, 'hers');
  expect(refused).toMatchObject({ status: 403, text: expect.stringContaining('into which nobody else imported') });
  const { id } = await planOf(FIONA, 'hers');
  expect(id).toBeDefined();
  // A plan that another person made gives no access either.
  expect((await post(`/plans/${id}/confirm`, {}, FRANK)).status).toBe(403);
  expect(await states('hers')).toMatchObject({ queued: 3 });
  expect((await post(`/plans/${id}/confirm`, {}, FIONA)).status).toBe(303);
  await expect.poll(() => states('hers')).toMatchObject({ cancelled: 3 });
});

// Promise: own-portfolio
test('an import by a second person ends the ownership of a portfolio, even with the same file', async () => {
  const { bring, planOf, states, context } = await openPortfolios();
  await bring(FIONA, 'hers', file(3));
  await expect.poll(() => states('hers')).toMatchObject({ importing: false, queued: 3 });
  // The same bytes are the same import. It now has frank as its author, and the portfolio has no owner.
  expect((await bring(FRANK, 'hers', file(3))).status).toBe(303);
  await expect.poll(async () => (await context.portfolios.allImports('hers')).map(({ by }) => by)).toEqual(['frank']);
  expect((await planOf(FRANK, 'hers')).status).toBe(403);
  expect((await planOf(FIONA, 'hers')).status).toBe(403);
  expect((await planOf(OLAF, 'hers')).status).toBe(200);
});

test('replacing another person’s import is neither offered nor accepted, and nothing is imported', async () => {
  const { bring, states, get, context } = await openPortfolios();
  await bring(FIONA, 'hers', file(3));
  await expect.poll(() => states('hers')).toMatchObject({ importing: false, queued: 3 });
  const refused = await bring(FRANK, 'hers', file(1), { replace: 'yes' });
  expect(refused.status).toBe(403);
  expect(await states('hers')).toMatchObject({ queued: 3, cancelled: 0 });
  expect(await context.portfolios.isOwn('hers', 'fiona')).toBe(true);
  // The form offers replacing to the owner only.
  const offers = async (who: Record<string, string>) => {
    const [, draft = ''] = /href="(\/new\/[^"/]+)"/.exec((await get('/new', who)).text) ?? [];
    return (await get(draft, who)).text.includes('name="replace"');
  };
  expect([await offers(FRANK), await offers(FIONA)]).toEqual([false, true]);
  expect((await bring(FIONA, 'hers', file(1), { replace: 'yes' })).status).toBe(303);
  await expect.poll(() => states('hers')).toMatchObject({ importing: false, queued: 1, cancelled: 2 });
});

test('finance sends a row of an own portfolio again, and not a row of another person’s', async () => {
  const { bring, planOf, post, states, context } = await openPortfolios();
  await bring(FIONA, 'hers', file(2));
  await expect.poll(() => states('hers')).toMatchObject({ importing: false, queued: 2 });
  await post(`/plans/${(await planOf(FIONA, 'hers')).id}/confirm`, {}, FIONA);
  await expect.poll(() => states('hers')).toMatchObject({ cancelled: 2 });
  const [found] = await context.rows.inState('hers', 'cancelled', { count: 1 });
  const address = `/portfolios/hers/rows/${found?.row.key}/retry`;
  expect((await post(address, {}, FRANK)).status).toBe(403);
  expect((await post('/work/retry', { portfolio: 'hers', key: String(found?.row.key) }, FIONA)).status).toBe(403);
  expect(await states('hers')).toMatchObject({ cancelled: 2 });
  expect((await post(address, { state: 'cancelled' }, FIONA)).status).toBe(303);
  expect(await states('hers')).toMatchObject({ cancelled: 1, queued: 1 });
});

test('a portfolio that was imported on the command line, or has no recorded owner, has no owner', async () => {
  const desk = await openDesk(2);
  await desk.limitline('import', 'q4.csv', '--yes');
  const { context, get } = await openConsole(desk, byHeader);
  expect((await get('/plans/new?portfolio=q4&action=cancel', FIONA)).status).toBe(403);
  await context.ledger.hdel(context.keys.portfolio('q4'), 'owner');
  expect(await context.portfolios.isOwn('q4', '')).toBe(false);
  await desk.limitline('import', 'q4.csv', '--yes');
  expect(await context.ledger.hget(context.keys.portfolio('q4'), 'owner')).toBe('');
});
