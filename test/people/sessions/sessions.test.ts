import { describe, expect, test, vi } from 'vitest';
import { makePeople } from '../../../src/people/people.ts';
import type { Role } from '../../../src/people/person.ts';
import { keyContents } from '../../support/key-contents.ts';
import { connectRedis } from '../../support/ledger.ts';
import { HERE, openPeople, PASSWORD } from '../../support/people.ts';

const EVE = { by: 'eve@example.com (sso 4f6d2a)', roles: ['viewer', 'finance'] as Role[] };

describe('a session', () => {
  // Promise: nobody-signs-in-by-redis
  test('is found by its token only, which Redis does not store', async () => {
    const { people, addUser, setFactor, signIn, connection, prefix } = openPeople();
    await addUser('alice');
    const { token } = await signIn('alice');
    expect(token).toMatch(/^[\w-]{43}$/);
    const found = await people.sessions.read(token, { counts: true });
    expect(found).toMatchObject({ person: { by: 'alice', roles: ['viewer'] }, owes: undefined });
    await addUser('eve');
    const { recoveryCodes, secret } = await setFactor('eve');
    const kept = JSON.stringify(await keyContents({ ledger: connection, settings: { LIMITLINE_PREFIX: prefix } }));
    expect(kept).toContain('argon2id');
    for (const known of [token, PASSWORD, secret, ...recoveryCodes]) expect(kept).not.toContain(known);
    expect(token).not.toContain(found?.session);
  });

  test.each([
    ['nothing', () => ''],
    ['a text', () => 'alice'],
    ['an invented token of the same length', () => 'A'.repeat(43)],
    ['its handle', (_token: string, handle: string) => handle],
    ['its digest in Redis', (_token: string, _handle: string, digest: string) => digest],
    ['a changed last letter', (token: string) => `${token.slice(0, -1)}${token.endsWith('A') ? 'E' : 'A'}`],
    ['an appended letter', (token: string) => `${token}A`],
    ['a wild card', () => '*'.repeat(43)],
  ])('is not found by %s', async (_what, forge) => {
    const { people, addUser, signIn, connection, keys } = openPeople();
    await addUser('alice', ['admin']);
    const { token } = await signIn('alice');
    const { session = '' } = (await people.sessions.read(token, { counts: true })) ?? {};
    const [digest = ''] = await connection.zrange(keys.sessionsOf('alice'), '0', '-1');
    const forged = forge(token, session, digest);
    expect(await people.sessions.read(forged, { counts: true })).toBeUndefined();
    expect(await people.sessions.living([forged])).toEqual([false]);
    expect(await people.sessions.renew(forged)).toBeUndefined();
    expect(await people.sessions.end(forged)).toBeUndefined();
    expect(await people.sessions.read(token, { counts: true })).toBeDefined();
  });

  // Promise: nobody-signs-in-by-redis
  test('cannot be read on a host with another secret', async () => {
    const { addUser, signIn, keys } = openPeople();
    await addUser('alice');
    const { token } = await signIn('alice');
    const secret = { key: async () => Buffer.alloc(32, 7) };
    const other = makePeople({ connection: connectRedis(), keys, secret });
    expect(await other.sessions.read(token, { counts: true })).toBeUndefined();
  });

  // Promise: refresh-is-no-activity
  test('expires without activity, and a refresh by the page itself is no activity', async () => {
    const { people, addUser, signIn, connection, keys } = openPeople({ limits: { writeAfterMs: 0 } });
    await addUser('alice');
    const { token } = await signIn('alice');
    const [digest = ''] = await connection.zrange(keys.sessionsOf('alice'), '0', '-1');
    const key = keys.session(digest);
    await connection.pexpire(key, 60_000);
    await people.sessions.read(token, { counts: false });
    await people.sessions.living([token]);
    await people.sessions.list('alice', token);
    expect(await connection.pttl(key)).toBeLessThanOrEqual(60_000);
    await people.sessions.read(token, { counts: true });
    expect(await connection.pttl(key)).toBeGreaterThan(60_000);
    await connection.pexpire(key, 1);
    await expect.poll(() => people.sessions.living([token])).toEqual([false]);
    expect(await people.sessions.read(token, { counts: true })).toBeUndefined();
  });

  test('that began ahead of the clock, which was set back since, ends for good', async () => {
    const { people, addUser, signIn, connection, keys } = openPeople();
    await addUser('alice');
    const { token } = await signIn('alice');
    const [digest = ''] = await connection.zrange(keys.sessionsOf('alice'), '0', '-1');
    const began = Number(await connection.hget(keys.session(digest), 'began'));
    await connection.hset(keys.session(digest), 'began', `${began + 30_000}`);
    expect(await people.sessions.living([token])).toEqual([true]);
    await connection.hset(keys.session(digest), 'began', `${began + 2 * 86_400_000}`);
    expect(await people.sessions.read(token, { counts: true })).toBeUndefined();
    expect(await connection.exists(keys.session(digest))).toBe(0);
  });

  test('is begun although many began ahead of the clock, which was set back since', async () => {
    const { people, addUser, signIn, connection, keys } = openPeople({ limits: { most: 2 } });
    await addUser('alice');
    const ahead = [await signIn('alice'), await signIn('alice')];
    const list = keys.sessionsOf('alice');
    const began = Date.now() + 2 * 86_400_000;
    for (const digest of await connection.zrange(list, '0', '-1')) {
      await connection.hset(keys.session(digest), 'began', `${began}`);
      await connection.zadd(list, began, digest);
    }
    const { token } = await signIn('alice');
    expect(await people.sessions.living([...ahead.map((one) => one.token), token])).toEqual([false, false, true]);
    expect(await connection.zcard(list)).toBe(1);
  });

  test('is not begun by a link that was made ahead of the clock', async () => {
    const { people, connection, keys } = openPeople();
    const link = (await people.openings.link('command line (root)')) ?? '';
    const [key = ''] = await connection.keys(keys.session('*'));
    const began = Number(await connection.hget(key, 'began'));
    await connection.hset(key, 'began', `${began + 2 * 86_400_000}`);
    expect(await people.openings.open(link, HERE)).toBeUndefined();
  });

  test('expires at its greatest age, whatever its activity', async () => {
    const { people, addUser, signIn } = openPeople({ limits: { absoluteMs: 300, writeAfterMs: 0 } });
    await addUser('alice');
    const { token } = await signIn('alice');
    const sso = await people.sessions.begin({ person: EVE, ...HERE });
    const alive = async () => {
      const found = [token, sso].map((one) => people.sessions.read(one, { counts: true }));
      return (await Promise.all(found)).some((one) => one !== undefined);
    };
    await expect.poll(alive, { interval: 20 }).toBe(false);
    expect(await people.sessions.list('alice')).toEqual([]);
  });

  test('expires after 30 idle minutes, and its activity is stored at most twice a minute', async () => {
    const { people, addUser, signIn, connection, keys } = openPeople();
    await addUser('alice');
    const { token } = await signIn('alice');
    const [digest = ''] = await connection.zrange(keys.sessionsOf('alice'), '0', '-1');
    const key = keys.session(digest);
    expect(await connection.pttl(key)).toBeGreaterThan(29 * 60_000);
    const earlier = Number(await connection.hget(key, 'seen')) - 20_000;
    await connection.hset(key, { seen: earlier });
    await connection.pexpire(key, 1_000_000);
    await people.sessions.read(token, { counts: true });
    expect(Number(await connection.hget(key, 'seen'))).toBe(earlier);
    await connection.hset(key, { seen: earlier - 12_000 });
    await people.sessions.read(token, { counts: false });
    expect(Number(await connection.hget(key, 'seen'))).toBe(earlier - 12_000);
    await people.sessions.read(token, { counts: true });
    expect(Number(await connection.hget(key, 'seen'))).toBeGreaterThan(earlier);
    expect(await connection.pttl(key)).toBeGreaterThan(29 * 60_000);
    // Near the greatest age only the remaining time is left.
    await connection.hset(key, { seen: 0, began: Date.now() - 12 * 3_600_000 + 60_000 });
    await people.sessions.read(token, { counts: true });
    expect(await connection.pttl(key)).toBeLessThanOrEqual(61_000);
  });

  test('continues under a renewed token, and the earlier token is invalid', async () => {
    const { people, addUser, signIn } = openPeople();
    await addUser('alice');
    const { token } = await signIn('alice');
    const renewed = (await people.sessions.renew(token)) ?? '';
    expect(await people.sessions.living([token, renewed])).toEqual([false, true]);
    expect(await people.sessions.renew(token)).toBeUndefined();
    expect(await people.sessions.list('alice', renewed)).toMatchObject([{ isThis: true }]);
    expect(await people.sessions.endAll('alice')).toBe(1);
    expect(await people.sessions.living([renewed])).toEqual([false]);
  });
});

describe('the sessions of a person', () => {
  // Promises: changes-end-sessions, user-commands-end-sessions
  test('end on all hosts when password, roles or second factor change, or the user is removed', async () => {
    const { people, addUser, signIn, keys, secret } = openPeople();
    const elsewhere = makePeople({ connection: connectRedis(), keys, secret });
    const changes = [
      () => people.users.setPassword('alice', 'seven trees above a bench', { mustChange: false }),
      () => people.users.setPassword('alice', PASSWORD, { mustChange: false }),
      () => people.users.setRoles('alice', ['viewer']),
      () => people.users.resetFactor('alice'),
      () => people.users.remove('alice', { evenLast: true }),
    ];
    await addUser('alice');
    for (const [place, change] of changes.entries()) {
      const { token } = await signIn('alice', place === 1 ? 'seven trees above a bench' : PASSWORD);
      expect(await elsewhere.sessions.living([token])).toEqual([true]);
      await change();
      expect(await elsewhere.sessions.read(token, { counts: true })).toBeUndefined();
      expect(await elsewhere.sessions.living([token])).toEqual([false]);
      expect(await elsewhere.sessions.list('alice', token)).toEqual([]);
    }
    // A user who is added again under this name has no earlier sessions.
    await addUser('alice');
    expect(await people.sessions.list('alice')).toEqual([]);
  });

  test('end when the person changes the password, except the session that did it', async () => {
    const { people, addUser, signIn } = openPeople();
    await addUser('alice');
    const [own, other] = [await signIn('alice'), await signIn('alice')];
    const next = 'seven trees above a bench';
    const changed = { name: 'alice', old: PASSWORD, next, from: HERE.from, keep: own.token };
    expect(await people.changeOwnPassword(changed)).toEqual({ is: 'ok' });
    expect(await people.sessions.living([own.token, other.token])).toEqual([true, false]);
  });

  test('of one person are not kept by the token of another', async () => {
    const { people, addUser, signIn } = openPeople();
    for (const name of ['alice', 'mallory']) await addUser(name);
    const [alice, mallory] = [await signIn('alice'), await signIn('mallory')];
    await people.users.setPassword('alice', 'seven trees above a bench', { mustChange: false, keep: mallory.token });
    expect(await people.sessions.living([alice.token, mallory.token])).toEqual([false, true]);
    expect((await people.sessions.read(mallory.token, { counts: true }))?.person.by).toBe('mallory');
  });

  test('are listed for the person, and ended one by one or all but the current one', async () => {
    const { people, addUser, signIn } = openPeople();
    for (const name of ['alice', 'bob']) await addUser(name);
    const [first, second, third] = [
      await signIn('alice'),
      await signIn('alice', PASSWORD, { from: '2001:db8::7', agent: 'x'.repeat(1_000) }),
      await signIn('alice'),
    ];
    const bob = await signIn('bob');
    const listed = await people.sessions.list('alice', second.token);
    expect(listed).toHaveLength(3);
    const own = listed.find(({ isThis }) => isThis);
    expect(own).toMatchObject({ from: '2001:db8::7', agent: 'x'.repeat(200) });
    expect((await people.sessions.read(second.token, { counts: false }))?.session).toBe(own?.id);
    // The handle of one person’s session does not end one of another person.
    expect(await people.sessions.endOne('bob', own?.id ?? '')).toBe(false);
    expect(await people.sessions.endOne('alice', '')).toBe(false);
    expect(await people.sessions.endOne('alice', own?.id ?? '')).toBe(true);
    const tokens = [first, second, third, bob].map(({ token }) => token);
    expect(await people.sessions.living(tokens)).toEqual([true, false, true, true]);
    expect(await people.sessions.endAll('alice', { but: first.token })).toBe(1);
    expect(await people.sessions.living(tokens)).toEqual([true, false, false, true]);
    expect(await people.sessions.end(first.token)).toBe('alice');
    expect(await people.sessions.list('alice')).toEqual([]);
    expect(await people.sessions.list('nobody')).toEqual([]);
  });

  test('are limited to 20, and the oldest ends', async () => {
    const { people } = openPeople();
    const tokens: string[] = [];
    for (let count = 0; count < 22; count += 1) tokens.push(await people.sessions.begin({ person: EVE, ...HERE }));
    // Sessions that began in the same millisecond have no order.
    const living = await people.sessions.living(tokens);
    expect(living.filter(Boolean)).toHaveLength(20);
    expect(living.at(-1)).toBe(true);
    expect(await people.sessions.list(EVE.by)).toHaveLength(20);
  });
});

describe('a session of an identity provider', () => {
  test('contains its roles, and needs no user', async () => {
    const { people } = openPeople();
    const token = await people.sessions.begin({ person: EVE, ...HERE });
    expect(await people.sessions.read(token, { counts: true })).toMatchObject({ person: EVE, owes: undefined });
    expect(await people.required()).toBe(false);
    const renewed = (await people.sessions.renew(token)) ?? '';
    expect(await people.sessions.living([token, renewed])).toEqual([false, true]);
    expect(await people.sessions.endAll(EVE.by)).toBe(1);
  });

  test('cannot have the name of a console user', async () => {
    const { people, addUser } = openPeople();
    await addUser('alice', ['admin']);
    const begun = people.sessions.begin({ person: { by: 'alice', roles: ['admin'] }, ...HERE });
    await expect(begun).rejects.toThrow('The name alice can only be that of a user of the console');
  });
});

test('reading a session is one command to Redis, and so is checking a hundred open pages', async () => {
  const { people, addUser, signIn, connection } = openPeople();
  await addUser('alice');
  const { token } = await signIn('alice');
  await people.sessions.read(token, { counts: true });
  const sent = vi.spyOn(connection, 'sendCommand');
  for (let count = 0; count < 10; count += 1) await people.sessions.read(token, { counts: true });
  await people.sessions.living(Array<string>(100).fill(token));
  expect(sent).toHaveBeenCalledTimes(11);
});
