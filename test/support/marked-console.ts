import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type IncomingHttpHeaders, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { FastifyRequest, RouteOptions } from 'fastify';
import { onTestFinished } from 'vitest';
import { reconcile } from '../../jobs/nightly/reconcile.ts';
import { consoleFunctions } from '../../scripts/console/functions.ts';
import { readStrip } from '../../scripts/console/open-console.ts';
import { printReport } from '../../scripts/nightly/report-table.ts';
import { readSettings } from '../../src/config.ts';
import type { AccessTable } from '../../src/console/access/access.ts';
import type { AccessFunctions } from '../../src/console/access/add-access.ts';
import { makeConsole } from '../../src/console/console.ts';
import type { ConsoleApp } from '../../src/console/console-app.ts';
import type { Hub } from '../../src/console/events/hub.ts';
import type { Strip } from '../../src/console/layout/layout.ts';
import { ACCESS, addPages } from '../../src/console/pages/index.ts';
import { keysPage } from '../../src/console/pages/keys/keys-routes.ts';
import type { Reach } from '../../src/console/server/reach.ts';
import type { SignInOptions } from '../../src/console/sign-in/add-oidc-sign-in.ts';
import { openContext } from '../../src/context.ts';
import { type Log, makeSilentLog } from '../../src/log.ts';
import type { Person, Role } from '../../src/people/person.ts';
import { callCommand, ownDataHome } from './command.ts';
import { ANYBODY, makeVisitor, openDesk, uploadTo } from './desk.ts';
import { allEvents, eventOf } from './events.ts';
import { firstFrame } from './first-frame.ts';
import { addGalleryPage } from './gallery.ts';
import { ECHOING_RULES, MARKED_HEADER, markedLine } from './key-contents.ts';
import { makeNotedAudit } from './noted-audit.ts';

/**
 * A console with files that have a mark in every personal value: rows done, refused with an answer that repeats their
 * contact, corrected, held, and waiting for approval; an upload; and a nightly report. The header `x-test-roles` names
 * the roles of the visitor. Unless `table` restricts them, everybody may use every address, so that only the masking
 * protects personal values.
 */
export async function openMarkedConsole({ table = EVERYTHING }: { table?: AccessTable } = {}) {
  const desk = await openDesk(1, { rules: ECHOING_RULES });
  const lines = [1, 2, 3, 4, 5].map(markedLine);
  await writeFile(join(desk.cwd, 'q4.csv'), `${[MARKED_HEADER, ...lines].join('\n')}\n`);
  await desk.limitline('run', 'q4.csv', '--no-results');
  // Other words for the refused row; the earlier refusal is in its story.
  await writeFile(
    join(desk.cwd, 'q4b.csv'),
    `${[MARKED_HEADER, markedLine(2).replace('Zqxjvmann2', 'Zqxjvfrau2')].join('\n')}\n`,
  );
  await desk.limitline('run', 'q4b.csv', '--portfolio', 'q4', '--no-results');

  // Rows that wait for approval, with the values that will be sent.
  await writeFile(join(desk.cwd, 'q6.csv'), `${[MARKED_HEADER, markedLine(6), markedLine(7)].join('\n')}\n`);
  await callCommand(['import', 'q6.csv'], { cwd: desk.cwd, env: { ...desk.env, APPROVE_ALWAYS: 'on' } });

  const settings = readSettings({
    env: { ...ownDataHome(desk.cwd), ...desk.env, QUEUE_BOARD: 'on', CONSOLE_PORT: '0' },
    cwd: desk.cwd,
  });
  const context = await openContext({ settings, log: makeSilentLog() });
  // An event of the service about a row: a known id, and other data.
  const [done] = await context.rows.inState('q4', 'done', { count: 1 });
  const [told] = done ? await context.rows.read([done.row]) : [];
  await context.events.keep(
    eventOf(`{"id":"${told?.limitId}","owner":"Herr Zqxjvbert","mail":"zqxjv1@zqxjv.example"}`),
  );
  const [event] = await allEvents(context.events);
  const { signal } = new AbortController();
  const night = { id: '2026-11-22T01:30:00.000Z', atMs: Date.now(), by: 'nightly', signal };
  const { report } = await reconcile({ ...context, printReport }, night);
  const audit = makeNotedAudit();
  const routes: RouteOptions[] = [];
  const web = await makeConsole({
    host: '127.0.0.1',
    port: 0,
    log: makeSilentLog(),
    audit,
    identify: personOf,
    table,
    strip: () => readStrip(context),
    pages: (app, hub) => {
      app.addHook('onRoute', (route) => void routes.push(route));
      addPages(app, hub, consoleFunctions(context));
    },
  });
  onTestFinished(async () => {
    await web.close();
    await context.close();
  });
  await web.listen();
  const visitor = { url: web.url(), ...makeVisitor(web.url()) };
  const { location } = await uploadTo(visitor, [
    'file',
    'q5.csv',
    `${MARKED_HEADER}\n${markedLine(8).replace('1008.50', 'much')}`,
  ]);
  const keysOf = async (state: 'done' | 'refused' | 'held') =>
    (await context.rows.inState('q4', state, { count: 9 })).map(({ row }) => row.key);
  const keys = (await Promise.all((['done', 'refused', 'held'] as const).map(keysOf))).flat();
  const watch = (path: string, headers: Record<string, string>) => firstFrame(web.url(), path, headers);
  const draft = location.split('/').at(-1) ?? '';
  const approval = (await context.approvals.waiting())[0]?.id ?? '';
  return {
    ...visitor,
    context,
    audit,
    addresses: addressesOf(routes, { keys, draft, approval, report, event: event?.id ?? '' }),
    watch,
  };
}

/** A table of rights that allows everything. */
const EVERYTHING: AccessTable = Object.fromEntries(
  Object.keys(ACCESS).map((name) => [name, { signedIn: true } as const]),
);

async function personOf(request: FastifyRequest): Promise<Person> {
  const roles = String(request.headers['x-test-roles'] ?? 'finance').split(',') as Role[];
  return { by: `a ${roles.join(' and ')}`, roles };
}

/** Every address for reading, with all parameters that exist here, and the searches of pages. */
function addressesOf(
  routes: readonly RouteOptions[],
  given: Readonly<Record<'draft' | 'approval' | 'report' | 'event', string>> & { keys: string[] },
): string[] {
  const { keys, draft, approval, report, event } = given;
  const values: Record<string, string[]> = {
    ':name': ['q4', 'q6'],
    ':key': keys,
    ':id': [draft, approval, encodeURIComponent(report), event, 'none'],
    ':file': ['results.csv', 'errors.csv', 'results.xlsx', 'original', 'original?import=1'],
    ':queue': ['companies'],
    ':queueName': ['companies', 'buyer-limits'],
    ':jobId': keys.map((key) => encodeURIComponent(`q4/${key}`)),
    '*': ['nowhere'],
  };
  const read = routes.filter(({ method }) => [method].flat().includes('GET')).map(({ url }) => url);
  const files = ['items.csv', 'report.html'].map((file) => `/nightly/reports/${encodeURIComponent(report)}/${file}`);
  const patterns = ['/events', ...read, ...SEARCHES, ...files, '/nowhere'];
  return [...new Set(patterns.flatMap((pattern) => filled(pattern, values)))];
}

const SEARCHES = [
  '/portfolios/q4?states=refused,held',
  '/portfolios/q4?text=buyer',
  '/work?portfolio=q4',
  '/work?state=held&text=buyer',
  '/plans/new?portfolio=q4&action=retry',
  '/portfolios/q4/rows/:key?line=yes',
];

function filled(pattern: string, values: Readonly<Record<string, string[]>>): string[] {
  const [found] = /:\w+|\*/.exec(pattern) ?? [];
  if (found === undefined) return [pattern];
  return (values[found] ?? ['x']).flatMap((value) => filled(pattern.replace(found, value), values));
}

export const STRIP: Strip = { account: 'https://test.example', standIn: false, workers: 1, pace: '', stops: [] };

/** Pages of tests are open to every signed-in person. */
const WITH_TEST_PAGES: AccessTable = { ...ACCESS, 'GET /*': { signedIn: true }, 'POST /*': { signedIn: true } };

/** A console without data: the gallery and what a test adds; closed when the test ends. */
export async function openBareConsole(
  given: {
    account?: string;
    strip?: () => Promise<Strip>;
    reach?: Reach;
    signIn?: SignInOptions;
    log?: Log;
    pages?: (app: ConsoleApp, hub: Hub) => void;
  } & Partial<AccessFunctions> = {},
) {
  const { account, strip = async () => STRIP, log = makeSilentLog(), pages, reach, signIn, ...who } = given;
  const web = await makeConsole({
    host: '127.0.0.1',
    port: 0,
    ...(account ? { account } : {}),
    log,
    strip,
    ...(reach ? { reach } : {}),
    ...(signIn ? { signIn } : { identify: async () => ANYBODY }),
    table: WITH_TEST_PAGES,
    ...who,
    pages: (app, hub) => {
      keysPage.add(app, undefined, { hub, stopping: new AbortController().signal });
      addGalleryPage(app);
      pages?.(app, hub);
    },
  });
  onTestFinished(() => web.close());
  await web.listen();
  const port = String((web.app.server.address() as AddressInfo).port);

  /** A request with any method, address and headers, also ones that browsers and `fetch` never send. */
  const ask = async (
    method: string,
    path: string,
    headers: Record<string, string | string[]> = {},
    body = '',
    /** An address of the loopback network, all of which belong to this machine. */
    from = '127.0.0.1',
  ) => {
    // Each request has its own connection, because the server closes connections of refused visitors.
    const asked = request({ host: '127.0.0.1', localAddress: from, port, method, path, headers, agent: false });
    asked.end(body);
    const [answer] = await once(asked, 'response');
    return {
      status: answer.statusCode as number,
      headers: answer.headers as IncomingHttpHeaders,
      text: await text(answer),
    };
  };

  /** Sends raw bytes, and returns the bytes of the answer until the server closes the connection. */
  const send = async (bytes: string): Promise<string> => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(bytes);
    return text(socket);
  };
  return { web, url: web.url(), port, ask, send, ...makeVisitor(web.url()) };
}
