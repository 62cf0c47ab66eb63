import { describe, expect, test, vi } from 'vitest';
import { makePeople } from '../../../src/people/people.ts';
import { connectRedis } from '../../support/ledger.ts';
import { openPeople, PASSWORD } from '../../support/people.ts';

describe('a user', () => {
  test('is returned without secrets', async () => {
    const { people, addUser, setFactor, signIn } = openPeople();
    await addUser('alice', ['admin', 'viewer']);
    expect(await people.users.read('alice')).toEqual({
      name: 'alice',
      roles: ['viewer', 'admin'],
      hasFactor: false,
      mustChange: false,
      recoveryCodes: 0,
      createdMs: expect.any(Number),
      lastSignInMs: undefined,
    });
    await signIn('alice');
    await setFactor('alice');
    expect(await people.users.read('alice')).toMatchObject({
      hasFactor: true,
      recoveryCodes: 10,
      lastSignInMs: expect.any(Number),
    });
    expect(await people.users.read('nobody')).toBeUndefined();
    expect(await people.users.read('../alice')).toBeUndefined();
  });

  test.each([
    ['Alice', /is "Alice", but must be/],
    ['', /must be/],
    ['-alice', /must be/],
    ['alice smith', /must be/],
    ['alice}x', /must be/],
    ['<b>', /must be/],
    ['a'.repeat(41), /must be/],
    ['console', /stands for everybody who opens the console/],
  ])('cannot be named %j', async (name, why) => {
    const { people } = openPeople();
    await expect(people.users.add({ name, roles: ['viewer'], password: PASSWORD, mustChange: false })).rejects.toThrow(
      why,
    );
    expect(await people.users.count()).toBe(0);
  });

  test('needs known roles, at least one, and an acceptable password', async () => {
    const { people } = openPeople();
    const add = (roles: string[], password = PASSWORD) =>
      people.users.add({ name: 'alice', roles, password, mustChange: false });
    await expect(add(['viewer', 'root'])).rejects.toThrow('There is no role "root"; roles are viewer,');
    await expect(add([])).rejects.toThrow('No role is given');
    await expect(add(['viewer'], 'limitline123')).rejects.toThrow('choose another');
    await expect(add(['viewer'], 'short')).rejects.toThrow('12 or more');
    await add(['admin', 'viewer', 'admin']);
    expect((await people.users.read('alice'))?.roles).toEqual(['viewer', 'admin']);
    await expect(people.users.setRoles('alice', ['root'])).rejects.toThrow('no role "root"');
    await expect(people.users.setPassword('alice', 'short', { mustChange: false })).rejects.toThrow('12 or more');
  });

  test('that does not exist cannot be changed, and is not created by a change', async () => {
    const { people, connection, prefix } = openPeople();
    const changes = [
      () => people.users.setPassword('nobody', PASSWORD, { mustChange: true }),
      () => people.users.setRoles('nobody', ['viewer']),
      () => people.users.remove('nobody'),
      () => people.users.resetFactor('nobody'),
      () => people.users.beginFactor('nobody'),
      () => people.users.renewRecoveryCodes('nobody'),
      () => people.users.setRoles('no{body', ['viewer']),
    ];
    for (const change of changes) await expect(change()).rejects.toThrow(/There is no user "no/);
    expect(await connection.keys(`{${prefix}}:user*`)).toEqual([]);
  });
});

describe('users changed by several at the same moment', () => {
  test('are added once, with the password of the successful call', async () => {
    const { people, keys, secret, connection, signIn } = openPeople();
    const other = makePeople({ connection: connectRedis(), keys, secret });
    const passwords = Array.from({ length: 6 }, (_, n) => `${PASSWORD} ${n}`);
    const added = await Promise.allSettled(
      passwords.map((password, n) =>
        (n % 2 === 0 ? people : other).users.add({ name: 'alice', roles: ['viewer'], password, mustChange: false }),
      ),
    );
    const winner = added.findIndex(({ status }) => status === 'fulfilled');
    expect(added.filter(({ status }) => status === 'rejected')).toHaveLength(5);
    await signIn('alice', passwords[winner]);
    expect(await connection.zrange(keys.users, '0', '-1')).toEqual(['alice']);
  });

  // Promise: last-admin-stays
  test('keep one admin when two admins remove each other’s role', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { people, keys, secret, addUser } = openPeople();
      const other = makePeople({ connection: connectRedis(), keys, secret });
      for (const name of ['alice', 'bob']) await addUser(name, ['admin']);
      const done = await Promise.allSettled([
        people.users.setRoles('alice', ['viewer']),
        round % 2 === 0 ? other.users.remove('bob') : other.users.setRoles('bob', ['viewer']),
      ]);
      expect(done.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const { users } = await people.users.list();
      expect(users.filter(({ roles }) => roles.includes('admin'))).toHaveLength(1);
    }
  });

  test('stay removed when they are changed during the removal', async () => {
    const { people, addUser, connection, prefix } = openPeople();
    await addUser('admin', ['admin']);
    for (let round = 0; round < 10; round += 1) {
      await addUser('alice', ['viewer']);
      await Promise.allSettled([
        people.users.setPassword('alice', PASSWORD, { mustChange: true }),
        people.users.beginFactor('alice'),
        people.users.remove('alice'),
        people.users.setRoles('alice', ['finance']),
        people.users.resetFactor('alice'),
      ]);
      expect(await connection.exists(`{${prefix}}:user:alice`)).toBe(0);
      expect(await people.users.count()).toBe(1);
    }
  });

  test('get one second factor when it is confirmed twice', async () => {
    const { addUser, setFactor } = openPeople();
    await addUser('alice', ['admin']);
    const both = await Promise.all([setFactor('alice'), setFactor('alice')]);
    expect(both.map(({ recoveryCodes }) => recoveryCodes.length).sort()).toEqual([0, 10]);
  });
});

test('the last admin cannot be removed in the console, and can on the command line', async () => {
  const { people, addUser } = openPeople();
  await addUser('alice', ['admin', 'finance']);
  await addUser('bob', ['viewer']);
  await expect(people.users.setRoles('alice', ['finance'])).rejects.toThrow('alice is the last admin');
  await expect(people.users.remove('alice')).rejects.toThrow('alice is the last admin');
  await people.users.setRoles('alice', ['admin']);
  await people.users.setRoles('alice', ['finance'], { evenLast: true });
  await people.users.remove('alice');
  // Without users everybody may do everything, so the last user cannot be removed in the console.
  await expect(people.users.remove('bob')).rejects.toThrow('bob is the last');
  await people.users.remove('bob', { evenLast: true });
  expect(await people.users.count()).toBe(0);
});

test('users are listed alphabetically by pages, and found by a part of their name', async () => {
  const { people, addUser } = openPeople();
  const names = ['alice', 'bob', 'carl', 'dora', 'xeno.alibi'];
  for (const name of [...names].reverse()) await addUser(name);
  const page = async (wish: { after?: string; limit?: number; text?: string }) => {
    const { users, next } = await people.users.list(wish);
    return { names: users.map(({ name }) => name), next };
  };
  expect(await page({})).toEqual({ names, next: undefined });
  expect(await page({ limit: 2 })).toEqual({ names: ['alice', 'bob'], next: 'bob' });
  expect(await page({ limit: 2, after: 'bob' })).toEqual({ names: ['carl', 'dora'], next: 'dora' });
  expect(await page({ limit: 5, after: 'dora' })).toEqual({ names: ['xeno.alibi'], next: undefined });
  expect(await page({ text: ' ALI ' })).toEqual({ names: ['alice', 'xeno.alibi'], next: undefined });
  expect(await page({ text: '*' })).toEqual({ names: [], next: undefined });
});

test('whether users exist is read at most once a second, and known at once after adding one or reading a session', async () => {
  const { people, keys, secret, signIn, connection } = openPeople();
  await connection.ping();
  const sent = vi.spyOn(connection, 'sendCommand');
  const clock = vi.spyOn(performance, 'now').mockReturnValue(1_000);
  expect(await Promise.all([people.required(), people.required()])).toEqual([false, false]);
  clock.mockReturnValue(1_999);
  expect(await people.required()).toBe(false);
  expect(sent).toHaveBeenCalledTimes(1);
  const other = makePeople({ connection: connectRedis(), keys, secret });
  expect(await other.required()).toBe(false);
  await other.users.add({ name: 'alice', roles: ['viewer'], password: PASSWORD, mustChange: false });
  expect(await other.required()).toBe(true);
  expect(await people.required()).toBe(false);
  clock.mockReturnValue(2_000);
  expect(await people.required()).toBe(true);
  const { token } = await signIn('alice');
  await other.users.remove('alice', { evenLast: true });
  expect(await people.sessions.read(token, { counts: true })).toBeUndefined();
  expect(await people.required()).toBe(false);
});
