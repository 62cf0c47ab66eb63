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

/** The portfolio that is everybody's own here, and one that is nobody's. */
const OWN = 'own';
const OTHER = 'other';

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'];

/** What the table says with its refusals, and no handler does. */
const BY_THE_TABLE = /This takes the role|Nobody may do this here/;

/** There is a sign-in at an identity provider only where one is set. */
const TO_COME = /^\w+ \/sign-in\/oidc\b/;

type Answer = { status: number; text: string };

async function openWalk() {
  const desk = await openDesk(0, {}, { QUEUE_BOARD: 'on' });
  // Whom the table lets in is all that is asked: no page is made for it.
  const { opened: web, routes } = await withAllRoutes(
    () => openConsole(desk, { ...byHeader, owns: async (_person, portfolio) => portfolio === OWN }),
    'let in',
  );
  const { port } = new URL(web.url);
  const { cookie, token, origin } = await web.credentials();
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  /** One request, a stream of events too: of that the head alone is read. */
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
    return { status: answer.statusCode, text: await text(answer) };
  };
  return { send, routes };
}

/** An address for a pattern, about this portfolio. */
function pathOf(url: string, portfolio = OTHER): string {
  const path = url.replace(':name', portfolio).replace('*', 'x').replace(/:\w+/g, 'x');
  return path.includes('?') ? `${path}&portfolio=${portfolio}` : path;
}

/** Whether the table let somebody pass; what a handler then says of a thing that is not there is another matter. */
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
test('each route, by each method, with each role, answers as the table for people says', async () => {
  const { send, routes } = await openWalk();
  const expected = readExpected();
  const known = routes.filter((route) => !route.startsWith('HEAD '));
  expect(known.length).toBeGreaterThan(80);
  expect(known.filter((route) => lineFor(route, expected).length === 0)).toEqual([]);
  // And none is expected that there is not.
  const missing = expected.filter((one) => !known.some((route) => lineFor(route, [one]).length > 0));
  expect(missing.filter(({ route }) => !TO_COME.test(route))).toEqual([]);
  // No entry stands for a route that there is no more. Entries may be one object, so copies are looked up, which are told apart.
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
  const hold = async (method: string, path: string, column: string, wanted: string, accept?: string) => {
    const who = column === 'nobody' ? {} : as('anna', column);
    const answer = await send(method, path, who, accept);
    // Whoever comes in where they have nothing to see is sent to what they have.
    const found = path === '/' && answer.status === 303 ? 'no' : judged(answer);
    if (found !== wanted) wrong.push(`${method} ${path} as ${column}: ${found}, not ${wanted}`);
    if (method !== 'GET' || accept !== undefined) return;
    const isJson = answer.text.startsWith('{') && !path.startsWith('/queues/api/');
    if (found === 'no' && isJson) wrong.push(`GET ${path} as ${column}: refused without a page`);
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
        // A plan that is not there is nobody's, so whoever may confirm some hears that there is none: see own.test.ts.
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

test('what several roles may is what one of them may', async () => {
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

test('by a method that an address is not for, nobody gets anywhere, and who is not known learns nothing of it', async () => {
  const { send, routes } = await openWalk();
  const there = new Set(routes);
  const urls = new Set(routes.map((route) => route.split(' ')[1] ?? ''));
  // A pattern may be another's address: what is not there must not be found under another's name either.
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
      if (all.status !== 404) wrong.push(`${method} ${url}: ${all.status}`);
    }
  }
  expect(wrong).toEqual([]);
});
