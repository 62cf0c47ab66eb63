import { afterEach, describe, expect, test, vi } from 'vitest';
import { makeDevices } from '../../../src/console/sign-in/session-cookie.ts';
import { addUser, makeVisitor, openConsole, openDesk, signIn } from '../../support/desk.ts';

const KEY = Buffer.alloc(32, 7);
const DAY_MS = 86_400_000;

/** The device cookie of a person, as their browser sends it. */
function given(person: string, devices = makeDevices(KEY, 'device')) {
  let cookie = '';
  const reply = {
    setCookie(name: string, value: string) {
      cookie = `${name}=${value}`;
    },
  };
  devices.give(reply as never, person);
  return { headers: { cookie } };
}

describe('the device cookie', () => {
  afterEach(() => vi.useRealTimers());
  const devices = makeDevices(KEY, 'device');

  test('is valid for its person, and marks the browser as known for others', () => {
    const anna = given('anna');
    expect(devices.of(anna, 'anna')).toMatch(/^[\w-]{22}$/);
    expect(devices.of(anna, 'ben')).toBeUndefined();
    expect(devices.known(anna)).toBe(devices.of(anna, 'anna'));
    expect(devices.known({ headers: { cookie: `a=1; ${anna.headers.cookie}; b=2` } })).toBe(devices.known(anna));
  });

  test.each<[what: string, change: (cookie: string) => string]>([
    ['of another installation', () => given('anna', makeDevices(Buffer.alloc(32, 8), 'device')).headers.cookie],
    ['with another id', (cookie) => cookie.replace(/=.{22}/, `=${'A'.repeat(22)}`)],
    ['with another time', (cookie) => cookie.replace(/\.\d+\./, '.99999999999.')],
    ['under another name', (cookie) => `x${cookie}`],
    ['cut off', (cookie) => cookie.slice(0, -1)],
    ['without a value', () => 'device='],
  ])('a cookie %s is not accepted', (_what, change) => {
    const changed = { headers: { cookie: change(given('anna').headers.cookie) } };
    expect([devices.known(changed), devices.of(changed, 'anna')]).toEqual([undefined, undefined]);
  });

  test('is not accepted after 90 days', () => {
    const anna = given('anna');
    vi.useFakeTimers({ now: Date.now() + 89 * DAY_MS, toFake: ['Date'] });
    expect(devices.known(anna)).toBeDefined();
    vi.setSystemTime(Date.now() + 2 * DAY_MS);
    expect(devices.known(anna)).toBeUndefined();
  });
});

// Promise: strangers-have-their-own-tries
test('a known browser can sign in from a network whose tries strangers have used up', async () => {
  const web = await openConsole(await openDesk(0));
  const anna = await addUser(web, 'anna', ['operator']);
  const visitor = await signIn(web, anna);
  const device = [...visitor.cookies].find(([name]) => /^__Host-limitline-[0-9a-f]{8}-device$/.test(name));
  if (!device) throw new Error('there is no cookie of the device');
  const stranger = makeVisitor(web.url);
  await stranger.get('/sign-in');
  const guess = () => stranger.post('/sign-in', { name: 'ben', password: 'wrong wrong wrong', to: '/' });
  await expect.poll(async () => (await guess()).text).toContain('Too many tries');
  for (let tries = 0; tries < 100; tries += 1) await guess();
  stranger.cookies.set(...device);
  const later = await stranger.post('/sign-in', { name: 'anna', password: anna.password, to: '/' });
  expect([later.status, later.headers.get('location')]).toEqual([303, '/sign-in/code']);
});
