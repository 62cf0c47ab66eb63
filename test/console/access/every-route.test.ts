import { once } from 'node:events';
import { Agent, request as ask } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { type AccessTable, accessOf } from '../../../src/console/access/access.ts';
import { ACCESS } from '../../../src/console/pages/index.ts';
import { ROLES } from '../../../src/people/person.ts';
import { withAllRoutes } from '../../support/all-routes.ts';
import { as, byHeader, openConsole, openDesk } from '../../support/desk.ts';
import { COLUMNS, type Expected, readExpected } from './expected-access.ts';

/** The portfolio that everybody owns in these tests, and one that nobody owns. */
const OWN = 'own';
const OTHER = 'other';

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'];

/** Words that only a refusal by the access table has. */
const BY_THE_TABLE = /This takes the role|Nobody may do this here/;

/** Sign-in at an identity provider exists only where one is configured. */
const TO_COME = /^\w+ \/sign-in\/oidc\b/;

type Answer = { status: number; text: string; location?: string | undefined };

async function openWalk() {
  const desk = await openDesk(0, {}, { QUEUE_BOARD: 'on' });
  // Only whether the table admits a request is tested, so no page is made for it.
  const { opened: web, routes } = await withAllRoutes(
    () => openConsole(desk, { ...byHeader, owns: async (_person, portfolio) => portfolio === OWN }),
    'let in',
  );
  const { port } = new URL(web.url);
  const { cookie, token, origin } = await web.credentials();
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  /** Sends one request. Of an event stream only the head is read. */
  const send = async (method: string, path: string, who: Record<string, string>, accept = '*/*'): Promise<Answer> => {
    const change = { origin, 'sec-fetch-site': 'same-origin', 'csrf-token': token, 'x-xsrf-token': token };
    const reads = method === 'GET' || method === 'HEAD';
    const hasBody = !reads && method !== 'DELETE';
    const type = path.startsWith('/queues') ? 'application/json' : 'application/x-www-form-urlencoded';
    const headers = { cookie, accept, ...who, ...(reads ? {} : change), ...(hasBody ? { 'content-type': type } : {}) };
    const asked = ask({ host: '127.0.0.1', port, method, path, headers, agent });
    asked.end(!hasBody ? '' : type === 'application/json' ? '{}' : 'a=b');
    const [answer] = await once(asked, 'response');
    if (String(answer.headers['content-type']).startsWith('text/event-stream')) {
      asked.destroy();
      return { status: answer.statusCode, text: '' };
    }
    return { status: answer.statusCode, text: await text(answer), location: answer.headers.location };
  };
  return { send, routes };
}

/** An address that matches a route pattern and names this portfolio. */
function pathOf(url: string, portfolio = OTHER): string {
  const path = url.replace(':name', portfolio).replace('*', 'x').replace(/:\w+/g, 'x');
  return path.includes('?') ? `${path}&portfolio=${portfolio}` : path;
}

/** Whether the access table admitted a request, whatever a handler then answers. */
function judged({ status, text: said }: Answer): 'yes' | 'no' | 'in' {
  if (status === 401) return 'in';
  return status === 403 && BY_THE_TABLE.test(said) ? 'no' : 'yes';
}

function lineFor(route: string, expected: readonly Expected[]): Expected[] {
  const exact = expected.filter((one) => one.route.split('?')[0] === route);
  if (exact.length > 0) return exact;
  return expected.filter((one) => one.route.endsWith('/') && one.route.length > 6 && route.startsWith(one.route));
}

// Promises: each-request-checked, roles-say-what-one-may, event-shown-as-text
test('every route, method and role answers as the expected access table says', async () => {
  const { send, routes } = await openWalk();
  const expected = readExpected();
  const known = routes.filter((route) => !route.startsWith('HEAD '));
  expect(known.length).toBeGreaterThan(80);
  expect(known.filter((route) => lineFor(route, expected).length === 0)).toEqual([]);
  // Every expected route exists.
  const missing = expected.filter((one) => !known.some((route) => lineFor(route, [one]).length > 0));
  expect(missing.filter(({ route }) => !TO_COME.test(route))).toEqual([]);
  // Every entry of the access table belongs to a route. Entries may be one object, so copies are compared.
  const table: AccessTable = Object.fromEntries(Object.entries(ACCESS).map(([name, access]) => [name, { ...access }]));
  const used = new Set(
    routes.map((route) => {
      const [method = '', url = ''] = route.split(' ');
      return accessOf(table, method, url);
    }),
  );
  const unused = Object.keys(table).filter((name) => !used.has(table[name]) && !TO_COME.test(name));
  expect(unused).toEqual([]);

  const wrong: string[] = [];
  const heads = new Set<string>();
  const hold = async (method: string, path: string, column: string, wanted: string, accept?: string) => {
    const who = column === 'nobody' ? {} : as('anna', column);
    const answer = await send(method, path, who, accept);
    // A person who may not see the first page is redirected to a page that they may see.
    const found = path === '/' && answer.status === 303 ? 'no' : judged(answer);
    if (found !== wanted) wrong.push(`${method} ${path} as ${column}: ${found}, not ${wanted}`);
    if (method !== 'GET' || accept !== undefined) return;
    const isJson = answer.text.startsWith('{') && !path.startsWith('/queues/api/');
    if (found === 'no' && isJson) wrong.push(`GET ${path} as ${column}: refused without a page`);
    // A HEAD is judged like its GET: once where that lets in, and once where it does not.
    if (heads.has(`${path} ${found}`)) return;
    heads.add(`${path} ${found}`);
    const head = await send('HEAD', path, who);
    if (head.status !== answer.status) wrong.push(`HEAD ${path} as ${column}: ${head.status}, not ${answer.status}`);
  };
  for (const route of known) {
    const [method = '', url = ''] = route.split(' ');
    for (const line of lineFor(route, expected)) {
      const [, query] = line.route.split('?');
      const address = query === undefined ? url : `${url}?${query}`;
      for (const column of COLUMNS) {
        const { [column]: wanted } = line.by;
        // An unknown plan has no owner. Whoever may confirm plans is told that it does not exist: see own.test.ts.
        const isNone = url.startsWith('/plans/:id');
        await hold(method, pathOf(address), column, wanted === 'own' ? (isNone ? 'yes' : 'no') : wanted);
        if (wanted === 'own') await hold(method, pathOf(address, OWN), column, 'yes');
        if (method === 'GET' && url.endsWith('/events')) {
          await hold('GET', pathOf(address), column, wanted, 'text/event-stream');
        }
      }
    }
  }
  expect(wrong).toEqual([]);
});

test('several roles together may do exactly what at least one of them may do', async () => {
  const { send, routes } = await openWalk();
  const expected = readExpected();
  const wrong: string[] = [];
  const combinations = [['finance', 'admin'], ['approver', 'operator'], ROLES];
  for (const route of routes.filter((one) => !one.startsWith('HEAD '))) {
    const [method = '', url = ''] = route.split(' ');
    for (const { route: name, by } of lineFor(route, expected)) {
      const [, query] = name.split('?');
      const path = pathOf(query === undefined ? url : `${url}?${query}`, OWN);
      for (const roles of combinations) {
        const may = roles.some((role) => ['yes', 'own'].includes(by[role as keyof typeof by]));
        const found = judged(await send(method, path, as('anna', ...roles)));
        if (found !== (may ? 'yes' : 'no')) wrong.push(`${method} ${path} as ${roles.join('+')}: ${found}`);
      }
    }
  }
  expect(wrong).toEqual([]);
});

test('other methods of an address are answered with status 404, and with status 401 without a sign-in; a form leads to its page', async () => {
  const { send, routes } = await openWalk();
  const there = new Set(routes);
  const urls = new Set(routes.map((route) => route.split(' ')[1] ?? ''));
  // The pattern of one route may match the address of another, which is then no missing route.
  const isThere = (method: string, path: string) =>
    [...there].some((route) => {
      const [one, url = ''] = route.split(' ');
      const pattern = new RegExp(`^${url.replace(/:\w+/g, '[^/]+').replace('*', '.*')}/?$`);
      return one === method && pattern.test(path.split('?')[0] ?? '');
    });
  const wrong: string[] = [];
  for (const url of urls) {
    const others = METHODS.filter((one) => !isThere(one, pathOf(url)));
    for (const method of others) {
      const nobody = await send(method, pathOf(url), {});
      if (nobody.status !== 401) wrong.push(`${method} ${url} as nobody: ${nobody.status}`);
    }
    for (const method of others.slice(0, 1)) {
      const all = await send(method, pathOf(url), as('anna', ...ROLES));
      const isForm = method === 'GET' && isThere('POST', pathOf(url));
      if (all.status !== (isForm ? 302 : 404)) wrong.push(`${method} ${url}: ${all.status}`);
    }
  }
  expect(wrong).toEqual([]);
});

test.each([
  ['/new/7/confirm?x=1', '/new/7'],
  ['/work/retry', '/work'],
  ['/nightly/rules/7/remove', '/nightly'],
  ['/portfolios/own/rows/a%2Fb/retry', '/portfolios/own/rows/a%2Fb'],
  ['/users/anna/roles', '/users/anna'],
  ['/sign-out', '/'],
])('the address %s, to which a form is sent, leads to the page %s when it is opened', async (address, page) => {
  const { send } = await openWalk();
  for (const method of ['GET', 'HEAD'])
    expect(await send(method, address, as('anna', ...ROLES))).toMatchObject({ status: 302, location: page });
  expect((await send('GET', `${address.split('?')[0]}/more`, as('anna', ...ROLES))).status).toBe(404);
});
