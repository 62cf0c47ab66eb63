import { readFileSync } from 'node:fs';
import { appRoutes } from '@bull-board/api/dist/routes.js';
import { expect, onTestFinished, test } from 'vitest';
import { startWorkers } from '../../../jobs/workers/workers.ts';
import { commandLineActor } from '../../../src/actor.ts';
import { cleanShell, DECIDED_ROUTES, mayOnBoard } from '../../../src/console/board/add-board.ts';
import type { RowState } from '../../../src/ledger/schema/row.ts';
import { openService } from '../../../src/open-service.ts';
import { openBoardRows } from '../../support/board-rows.ts';
import { withoutToken } from '../../support/without-token.ts';

/** The board with a rejected, a held and a done row, and requests that have its token. */
async function openBoard(settings: Record<string, string> = {}) {
  const { desk, web } = await openBoardRows(settings);
  const { context } = web;
  const shell = await web.get('/queues');
  const cookies = [...web.cookies].map((pair) => pair.join('='));
  const token = decodeURIComponent(cookies.find((cookie) => cookie.startsWith('XSRF-TOKEN='))?.slice(11) ?? '');
  const headers = {
    cookie: cookies.join('; '),
    origin: web.url,
    'sec-fetch-site': 'same-origin',
    'x-xsrf-token': token,
  };
  const ask = async (method: string, path: string, changes: Record<string, string> = {}) => {
    const response = await fetch(`${web.url}/queues/api${path}`, { method, headers: { ...headers, ...changes } });
    const text = await response.text();
    const body = text.startsWith('{') ? JSON.parse(text) : {};
    return { status: response.status, headers: response.headers, text, body };
  };
  const idOf = async (state: RowState) => {
    const [found] = await context.rows.inState('q4', state, { count: 1 });
    return encodeURIComponent(`q4/${found?.row.key}`);
  };
  const limits = () => desk.standIn.counts().made.limit;
  return { desk, web, context, shell, ask, idOf, limits };
}

// Promise: sent-again-needs-approval
test('a row sent again on the board waits for approval where it is needed, with its author', async () => {
  const { ask, idOf, web } = await openBoard({ APPROVE_ALWAYS: 'on' });
  const answer = await ask('PUT', `/queues/buyer-limits/${await idOf('refused')}/retry`);
  expect(answer.status).toBe(409);
  expect(answer.body.message).toContain('needs another person’s approval');
  expect(await web.context.approvals.waiting()).toMatchObject([
    { kind: 'retry', rows: 1, authors: [commandLineActor()] },
  ]);
  expect((await web.context.portfolios.read('q4')).states).toMatchObject({ awaiting: 1, refused: 0, queued: 0 });
});

// Promise: board-sends-single-row
test('with QUEUE_BOARD=off the board is answered with status 404, and no page links to it', async () => {
  const { shell, ask, web } = await openBoard({ QUEUE_BOARD: 'off' });
  expect([shell.status, (await ask('GET', '/queues')).status]).toEqual([404, 404]);
  expect((await web.get('/work')).text).not.toContain('href="/queues"');
});

test('the board has its own policy, and shows jobs by line and cause, without buyers, also after BullMQ removed them', async () => {
  const { shell, web, ask, idOf, context } = await openBoard();
  expect(shell.status).toBe(200);
  const policy = shell.headers.get('content-security-policy');
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("; script-src 'self';");
  expect(shell.text).not.toMatch(/style=|<style|https?:\/\//);
  expect(shell.text).toContain('"showWorkers":false');
  const [, script = ''] = /src="(static\/js\/main[^"]+)"/.exec(shell.text) ?? [];
  expect((await web.get(`/queues/${script}`)).status).toBe(200);
  const work = await web.get('/work');
  expect(work.headers.get('content-security-policy')).not.toContain('unsafe-inline');
  expect(work.text).toContain('href="/queues"');

  const id = await idOf('refused');
  const list = await ask('GET', '/queues?activeQueue=buyer-limits&status=failed&page=1&jobsPerPage=10');
  expect(list.text).toContain('line 2: refused with status 422');
  expect(withoutToken(list.text)).not.toMatch(/Buyer|HRB/);
  expect(list.headers.get('cache-control')).toBe('no-store');
  const job = await ask('GET', `/queues/buyer-limits/${id}`);
  expect(job.body.job).toMatchObject({ name: 'submit-buyer-limit', data: { portfolio: 'q4' }, attempts: 1 });
  expect((await ask('GET', `/queues/buyer-limits/${id}/flow`)).body).toMatchObject({ isFlowNode: false });
  await context.queues.forget([{ portfolio: 'q4', key: decodeURIComponent(id).slice(3) }]);
  const gone = await ask('GET', `/queues/buyer-limits/${id}`);
  expect(gone.body).toMatchObject({ status: 'failed', job: { isFailed: true } });
  expect(gone.body.job.failedReason).toContain('line 2: refused');
  expect((await ask('GET', `/queues/companies/${id}`)).status).toBe(404);
});

test('a row sent again on the board is sent like one on the pages, also after BullMQ removed its job', async () => {
  const { ask, idOf, context, limits, desk } = await openBoard();
  const id = await idOf('refused');
  await context.queues.forget([{ portfolio: 'q4', key: decodeURIComponent(id).slice(3) }]);
  const before = limits();
  expect((await ask('PUT', `/queues/buyer-limits/${id}/retry`)).status).toBe(204);
  const workers = await startWorkers(context, openService(context, desk.standIn.url()));
  onTestFinished(() => workers.stop());
  const states = async () => (await context.portfolios.read('q4')).states;
  await expect.poll(states).toMatchObject({ done: 2, refused: 0, held: 1 });
  expect(limits()).toBe(before + 1);
});

// Promise: board-sends-single-row
test('the board sends one rejected row again, and refuses everything else with a sentence', async () => {
  const { ask, idOf, limits, context } = await openBoard();
  const before = { limits: limits(), jobs: await context.queues.counts() };
  const held = await ask('PUT', `/queues/buyer-limits/${await idOf('held')}/retry`);
  expect(held).toMatchObject({ status: 409, body: { message: expect.stringContaining('/held') } });
  const done = await ask('PUT', `/queues/buyer-limits/${await idOf('done')}/retry`);
  expect(done).toMatchObject({ status: 409, body: { message: expect.stringContaining('made already') } });
  expect((await ask('PUT', '/queues/buyer-limits/q4%2Fnobody/retry')).status).toBe(404);
  expect((await ask('PUT', '/queues/nothing/q4%2Fnobody/retry')).status).toBe(404);

  const id = await idOf('refused');
  const routes = appRoutes.api.filter(({ method, route }) => method !== 'get' && !String(route).endsWith('Id/retry'));
  for (const { method, route } of routes) {
    const path = String(route).replace('/api', '').replace(':queueName', 'buyer-limits').replace(':jobId', id);
    const method1 = String(method).toUpperCase();
    const answer = await ask(method1, path.replace(':queueStatus', 'failed').replace(':schedulerId', 'one'));
    expect({ path, status: answer.status }).toEqual({ path, status: 403 });
    expect(answer.body.message).toMatch(/\w{3}.*\.$/);
  }

  const path = `/queues/buyer-limits/${id}/retry`;
  expect((await ask('PUT', path, { origin: 'http://evil.example' })).status).toBe(403);
  expect((await ask('PUT', path, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  expect((await ask('PUT', path, { 'x-xsrf-token': 'another' })).status).toBe(403);
  expect((await ask('PUT', path, { cookie: '' })).status, 'who opened nothing').toBe(401);
  expect({ limits: limits(), jobs: await context.queues.counts() }).toEqual(before);

  const key = decodeURIComponent(id).slice(3);
  await context.queues.forget([{ portfolio: 'q4', key }]);
  const job = { portfolio: 'q4', key };
  await context.queues.bullmq['buyer-limits'].add('submit-buyer-limit', job, { jobId: `q4/${key}` });
  expect((await ask('GET', `/queues/buyer-limits/${id}`)).body.status).toBe('failed');
  expect((await ask('PUT', path)).status).toBe(204);
  expect((await context.portfolios.read('q4')).states).toMatchObject({ queued: 1, refused: 0 });
});

test('cleanShell throws when an update of the board’s page contains what the policy forbids', () => {
  const page = readFileSync(new URL(import.meta.resolve('@bull-board/ui/dist/index.ejs')), 'utf8');
  expect(() => cleanShell(page)).not.toThrow();
  expect(() => cleanShell(page.replace('<body', '<body onload="run()"'))).toThrow(/onload/);
  expect(() => cleanShell(page.replace('</head>', '<script src="https://a.example/x.js"></script></head>'))).toThrow();
});

const ROUTES = appRoutes.api.flatMap(({ method, route }) =>
  [method].flat().flatMap((one) => [route].flat().map((address) => ({ method: one, route: address }))),
);

test('every route of the board’s library has a decision, and every decision has a route', () => {
  const there = ROUTES.map(({ method, route }) => `${method} ${route}`);
  expect(there.length).toBeGreaterThan(30);
  expect(there.sort()).toEqual([...DECIDED_ROUTES].sort());
});

// Promise: board-sends-single-row
test('of the changing routes of the board only sending a single row again is allowed', () => {
  const changing = ROUTES.filter(({ method }) => method !== 'get');
  const allowed = changing.filter(({ method, route }) => mayOnBoard(method, route) === true);
  expect(allowed).toEqual([{ method: 'put', route: '/api/queues/:queueName/:jobId/retry' }]);
});

test('a route without a decision is refused, whatever its name', () => {
  for (const name of ['/api/queues/:queueName/new', '/api/toString', '__proto__']) {
    expect(mayOnBoard('get', name)).toMatch(/decided/);
  }
  expect(mayOnBoard('DELETE', '/api/queues')).toMatch(/decided/);
});
