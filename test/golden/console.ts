import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { duplexPair } from 'node:stream';
import { text } from 'node:stream/consumers';
import { openConsole } from '../../scripts/console/open-console.ts';
import type { Context } from '../../src/context.ts';
import { ROLES } from '../../src/people/person.ts';
import { withAllRoutes } from '../support/all-routes.ts';
import { as, byHeader } from '../support/desk.ts';
import type { Keep } from './goldens.ts';
import { englishNumbers, visibleText } from './text.ts';

const HOST = '127.0.0.1:3000';
const EVERYTHING = as('zoe', ...ROLES);

/** The length of the longest route. */
const WIDTH = 70;

/** The users by the head of their column. */
const COLUMNS: Readonly<Record<string, Record<string, string>>> = {
  nobody: {},
  none: as('nick'),
  ...Object.fromEntries(ROLES.map((role) => [role, as(role, role)])),
};

/** Addresses of pages; `DONE` and the like stand for the key of such a row of q4. */
const PAGES = [
  '/',
  '/portfolios/q4',
  '/portfolios/q4?states=refused,held',
  '/portfolios/q4?text=buche',
  '/portfolios/waiting',
  '/portfolios/archived',
  '/portfolios/restored',
  '/portfolios/forgotten',
  '/portfolios/paused',
  '/portfolios/q4/rows/DONE',
  '/portfolios/q4/rows/REFUSED',
  '/portfolios/q4/rows/HELD',
  '/portfolios/q4/rows/CANCELLED',
  '/plans/new?portfolio=q4&action=retry',
  '/plans/new?portfolio=paused&action=cancel',
  '/held',
  '/held/text',
  '/portfolios/q4/held',
  '/approvals',
  '/approvals/APPROVAL',
  '/archived',
  '/declined',
  '/lowered',
  '/search?text=buyer',
  '/statuses',
  '/nightly',
  '/nightly/reports/REPORT',
  '/new',
  '/new/DRAFT',
  '/work',
  '/work?portfolio=q4',
  '/users',
  '/users/finance',
  '/audit',
  '/health',
  '/health/ready',
  '/keys',
  '/metrics',
  '/nowhere',
];

/** Pages with figures of machines, such as versions and measurements. */
const OF_MACHINES = /^\/(?:health|metrics)/;

/** Pages whose texts are checked but not kept. */
const MORE_PAGES = [
  '/me',
  '/nightly/automation',
  '/nightly/notices',
  '/nightly/reports/REPORT/report.html',
  '/new/DRAFT/remove',
  '/new/DRAFT/import',
  '/users/finance/remove',
  '/buyers/BUYER',
  '/service-events/EVENT',
  '/portfolios/q4?lines=invalid,duplicate',
  '/portfolios/cancelled',
  '/portfolios/declined',
  '/portfolios/approved',
  '/sign-in',
];

/** Calls `look` with each page for each role. */
export async function lookAtPages(context: Context, look: (path: string, body: string) => void): Promise<void> {
  const { web, visitor, paths } = await openPages(context, [...PAGES, ...MORE_PAGES]);
  for (const [template, path] of paths) {
    for (const who of [EVERYTHING, ...Object.values(COLUMNS)]) {
      look(template, (await visitor.ask('GET', path, who)).body);
    }
  }
  await web.close();
}

/** Keeps each page for a user with all roles, some pages for a viewer, and the status of each route for each role. */
export async function lookAtConsole(context: Context, keep: Keep): Promise<void> {
  const { web, routes, visitor, paths } = await openPages(context, PAGES);
  for (const [template, path] of paths) {
    const { status, body } = await visitor.ask('GET', path, EVERYTHING);
    keep(`pages/${nameOf(template)}.txt`, `${status} ${template}\n${visibleText(body)}`);
    if (!OF_MACHINES.test(template)) keep('english-numbers.txt', englishNumbers(template, body));
  }
  for (const [template, path] of paths.filter(([one]) => /^\/portfolios\/q4(\/rows.*)?$/.test(one))) {
    const { status, body } = await visitor.ask('GET', path, as('viewer', 'viewer'));
    keep(`pages/${nameOf(template)}-to-a-viewer.txt`, `${status} ${template}\n${visibleText(body)}`);
  }
  keep('routes.txt', `${''.padEnd(WIDTH)}${Object.keys(COLUMNS).join(' ')}\n`);
  for (const route of routes.filter((one) => !/^HEAD | \/(assets|queues\/static)\//.test(one)).sort()) {
    const [method = '', url = ''] = route.split(' ');
    // A request that changes something names a thing that does not exist.
    const path = url.replace(':name', method === 'GET' ? 'q4' : 'none').replace(/:\w+|\*/g, 'none');
    const cells: string[] = [];
    for (const [head, who] of Object.entries(COLUMNS)) {
      const { status } = await visitor.ask(method, path, who, url.startsWith('/queues') ? '{}' : 'a=b');
      cells.push(String(status).padEnd(head.length));
    }
    keep('routes.txt', `${route.padEnd(WIDTH)}${cells.join(' ').trimEnd()}\n`);
  }
  await web.close();
}

/** A console, a visitor of it, and the addresses of pages. */
async function openPages(context: Context, pages: readonly string[]) {
  // The queue dashboard expects this field of queues, which the queues of the simulator lack.
  for (const queue of Object.values(context.queues.bullmq)) Object.assign(queue, { metaValues: { version: 'bullmq' } });
  const { opened: web, routes } = await withAllRoutes(async () => {
    const opened = await openConsole(context, byHeader);
    await opened.app.ready();
    return opened;
  });
  const visitor = makeVisitor(web.app.server);
  return { web, routes, visitor, paths: await pathsOf(context, await visitor.upload(), pages) };
}

const nameOf = (template: string): string => template.slice(1).replace(/[/?=&,]+/g, '-') || 'portfolios';

/** Asks the server over an in-memory connection, because the scheduler does not wait for sockets. */
function makeVisitor(server: { emit: (event: 'connection', socket: object) => void }) {
  let [cookie, token] = ['', ''];
  const ask = async (method: string, path: string, who: Record<string, string>, body = '', type = formOf(path)) => {
    const [here, there] = duplexPair();
    server.emit('connection', Object.assign(there, { remoteAddress: '127.0.0.1' }));
    const change = { origin: `http://${HOST}`, 'csrf-token': token, 'x-xsrf-token': token, 'content-type': type };
    const headers = { host: HOST, connection: 'close', cookie, ...who, ...(method === 'GET' ? {} : change) };
    const asked = request({ createConnection: () => here, method, path, headers });
    asked.end(method === 'GET' ? '' : body);
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
  };
  return {
    ask,
    /** Uploads a file and returns the address of its draft. */
    async upload(): Promise<string> {
      const keys = await ask('GET', '/keys', EVERYTHING);
      token = /name="csrf-token" content="([^"]*)"/.exec(keys.body)?.[1] ?? '';
      cookie = (keys.headers['set-cookie'] ?? []).map((one) => one.split(';')[0]).join('; ');
      const head = 'Content-Disposition: form-data; name="file"; filename="upload.csv"';
      const lines = ['name,country_code,requested_limit', 'Tulpe GmbH,DE,1900', 'Veilchen GmbH,DE,wenig'];
      const body = ['--part', head, '', ...lines, '--part--', ''].join('\r\n');
      const path = `/new/upload?_csrf=${encodeURIComponent(token)}`;
      const { headers } = await ask('POST', path, EVERYTHING, body, 'multipart/form-data; boundary=part');
      return headers.location ?? '';
    },
  };
}

const formOf = (path: string): string =>
  path.startsWith('/queues') ? 'application/json' : 'application/x-www-form-urlencoded';

/** Each page with its listed address and its real address. */
async function pathsOf(
  { rows, approvals, reports, events }: Context,
  draft: string,
  pages: readonly string[],
): Promise<[string, string][]> {
  const values: Record<string, string> = { '/new/DRAFT': draft };
  for (const state of ['done', 'refused', 'held', 'cancelled'] as const) {
    values[state.toUpperCase()] = (await rows.inState('q4', state, { count: 1 }))[0]?.row.key ?? '';
  }
  values.APPROVAL = (await approvals.waiting())[0]?.id ?? '';
  values.REPORT = encodeURIComponent((await reports.read())?.id ?? '');
  const [done] = await rows.read([{ portfolio: 'q4', key: values.DONE ?? '' }]);
  values.BUYER = encodeURIComponent(done?.request.buyer ?? '');
  values.EVENT = (await events.naming(['bl_esche'], { count: 1 }))[0]?.id ?? '';
  return pages.map((page) => [page, page.replace(/\/new\/DRAFT|[A-Z]{4,}/, (name) => values[name] ?? name)]);
}
