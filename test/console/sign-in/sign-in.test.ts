import { expect, test } from 'vitest';
import { addUser, codeOf, makeVisitor, openConsole, openDesk, signIn } from '../../support/desk.ts';
import { PASSWORD } from '../../support/people.ts';

const TOKEN = /^__Host-limitline-[0-9a-f]{8}$/;

const tokenOf = (cookies: Map<string, string>) => [...cookies].find(([name]) => TOKEN.test(name)) ?? ['', ''];

// Promises: nothing-without-a-session, roles-say-what-one-may
test('with a user every page needs a sign-in, and the redirect remembers the address', async () => {
  const web = await openConsole(await openDesk(0, {}, { QUEUE_BOARD: 'on' }));
  expect(await web.get('/held')).toMatchObject({ status: 200 });
  await addUser(web, 'anna', ['operator']);
  const stranger = makeVisitor(web.url);
  for (const path of ['/held?after=2', '/nowhere', '/portfolios/q4', '/users']) {
    await expect.poll(async () => (await stranger.get(path)).status).toBe(303);
    const { headers } = await stranger.get(path);
    expect(headers.get('location')).toBe(`/sign-in?to=${encodeURIComponent(path)}`);
    expect(headers.get('cache-control')).toBe('no-store');
  }
  // A script sends the upload form, and shows this fragment in its place.
  const piece = await stranger.get('/held', { 'x-fragment': '1', referer: `${web.url}/new` });
  expect(piece).toMatchObject({
    status: 401,
    text: expect.stringContaining('<a href="/sign-in?to=%2Fnew">Sign in</a>'),
  });
  expect((await stranger.get('/events', { accept: 'text/event-stream' })).status).toBe(401);
  const board = await stranger.get('/queues/api/queues');
  expect([board.status, board.headers.get('location')], 'what the board asks by itself').toEqual([401, null]);
  const page = await stranger.get('/sign-in');
  expect(page).toMatchObject({ status: 200, text: expect.stringContaining('<h1>Sign in</h1>') });
  expect(page.text, 'how the line stands is nobody’s to know').not.toMatch(/strip|places|<a href="\/held"|Account/);
  const [style = ''] = /\/assets\/[^"]+\.css/.exec(page.text) ?? [];
  expect((await stranger.get(style)).status).toBe(200);
});

// Promises: nothing-without-a-session, sign-out-empties-browser, token-changes-each-step
test('a person signs in with password and code, is redirected back, and signs out, which invalidates the session', async () => {
  const web = await openConsole(await openDesk(0));
  const anna = await addUser(web, 'anna', ['operator']);
  const visitor = makeVisitor(web.url);
  await expect.poll(async () => (await visitor.get('/sign-in')).status).toBe(200);
  const page = await visitor.get('/sign-in?to=%2Fheld%3Fafter%3D2');
  expect(page.text).toContain('value="/held?after=2"');
  const half = await visitor.post('/sign-in', { name: ' Anna', password: anna.password, to: '/held?after=2' });
  expect([half.status, half.headers.get('location')]).toEqual([303, '/sign-in/code?to=%2Fheld%3Fafter%3D2']);
  const [name, first] = tokenOf(visitor.cookies);
  expect(half.headers.getSetCookie()).toEqual([`${name}=${first}; Path=/; HttpOnly; Secure; SameSite=Lax`]);

  // Without the second factor the session is valid for the code only.
  expect((await visitor.get('/held')).headers.get('location')).toBe('/sign-in/code?to=%2Fheld');
  expect((await visitor.get('/me')).status).toBe(303);
  const codePage = await visitor.get('/sign-in/code?to=%2Fheld');
  expect(codePage.text).toMatch(/autocomplete="one-time-code"/);
  const refused = await visitor.post('/work/companies/pause');
  expect([refused.status, refused.headers.get('content-type')]).toEqual([401, 'text/html; charset=utf-8']);
  expect(refused.text).toContain('<h1>Signed out</h1>');

  const done = await visitor.post('/sign-in/code', { code: codeOf(anna.secret), to: '/held' });
  expect([done.status, done.headers.get('location')]).toEqual([303, '/held']);
  const [, second] = tokenOf(visitor.cookies);
  expect(second).not.toBe(first);
  const held = await visitor.get('/held');
  expect(held.text).toContain('Account of anna');
  expect((await visitor.post('/work/companies/pause')).status).toBe(303);

  const out = await visitor.post('/sign-out');
  expect([out.status, out.headers.get('location'), out.headers.get('clear-site-data')]).toEqual([
    303,
    '/sign-in',
    '"cache"',
  ]);
  expect(tokenOf(visitor.cookies)).toEqual(['', '']);
  for (const old of [first, second]) {
    visitor.cookies.set(name, old);
    expect((await visitor.get('/held')).status, 'an old token').toBe(303);
  }
});

// Promise: sign-in-mistakes-alike
test('every wrong sign-in has the same words and status, whether or not the user exists', async () => {
  const web = await openConsole(await openDesk(0));
  await addUser(web, 'anna', ['viewer']);
  const answers: [number, string][] = [];
  for (const [name, password] of [
    ['anna', 'another password'],
    ['nobody', PASSWORD],
    ['', ''],
    ['anna', ''],
    ['x'.repeat(5_000), PASSWORD],
    ['anna', 'y'.repeat(5_000)],
    ['<script>alert(1)</script>', '<script>alert(2)</script>'],
  ] as const) {
    const visitor = makeVisitor(web.url);
    await visitor.get('/sign-in');
    const { status, text } = await visitor.post('/sign-in', { name, password, to: '/' });
    expect(text).not.toMatch(/<script>alert/);
    answers.push([status, /role="alert"[\s\S]*?<\/div>\s*<\/div>/.exec(text)?.[0] ?? '']);
  }
  expect(answers[0]?.[1]).toContain('This name and password do not fit together');
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(answers[0]?.[0]).toBe(403);
});

test('repeated guesses are answered with status 429 and Retry-After, and existing sessions stay valid', async () => {
  const web = await openConsole(await openDesk(0));
  const anna = await addUser(web, 'anna', ['viewer']);
  const signedIn = await signIn(web, anna);
  const guesser = makeVisitor(web.url);
  await guesser.get('/sign-in');
  const guess = () => guesser.post('/sign-in', { name: 'ben', password: 'wrong wrong wrong', to: '/' });
  let late = await guess();
  while (late.status !== 429) late = await guess();
  expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(late.text).toMatch(/Try again in \d+ second/);
  expect((await signedIn.get('/me')).status).toBe(200);
});

test('a token that is forged, preset or of another installation is refused', async () => {
  const web = await openConsole(await openDesk(0));
  const anna = await addUser(web, 'anna', ['viewer']);
  const visitor = await signIn(web, anna);
  const [name, token] = tokenOf(visitor.cookies);
  const flipped = `${token.slice(0, -2)}${token.at(-2) === 'A' ? 'B' : 'A'}${token.at(-1)}`;
  for (const forged of ['', 'x', 'A'.repeat(43), flipped, `${token}x`, `${token}%00`, '../x', 'a'.repeat(4_000)]) {
    const other = makeVisitor(web.url);
    other.cookies.set(name, forged);
    expect((await other.get('/me')).status, forged.slice(0, 50)).toBe(303);
  }
  // Fixation: a preset token is not the one that the session gets.
  const victim = makeVisitor(web.url);
  victim.cookies.set(name, 'F'.repeat(43));
  await victim.get('/sign-in');
  await victim.post('/sign-in', { name: 'anna', password: anna.password, to: '/' });
  expect(victim.cookies.get(name)).not.toBe('F'.repeat(43));

  // Another installation has its own secret and cookie name, here with the same user and password.
  const elsewhere = await openConsole(await openDesk(0));
  const twin = await signIn(elsewhere, await addUser(elsewhere, 'anna', ['viewer']));
  expect(tokenOf(twin.cookies)[0]).not.toBe(name);
  const guest = makeVisitor(elsewhere.url);
  for (const [cookie, value] of visitor.cookies) guest.cookies.set(cookie, value);
  guest.cookies.set(tokenOf(twin.cookies)[0], token);
  expect((await guest.get('/me')).status).toBe(303);
});

test('signing in again ends the previous session of the browser', async () => {
  const web = await openConsole(await openDesk(0));
  const anna = await addUser(web, 'anna', ['viewer']);
  const visitor = await signIn(web, anna);
  const [name, before] = tokenOf(visitor.cookies);
  const form = makeVisitor(web.url);
  await form.get('/sign-in');
  form.cookies.set(name, before);
  await form.post('/sign-in', { name: 'anna', password: anna.password, to: '/' });
  expect(form.cookies.get(name)).not.toBe(before);
  expect((await visitor.get('/me')).status).toBe(303);
});

// Promise: forms-are-one-session
test('forms are valid for one session only, also those for signing in and out', async () => {
  const web = await openConsole(await openDesk(0));
  const anna = await signIn(web, await addUser(web, 'anna', ['operator']));
  const ben = await signIn(web, await addUser(web, 'ben', ['operator']));
  const nobody = makeVisitor(web.url);
  await nobody.get('/sign-in');
  const tokens = [(await nobody.credentials()).token, (await ben.credentials()).token, '', 'x'];
  for (const _csrf of tokens) {
    for (const path of ['/work/companies/pause', '/me/sessions/end', '/sign-out']) {
      expect((await anna.post(path, { _csrf })).status, path).toBe(403);
    }
  }
  for (const _csrf of [(await anna.credentials()).token, '', 'x']) {
    const login = await nobody.post('/sign-in', { _csrf, name: 'ben', password: PASSWORD, to: '/' });
    expect([login.status, login.headers.getSetCookie()]).toEqual([403, []]);
  }
  expect((await anna.get('/me')).status, 'still signed in').toBe(200);
  // The page of another site cannot sign anybody in or out, whatever token it has.
  const { token } = await nobody.credentials();
  for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
    const led = await nobody.post('/sign-in', { _csrf: token, name: 'ben', password: PASSWORD, to: '/' }, headers);
    expect([led.status, led.headers.getSetCookie()]).toEqual([403, []]);
  }
});

test('sign-in never redirects to another site, whatever the form or the address says', async () => {
  const web = await openConsole(await openDesk(0));
  const anna = await addUser(web, 'anna', ['viewer']);
  for (const to of [
    '//evil.example',
    'https://evil.example/',
    '/\\evil.example',
    '/%2e//evil.example',
    'javascript:alert(1)',
  ]) {
    const visitor = makeVisitor(web.url);
    const page = await visitor.get(`/sign-in?to=${encodeURIComponent(to)}`);
    expect(page.text).not.toContain('evil');
    const { headers } = await visitor.post('/sign-in', { name: 'anna', password: anna.password, to });
    expect(headers.get('location')).toBe('/');
    expect((await visitor.get(`/sign-in?to=${encodeURIComponent(to)}`)).headers.get('location')).toBe('/');
  }
});
