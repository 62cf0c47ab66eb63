import { expect, test } from 'vitest';
import { addUser, auditOf, codeOf, makeVisitor, openConsole, openDesk, signIn } from '../../support/desk.ts';

const INITIAL = 'tbkqe-hmzra-wcdfg-pqrst';
const OWN = 'four brown kettles sing at dawn';

/** The secret that the page of a second factor shows as text. */
function secretOf(page: string): string {
  return (/factor-secret"><code>([A-Z2-7 ]+)</.exec(page)?.[1] ?? '').replaceAll(' ', '');
}

// Promises: due-steps-come-first, token-changes-each-step
test('a password made by an admin must be changed, and a second factor set up, before any other page opens', async () => {
  const web = await openConsole(await openDesk(0));
  await web.context.people.users.add({ name: 'ben', roles: ['operator'], password: INITIAL, mustChange: true });
  const visitor = makeVisitor(web.url);
  await visitor.get('/sign-in?to=%2Fheld');
  const first = await visitor.post('/sign-in', { name: 'ben', password: INITIAL, to: '/held' });
  expect(first.headers.get('location')).toBe('/sign-in/password?to=%2Fheld');
  expect((await visitor.get('/held')).headers.get('location')).toBe('/sign-in/password?to=%2Fheld');
  expect((await visitor.get('/sign-in/code')).headers.get('location'), 'what is not owed').toBe('/sign-in/password');
  const asked = await visitor.get('/sign-in/password?to=%2Fheld');
  expect(asked.text.match(/autocomplete="[a-z-]+"/g)).toEqual([
    'autocomplete="username"',
    'autocomplete="new-password"',
    'autocomplete="new-password"',
  ]);

  const choose = (password: string, again = password) =>
    visitor.post('/sign-in/password', { password, again, to: '/held' });
  expect((await choose(OWN, `${OWN}!`)).text).toContain('The two passwords differ');
  expect((await choose('short')).text).toContain('it needs 12 or more');
  expect((await choose('passwordpassword')).status).toBe(422);
  const tokens = [...visitor.cookies.values()];
  expect((await choose(OWN)).headers.get('location')).toBe('/held');
  expect([...visitor.cookies.values()], 'another token').not.toEqual(tokens);

  // A second factor is needed next, because the role may do more than read.
  expect((await visitor.get('/held')).headers.get('location')).toBe('/sign-in/factor?to=%2Fheld');
  const page = await visitor.get('/sign-in/factor?to=%2Fheld');
  const secret = secretOf(page.text);
  expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  expect(page.text).toMatch(/<svg class="qr"/);
  const wrong = await visitor.post('/sign-in/factor', { code: '000000', to: '/held' });
  expect([wrong.status, secretOf(wrong.text)]).toEqual([403, secret]);
  const done = await visitor.post('/sign-in/factor', { code: codeOf(secret), to: '/held' });
  expect(done.headers.get('cache-control')).toBe('no-store');
  const codes = [...done.text.matchAll(/<li><code>([^<]+)<\/code><\/li>/g)].map(([, code = '']) => code);
  expect(codes).toHaveLength(10);
  expect(done.text).toContain('href="/held"');
  expect((await visitor.get('/held')).status).toBe(200);

  // The old password is invalid, and a recovery code works for one sign-in.
  const again = makeVisitor(web.url);
  await again.get('/sign-in');
  expect((await again.post('/sign-in', { name: 'ben', password: INITIAL, to: '/' })).status).toBe(403);
  const withRecovery = async () => {
    const other = makeVisitor(web.url);
    await other.get('/sign-in');
    await other.post('/sign-in', { name: 'ben', password: OWN, to: '/' });
    const recovery = await other.get('/sign-in/code?recovery=');
    expect(recovery.text).toContain('Recovery code');
    return other.post('/sign-in/code', { code: codes[0] ?? '', recovery: 'yes', to: '/' });
  };
  expect((await withRecovery()).status).toBe(303);
  const used = await withRecovery();
  expect([used.status, used.text]).toEqual([
    403,
    expect.stringContaining('Each recovery code works once: type another'),
  ]);
  expect(used.text).not.toContain('Wait for the next one');
});

test('a code works once, and wrong codes are answered in the same words and then with status 429', async () => {
  const web = await openConsole(await openDesk(0));
  const anna = await addUser(web, 'anna', ['admin']);
  const code = codeOf(anna.secret);
  await signIn(web, anna, code);
  const other = makeVisitor(web.url);
  await other.get('/sign-in');
  await other.post('/sign-in', { name: 'anna', password: anna.password, to: '/' });
  await other.get('/sign-in/code');
  const replayed = await other.post('/sign-in/code', { code, to: '/' });
  expect([replayed.status, replayed.text]).toEqual([
    403,
    expect.stringContaining('This code is wrong, or was used before'),
  ]);
  const statuses: number[] = [];
  await expect
    .poll(async () => {
      const { status } = await other.post('/sign-in/code', { code: '123456', to: '/' });
      statuses.push(status);
      return status;
    })
    .toBe(429);
  expect(new Set(statuses)).toEqual(new Set([403, 429]));
  // The session still lacks the second factor.
  expect((await other.get('/users')).headers.get('location')).toBe('/sign-in/code?to=%2Fusers');
});

test('sign-ins, refused ones and sign-outs are in the audit, and no password is', async () => {
  const web = await openConsole(await openDesk(0));
  const anna = await addUser(web, 'anna', ['viewer']);
  const wrong = makeVisitor(web.url);
  await wrong.get('/sign-in');
  await wrong.post('/sign-in', { name: 'anna', password: 'a password of mine', to: '/' });
  await wrong.post('/sign-in', { name: 'my secret password', password: 'x', to: '/' });
  const visitor = await signIn(web, anna);
  await visitor.post('/sign-out');
  // The first entry belongs to the person who opened the console before there were users.
  const [, ...entries] = await auditOf(web);
  expect(entries.map(({ by, what }) => `${by}: ${what}`)).toEqual([
    'anna: sign-in refused',
    'unknown: sign-in refused',
    'anna: session begun',
    'anna: session ended',
  ]);
  expect(JSON.stringify(entries)).not.toMatch(/secret|password of mine|seven trees/);
  expect(entries.map(({ from }) => from)).toEqual(Array.from({ length: 4 }, () => '127.0.0.1'));
});
