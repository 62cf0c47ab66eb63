import { expect, test } from 'vitest';
import { addAction } from '../../../src/console/actions/add-action.ts';
import { ConsoleError } from '../../../src/console/console-app.ts';
import { as, byHeader, openNotedAudit } from '../../support/desk.ts';
import { openBareConsole } from '../../support/marked-console.ts';
import { openThreeRows } from '../../support/three-rows.ts';

const OLAF = as('olaf', 'operator');

/** A console with one audited action and one unaudited, and the recorded calls. */
async function openActing(given: Partial<ReturnType<typeof openNotedAudit>> = {}) {
  const { audit, entries } = { ...openNotedAudit(), ...given };
  const done: string[] = [];
  const web = await openBareConsole({
    ...byHeader,
    audit,
    pages: (app) => {
      addAction(app, {
        url: '/things/:name/:key/do',
        action: 'pause',
        says: ['why'],
        about: async () => ({ facts: { rows: 3 } }),
        handle: async ({ fields, reply, tell }) => {
          done.push(fields.why ?? '');
          if (fields.why === 'no') throw new ConsoleError(409, 'It is not so.');
          tell({ became: 'paused' });
          return reply.redirect('/keys', 303);
        },
      });
      addAction(app, {
        url: '/things/look',
        action: 'pause',
        audited: false,
        handle: ({ reply }) => reply.send('seen'),
      });
    },
  });
  return { ...web, entries, done };
}

// Promise: every-change-audited
test('an action is recorded before with its allowed fields, and afterwards with its result', async () => {
  const { post, get, entries } = await openActing();
  await get('/keys', OLAF);
  const answer = await post('/things/q4/k1/do', { why: 'month end', secret: 'hunter2' }, OLAF);
  expect(answer.status).toBe(303);
  const note = { by: 'olaf', what: 'portfolio paused', from: '127.0.0.1', about: 'q4' };
  // Both entries exist by the time the answer arrives.
  expect(entries).toEqual([
    { ...note, facts: { key: 'k1', why: 'month end', rows: 3 }, is: 'wished' },
    { ...note, facts: { status: 303, became: 'paused' }, is: 'done' },
  ]);
  expect(JSON.stringify(entries)).not.toMatch(/hunter2|csrf/);
});

test('a failed action is recorded as failed, and an unaudited action is not recorded', async () => {
  const { post, get, entries } = await openActing();
  await get('/keys', OLAF);
  const answer = await post('/things/q4/k1/do', { why: 'no' }, OLAF);
  expect(answer).toMatchObject({ status: 409, text: expect.stringContaining('It is not so.') });
  expect(entries.map(({ is }) => is)).toEqual(['wished', 'failed']);
  expect((await post('/things/look', {}, OLAF)).text).toBe('seen');
  expect(entries).toHaveLength(2);
});

// Promise: entry-comes-first
test('an action is not done when its audit entry cannot be written first, and an invalid token is recorded', async () => {
  const { audit, entries } = openNotedAudit();
  const away = async () => Promise.reject(new Error('Connection is closed.'));
  const { post, get, done } = await openActing({ audit: { ...audit, around: away }, entries });
  await get('/keys', OLAF);
  expect((await post('/things/q4/k1/do', { why: 'x' }, OLAF)).status).toBe(503);
  expect(done).toEqual([]);
  expect((await post('/things/q4/k1/do', { _csrf: 'of an old page' }, OLAF)).status).toBe(403);
  expect(entries).toEqual([expect.objectContaining({ by: 'olaf', what: 'request refused', is: 'refused' })]);
});

test('an action whose result cannot be recorded is answered with status 503', async () => {
  const { audit, entries } = openNotedAudit();
  const { post, get, done } = await openActing({
    audit: {
      ...audit,
      async around(_note, act) {
        await act();
        throw new Error('Connection is closed.');
      },
    },
    entries,
  });
  await get('/keys', OLAF);
  expect((await post('/things/q4/k1/do', { why: 'x' }, OLAF)).status).toBe(503);
  expect(done).toEqual(['x']);
});

// Promise: plan-alone-no-entry
test('a plan has no audit entry, and its confirmation has one with the plan and its result', async () => {
  const { audit, entries } = openNotedAudit();
  const { get, post } = await openThreeRows({ ...byHeader, audit });
  const { text } = await get('/plans/new?portfolio=q4&action=retry&states=refused&text=Buyer', OLAF);
  const [, id = ''] = /\/plans\/([\w-]+)\/confirm/.exec(text) ?? [];
  expect(entries).toEqual([]);
  expect((await post(`/plans/${id}/confirm`, {}, OLAF)).status).toBe(303);
  const [wished, done] = entries;
  expect(wished).toMatchObject({
    by: 'olaf',
    what: 'plan confirmed',
    about: 'q4',
    facts: { plan: id, action: 'retry', filter: 'states=refused and found by a text', rows: 1, calls: { limit: 1 } },
  });
  expect(wished?.facts?.sum).toMatch(/^\d/);
  expect(done).toMatchObject({ is: 'done', facts: { status: 303, became: 'started', standing: 'ended', done: 1 } });
  // A searched text may be a person’s name, so it is not recorded.
  expect(JSON.stringify(entries)).not.toContain('Buyer');
});

test('a retry on the board is recorded like one on the pages, and a refused request of the board is recorded, too', async () => {
  const { audit, entries } = openNotedAudit();
  const { url, get, rowOf } = await openThreeRows({ ...byHeader, audit });
  const row = (await rowOf('refused')).split('/').at(-1) ?? '';
  const shell = await get('/queues', OLAF);
  const cookies = shell.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');
  const token = decodeURIComponent(cookies.find((cookie) => cookie.startsWith('XSRF-TOKEN='))?.slice(11) ?? '');
  const headers = { cookie: cookies.join('; '), origin: url, 'x-xsrf-token': token, ...OLAF };
  const put = async (path: string, more = {}) =>
    (await fetch(`${url}/queues/api/queues/buyer-limits/${path}`, { method: 'PUT', headers: { ...headers, ...more } }))
      .status;
  expect(await put(`q4%2F${row}/retry`, as('fiona', 'finance', 'admin'))).toBe(403);
  expect(await put('pause')).toBe(403);
  expect(await put(`q4%2F${row}/retry`)).toBe(204);
  expect(entries.map(({ by, what, about, is }) => [by, what, about, is])).toEqual([
    ['fiona', 'request refused', undefined, 'refused'],
    ['olaf', 'request refused', undefined, 'refused'],
    ['olaf', 'row retried', 'q4', 'wished'],
    ['olaf', 'row retried', 'q4', 'done'],
  ]);
  expect(entries.at(-2)?.facts).toEqual({ row });
});
