import { expect, onTestFinished, test } from 'vitest';
import { addUser, type makeVisitor, openConsole, openDesk, signIn } from '../../support/desk.ts';

/** The events that a page in a browser receives, until its stream ends. */
async function listen(url: string, visitor: Pick<ReturnType<typeof makeVisitor>, 'credentials'>) {
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const { cookie } = await visitor.credentials();
  const headers = { accept: 'text/event-stream', ...(cookie === '' ? {} : { cookie }) };
  const response = await fetch(`${url}/events`, { headers, signal: ending.signal });
  const heard = { status: response.status, text: '', endedMs: 0 };
  void (async () => {
    for await (const piece of response.body ?? []) heard.text += Buffer.from(piece).toString();
    heard.endedMs = performance.now();
  })().catch(() => {});
  await expect.poll(() => heard.text).toContain('event: frame');
  return heard;
}

// Promises: changes-end-sessions, open-pages-end-with-session
test('ending a session ends its streams on every host, and other sessions keep theirs', async () => {
  const desk = await openDesk(0);
  const [web, other] = [await openConsole(desk), await openConsole(desk)];
  const { people } = web.context;
  const carl = await signIn(other, await addUser(web, 'carl', ['viewer']));
  const staying = await listen(other.url, carl);
  const ends: [string, (visitor: Awaited<ReturnType<typeof signIn>>, name: string) => Promise<unknown>][] = [
    ['sign-out', (visitor) => visitor.post('/sign-out')],
    ['other roles', (_visitor, name) => people.users.setRoles(name, ['finance'])],
    [
      'another password',
      (_visitor, name) => people.users.setPassword(name, 'four brown kettles sing', { mustChange: false }),
    ],
    ['removal', (_visitor, name) => people.users.remove(name)],
    ['an admin', (_visitor, name) => people.sessions.endAll(name)],
  ];
  for (const [number, [what, end]] of ends.entries()) {
    const name = `user-${number}`;
    const visitor = await signIn(web, await addUser(web, name, ['viewer']));
    const streams = [await listen(web.url, visitor), await listen(other.url, visitor)];
    await end(visitor, name);
    await expect.poll(() => streams.every(({ endedMs }) => endedMs > 0)).toBe(true);
    for (const { text } of streams) expect(text.endsWith('event: signed-out\ndata: \n\n'), what).toBe(true);
    expect((await visitor.get('/events', { accept: 'text/event-stream' })).status, what).toBe(401);
  }
  expect(staying.endedMs).toBe(0);
});

test('adding the first user ends streams that have no user', async () => {
  const web = await openConsole(await openDesk(0));
  const stream = await listen(web.url, web);
  await addUser(web, 'anna', ['viewer']);
  await expect.poll(() => stream.endedMs).toBeGreaterThan(0);
  expect(stream.text).toContain('event: signed-out');
});

// Promise: refresh-is-no-activity
test('an open page does not extend its session, and loading a page does', async () => {
  const web = await openConsole(await openDesk(0, {}, { QUEUE_BOARD: 'on' }));
  const visitor = await signIn(web, await addUser(web, 'anna', ['viewer']));
  const { ledger, settings } = web.context;
  const [key = ''] = await ledger.keys(`{${settings.LIMITLINE_PREFIX}}:session:*`);
  const lifeMs = async () => {
    const before = 1_000_000;
    await ledger.hset(key, 'seen', Date.now() - 600_000);
    await ledger.pexpire(key, before);
    return async () => (await ledger.pttl(key)) > before;
  };
  for (const [what, path, headers, counts] of [
    ['a stream', '/events', { accept: 'text/event-stream' }, false],
    ['asking for pieces', '/events', { accept: 'application/json' }, false],
    ['a piece by itself', '/', { 'x-fragment': '1', 'x-by-itself': '1' }, false],
    ['the board', '/queues/api/queues', {}, false],
    ['a page', '/', {}, true],
    ['a dialog', '/keys', { 'x-fragment': '1' }, true],
  ] as const) {
    const isLonger = await lifeMs();
    if (headers && 'accept' in headers && headers.accept === 'text/event-stream') await listen(web.url, visitor);
    else await visitor.get(path, headers);
    expect(await isLonger(), what).toBe(counts);
  }
});
