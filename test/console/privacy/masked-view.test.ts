import { PassThrough, Readable } from 'node:stream';
import multipart from '@fastify/multipart';
import { expect, test } from 'vitest';
import { addAction } from '../../../src/console/actions/add-action.ts';
import { addEvents } from '../../../src/console/events/add-events.ts';
import { html } from '../../../src/console/html/html.ts';
import { MASK } from '../../../src/console/privacy/mask.ts';
import { asConsole, maskedView } from '../../../src/console/privacy/masked-view.ts';
import type { Role } from '../../../src/people/person.ts';
import { firstFrame } from '../../support/first-frame.ts';
import { openBareConsole } from '../../support/marked-console.ts';

/** Functions for pages in every form that occurs, for buyers and for other pages. */
const functions = () => ({
  row: {
    later: async () => ({ email: 'anna@a.example' }),
    now: () => ({ email: 'anna@a.example' }),
    parts: [{ title: 'a part', ask: async () => 'anna@a.example' }],
    most: 25,
    write: async (to: PassThrough) => void to.end('anna@a.example'),
    content: async () => ({ content: () => Readable.from(['anna@a.example']) }),
  },
  upload: { read: async () => ({ cells: ['Anna'] }), close: async () => 'closed' },
  users: { read: async () => ({ name: 'x', email: 'anna@a.example' }) },
});

/** A console whose pages show what these functions return. A header names the roles of the reader. */
async function openShowing() {
  const given = maskedView(functions(), { ours: ['users'], asItIs: ['upload'] });
  const show = { row: given.row.later, users: given.users.read, upload: given.upload.read };
  const web = await openBareConsole({
    identify: async ({ headers }) => ({ by: 'x', roles: String(headers['x-test-roles']).split(',') as Role[] }),
    pages: (app, hub) => {
      for (const [name, read] of Object.entries(show)) app.get(`/show/${name}`, async () => read());
      addEvents(app, hub, {
        url: '/show/events',
        key: () => '',
        frame: async () => [{ id: 'row', html: html`${(await given.row.later()).email}` }],
      });
      addAction(app, { url: '/show/posted', action: 'plan', handle: () => given.row.later() });
      app.register(async (room) => {
        await room.register(multipart);
        addAction(room, {
          url: '/show/sent',
          action: 'plan',
          multipart: true,
          handle: async ({ request }) => {
            const file = await request.file();
            await file?.toBuffer();
            return given.row.later();
          },
        });
      });
    },
  });
  return { ...web, given };
}

const as = (roles: string) => ({ 'x-test-roles': roles });

// Promise: viewers-see-masked
test('outside a request every result is masked, or the function rejects', async () => {
  const { row, upload, users } = maskedView(functions(), { ours: ['users'], asItIs: ['upload'] });
  expect(await row.later()).toEqual({ email: MASK });
  expect(row.now()).toEqual({ email: MASK });
  expect(await row.parts[0]?.ask()).toBe(MASK);
  expect([row.most, row.parts[0]?.title]).toEqual([25, 'a part']);
  const to = new PassThrough();
  await expect(row.write(to)).rejects.toMatchObject({ statusCode: 403 });
  expect(to.read()).toBeNull();
  await expect(row.content()).rejects.toMatchObject({ statusCode: 403 });
  await expect(upload.read()).rejects.toMatchObject({ statusCode: 403 });
  expect(await users.read()).toEqual({ name: 'x', email: 'anna@a.example' });
  expect(await asConsole(() => upload.close())).toBe('closed');
});

test('concurrent readers see what their own roles may see', async () => {
  const { get } = await openShowing();
  const people = ['viewer', 'finance', 'admin', 'operator', 'viewer,approver', 'viewer'];
  const shown = await Promise.all(people.map(async (who) => JSON.parse((await get('/show/row', as(who))).text).email));
  expect(shown).toEqual([MASK, 'anna@a.example', MASK, 'anna@a.example', 'anna@a.example', MASK]);
  expect((await get('/show/upload', as('viewer'))).status).toBe(403);
  expect((await get('/show/upload', as('finance'))).text).toContain('Anna');
  expect((await get('/show/users', as('viewer'))).text).toContain('anna@a.example');
});

test('answers to forms and uploads are masked in the same way', async () => {
  const { post, url, credentials } = await openShowing();
  const { cookie, token, origin } = await credentials();
  const send = async (roles: string) => {
    const body = new FormData();
    body.set('file', new File(['x'.repeat(200_000)], 'a.csv'));
    const headers = { cookie, origin, 'sec-fetch-site': 'same-origin', ...as(roles) };
    const answer = await fetch(`${url}/show/sent?_csrf=${encodeURIComponent(token)}`, {
      method: 'POST',
      headers,
      body,
    });
    return answer.text();
  };
  for (const [roles, expected] of [
    ['viewer', MASK],
    ['finance', 'anna@a.example'],
  ] as const) {
    expect((await post('/show/posted', {}, as(roles))).text).toContain(expected);
    expect(await send(roles)).toContain(expected);
  }
});

test.each([
  ['viewer', 'finance'],
  ['finance', 'viewer'],
])('an event stream that a %s opened first is not shared with a %s', async (first, second) => {
  const { url, get } = await openShowing();
  const expected = { viewer: MASK, finance: 'anna@a.example' } as Record<string, string>;
  const frames = await Promise.all([first, second, first].map((who) => firstFrame(url, '/show/events', as(who))));
  expect(frames).toEqual([first, second, first].map((who) => expect.stringContaining(expected[who] ?? '')));
  for (const who of [second, first]) expect((await get('/show/events', as(who))).text).toContain(expected[who]);
});
