import { once } from 'node:events';
import { request as ask, type IncomingMessage } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { type Person, ROLES } from '../../../src/people/person.ts';
import { as, byHeader, openConsole, openDesk, openNotedAudit } from '../../support/desk.ts';
import { PASSWORD } from '../../support/people.ts';
import { openThreeRows } from '../../support/three-rows.ts';
import { withoutToken } from '../../support/without-token.ts';

const VERA = as('vera', 'viewer');
const FIONA = as('fiona', 'finance');
const OLAF = as('olaf', 'operator');
const ADA = as('ada', 'admin');

/** Spellings that another program might take for the address. None of them may get around its rule. */
const SPELLINGS = [
  (path: string) => `/${path}`,
  (path: string) => `${path}/`,
  (path: string) => `${path}//`,
  (path: string) => `/.${path}`,
  (path: string) => `/x/..${path}`,
  (path: string) => `/%2e%2e${path}`,
  (path: string) => `/keys/%2e%2e${path}`,
  (path: string) => path.toUpperCase(),
  (path: string) => path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  (path: string) => path.replace(/\/(\w+)$/, '%2F$1'),
  (path: string) => path.replace(/\/(\w+)$/, '%252F$1'),
  (path: string) => path.replace(/\/(\w+)$/, '\\$1'),
  (path: string) => `${path};a=b`,
  (path: string) => `${path}%00`,
  (path: string) => `${path}%20`,
  (path: string) => `${path}?_method=GET&x=/keys`,
  (path: string) => `/assets/..${path}`,
  (path: string) => `/sign-in/..%2f${path.slice(1)}`,
];

const OVERRIDES = ['x-http-method-override', 'x-http-method', 'x-method-override', 'x-original-method'];

/** Sends an address exactly as it is written. A browser’s functions would normalise it. */
function sender(url: string) {
  const { port } = new URL(url);
  return async (
    method: string,
    path: string,
    headers: Record<string, string>,
  ): Promise<{ status: number; text: string }> => {
    const asked = ask({ host: '127.0.0.1', port, method, path, headers, agent: false });
    asked.end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    let text = '';
    for await (const piece of answer.setEncoding('utf8')) text += piece;
    return { status: answer.statusCode ?? 0, text };
  };
}

// Promise: each-request-checked
test('no alternative spelling of an address and no method override gets around its access rule', async () => {
  const { url, credentials, context, get } = await openThreeRows(byHeader);
  await get('/keys', VERA);
  const { cookie, token } = await credentials();
  const send = sender(url);
  for (const spell of SPELLINGS) {
    for (const path of ['/portfolios/q4/held', '/portfolios/q4/downloads/results.csv']) {
      const spelled = spell(path);
      const answer = await send('GET', spelled, { cookie, ...VERA });
      expect([spelled, answer.status]).toEqual([spelled, expect.toBeOneOf([400, 403, 404])]);
      expect(answer.text, spelled).not.toMatch(/Failed rows|Ask the service|Buyer 1/);
      const unknown = await send('GET', spelled, {});
      expect([spelled, unknown.status]).toEqual([spelled, expect.toBeOneOf([400, 401])]);
    }
    const spelled = spell('/portfolios/q4/pause');
    const headers = { cookie, origin: url, 'csrf-token': token, ...VERA };
    const answer = await send('POST', spelled, headers);
    expect([spelled, answer.status]).toEqual([spelled, expect.toBeOneOf([400, 403, 404])]);
  }
  for (const header of OVERRIDES) {
    const change = { cookie, origin: url, 'csrf-token': token, ...VERA };
    expect((await send('POST', '/portfolios/q4/pause', { ...change, [header]: 'GET' })).status).toBe(403);
    const asPost = await send('GET', '/portfolios/q4/pause', { ...change, [header]: 'POST' });
    expect(asPost.status).toBeOneOf([302, 403, 404]);
  }
  expect((await context.portfolios.read('q4')).paused).toBeUndefined();
});

/** The links and form targets of a page, without those of BullMQ’s board, which is a program of its own. */
function offersOf(text: string): { method: string; address: string }[] {
  const links = [...text.matchAll(/<a [^>]*href="([^"]+)"/g)].map(([, address = '']) => ({ method: 'GET', address }));
  const forms = [...text.matchAll(/<form action="([^"]+)" method="(\w+)"/g)].map(([, address = '', method = '']) => {
    return { method: method.toUpperCase(), address };
  });
  return [...links, ...forms]
    .map(({ method, address }) => ({ method, address: address.replaceAll('&amp;', '&') }))
    .filter(({ address }) => address.startsWith('/') && !/^\/(?:assets|queues)\b/.test(address));
}

// Promise: refusal-tells-nothing
test('a refusal names the needed role and the admins, and does not reveal whether the thing exists', async () => {
  const { audit, entries } = openNotedAudit();
  const admins = async () => ['ada', '<b>hans</b>'];
  const { get, rowOf } = await openThreeRows({ ...byHeader, audit, admins });
  await rowOf('refused');
  const there = await get('/portfolios/q4/downloads/results.csv', VERA);
  const notThere = await get('/portfolios/nothing-like-it/downloads/results.csv', VERA);
  expect(there.status).toBe(403);
  expect(there.text).toContain('This takes the role finance, approver or operator. You have the role viewer.');
  expect(there.text).toContain('Ask ada or &lt;b&gt;hans&lt;/b&gt; for it');
  expect(withoutToken(there.text)).not.toMatch(/q4|results\.csv/);
  expect(withoutToken(notThere.text)).toBe(withoutToken(there.text));
  expect(entries).toHaveLength(2);
  expect(entries[0]).toEqual({
    by: 'vera',
    what: 'request refused',
    from: '127.0.0.1',
    facts: { method: 'GET', route: '/portfolios/:name/downloads/:file', roles: 'viewer' },
    is: 'refused',
  });
  // A request for a fragment, as a dialog makes, is answered with a fragment.
  const piece = await get('/plans/new?portfolio=q4&action=retry', { ...VERA, 'x-fragment': '1' });
  expect(piece).toMatchObject({ status: 403, text: expect.stringMatching(/^<div class="notice is-bad"/) });
});

test('a refusal names the admins among the users', async () => {
  const { get, context } = await openConsole(await openDesk(0), byHeader);
  for (const [name, role] of [
    ['zoe', 'admin'],
    ['olga', 'operator'],
    ['ada', 'admin'],
  ] as const) {
    await context.people.users.add({ name, roles: [role], password: PASSWORD, mustChange: false });
  }
  expect((await get('/work', VERA)).text).toContain('Ask ada or zoe for it, who look after the roles');
});

test('a request is refused with status 403 also when the admins cannot be read', async () => {
  const admins = async () => Promise.reject(new Error('Redis is away'));
  const { get } = await openConsole(await openDesk(0), { ...byHeader, admins });
  const answer = await get('/work', VERA);
  expect(answer).toMatchObject({ status: 403, text: expect.stringContaining('Ask whoever runs Limitline') });
});

// Promise: pages-offer-what-one-may
test('no page offers a role a link or form that is then refused', async () => {
  const { get, post } = await openThreeRows({ ...byHeader, owns: async () => false });
  for (const roles of [...ROLES, 'finance+admin']) {
    const who = as('anna', ...roles.split('+'));
    const seen = new Set(['GET /', 'GET /health', 'GET /keys']);
    // Of addresses that differ only in query values, one is enough.
    const kinds = new Set<string>();
    const refused: string[] = [];
    for (const offer of seen) {
      const kind = offer.replaceAll(/=[^&]*/g, '=');
      if (kinds.has(kind)) continue;
      kinds.add(kind);
      const [method = '', address = ''] = offer.split(' ');
      // The token is invalid. A request that passes the access table is refused for it, and changes nothing.
      const answer = method === 'GET' ? await get(address, who) : await post(address, { _csrf: 'none' }, who);
      if (answer.text.includes('This takes the role')) refused.push(offer);
      for (const one of offersOf(answer.text)) seen.add(`${one.method} ${one.address.replace(/#.*/, '')}`);
    }
    expect(refused, roles).toEqual([]);
    expect(seen.size, roles).toBeGreaterThanOrEqual(3);
  }
});

test('pages show each role the links and actions that it may use', async () => {
  const { get, rowOf } = await openThreeRows(byHeader);
  const portfolio = async (who: Record<string, string>) => (await get('/portfolios/q4', who)).text;
  const linked = (text: string) => offersOf(text).map(({ address }) => address.replace(/[?#].*/, ''));
  for (const shown of ['/held', '/work', '/plans/new', '/portfolios/q4/held', '/portfolios/q4/downloads/results.csv']) {
    expect(linked(await portfolio(OLAF))).toContain(shown);
  }
  const [refused, held] = [await rowOf('refused'), await rowOf('held')];
  expect(linked((await get(refused, FIONA)).text)).not.toContain(`${refused}/retry`);
  expect(linked((await get(refused, OLAF)).text)).toContain(`${refused}/retry`);
  expect((await get(held, FIONA)).text).toContain('Somebody has to say');
  expect((await get('/held', FIONA)).text).toContain('This takes the role operator');
  expect(linked((await get(held, OLAF)).text)).toContain('/held/plan');
  // Facts about the system are shown to admins only.
  expect((await get('/health', VERA)).text).not.toMatch(/id="(?:redis|service|disk|versions|settings)-/);
  expect((await get('/health', ADA)).text).toContain('Settings that are not the default');
  expect((await get('/', ADA)).headers.get('location')).toBe('/health');
  expect((await get('/', as('nils'))).status).toBe(403);
});

// Promise: pages-ask-same-table
test('live updates contain only what their own reader may see, also beside another reader of the same page', async () => {
  const { url, get } = await openThreeRows(byHeader);
  const { port } = new URL(url);
  const streams: Record<string, string> = {};
  const watch = async (name: string, who: Record<string, string>) => {
    const headers = { accept: 'text/event-stream', ...who };
    const asked = ask({ host: '127.0.0.1', port, path: '/portfolios/q4/events', headers, agent: false });
    onTestFinished(() => void asked.destroy());
    asked.on('error', () => undefined).end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    streams[name] = '';
    answer.setEncoding('utf8').on('data', (piece: string) => {
      streams[name] += piece;
    });
    await expect.poll(() => streams[name]).toContain('portfolio-causes');
  };
  // The person with more rights watches first, so that a shared fragment would have the operator’s links.
  await watch('olaf', OLAF);
  await watch('vera', VERA);
  expect(streams.olaf).toContain('/plans/new');
  expect(streams.vera).not.toMatch(/plans\/new|\/held|downloads/);
  const asJson = await get('/portfolios/q4/events', VERA);
  expect(asJson.text).not.toMatch(/plans\/new|\/held|downloads/);
  expect((await get('/portfolios/q4/events', OLAF)).text).toContain('/plans/new');
});

// Promise: lost-right-counts-at-once
test('a role that is removed while a page is open no longer counts at the next request', async () => {
  const people = new Map<string, Person>([['olaf', { by: 'olaf', roles: ['operator'] }]]);
  const { post, get, context } = await openThreeRows({ identify: async () => people.get('olaf') });
  expect((await get('/portfolios/q4')).text).toContain('/plans/new');
  people.set('olaf', { by: 'olaf', roles: ['viewer'] });
  expect((await post('/portfolios/q4/pause')).status).toBe(403);
  expect((await get('/plans/new?portfolio=q4&action=retry')).status).toBe(403);
  people.delete('olaf');
  expect((await post('/portfolios/q4/pause')).status).toBe(401);
  expect((await get('/portfolios/q4/events')).status).toBe(401);
  expect((await context.portfolios.read('q4')).paused).toBeUndefined();
});
