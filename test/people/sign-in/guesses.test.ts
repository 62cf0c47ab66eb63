import { describe, expect, test } from 'vitest';
import { makePeople } from '../../../src/people/people.ts';
import { connectRedis } from '../../support/ledger.ts';
import { HERE, openPeople, PASSWORD } from '../../support/people.ts';

const WRONG = 'a bench under seven trunks';
const STRANGER = { from: '198.51.100.4', agent: 'another browser' };

type Opened = ReturnType<typeof openPeople>;

/** Adds this many users with the fast test hash. Comparing with an unknown user costs a core 80 ms. */
async function addMany({ addUser }: Opened, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await addUser(`user-${n}`);
}

/** Tries wrong passwords until one has to wait, and returns the number of tries. */
async function triesUntilLater({ people }: Opened, name: string, from: string): Promise<number> {
  for (let tries = 0; tries < 200; tries += 1) {
    const answer = await people.signIn.password({ name, password: WRONG, from, agent: '' });
    if (answer.is === 'later') return tries;
  }
  throw new Error('nobody ever has to wait');
}

describe('guesses of a password', () => {
  // Promise: guesses-are-limited
  test('have to wait after five, twice as long with each further one, and at most 15 minutes', async () => {
    const opened = openPeople();
    const { people, addUser, connection, keys } = opened;
    await addUser('alice');
    expect(await triesUntilLater(opened, 'alice', STRANGER.from)).toBe(5);
    const [bucket = ''] = await connection.keys(keys.guesses('password', '*'));
    const nowMs = async () => {
      const [seconds = 0, microseconds = 0] = (await connection.time()).map(Number);
      return seconds * 1_000 + microseconds / 1_000;
    };
    for (const waitS of [4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]) {
      expect((await people.signIn.password({ name: 'alice', password: PASSWORD, ...STRANGER })).is).toBe('later');
      // As if that time had passed.
      await connection.hdel(bucket, 'next');
      const earliest = (await nowMs()) - 1;
      expect(await people.signIn.password({ name: 'alice', password: WRONG, ...STRANGER })).toEqual({ is: 'no' });
      const next = Number(await connection.hget(bucket, 'next')) - waitS * 1_000;
      expect(next).toBeGreaterThanOrEqual(earliest);
      expect(next).toBeLessThanOrEqual(await nowMs());
    }
    // A day after the last guess everything is forgotten.
    expect(await connection.pttl(bucket)).toBeLessThanOrEqual(86_400_000);
    await connection.hdel(bucket, 'next');
    expect((await people.signIn.password({ name: 'alice', password: PASSWORD, ...STRANGER })).is).toBe('in');
    expect(await connection.exists(bucket)).toBe(0);
  });

  test('have no longer wait when the clock is set back', async () => {
    const opened = openPeople({ guesses: { placeTries: 3 } });
    const { people, addUser, connection, keys } = opened;
    await addMany(opened, 3);
    await addUser('alice');
    expect(await triesUntilLater(opened, 'alice', STRANGER.from)).toBe(3);
    const aheadMs = 2 * 86_400_000;
    for (const place of await connection.keys(keys.guesses('place', '*'))) {
      await connection.set(place, `${Number(await connection.get(place)) + aheadMs}`);
    }
    const [bucket = ''] = await connection.keys(keys.guesses('password', '*'));
    await connection.hset(bucket, 'tries', '6', 'next', `${Date.now() + aheadMs}`);
    const guess = (name: string) => people.signIn.password({ name, password: WRONG, ...STRANGER });
    // The limits begin anew, for the account and for the address.
    expect([await guess('alice'), await guess('user-1'), await guess('user-2')].map(({ is }) => is)).toEqual([
      'no',
      'no',
      'no',
    ]);
    expect(await guess('user-2')).toMatchObject({ is: 'later', afterS: expect.toSatisfy((s: number) => s <= 60) });
    expect(await guess('alice')).toMatchObject({ is: 'later', afterS: expect.toSatisfy((s: number) => s <= 60) });
  });

  test('from an address do not begin anew where another server has a clock less than a minute behind', async () => {
    const opened = openPeople({ guesses: { placeTries: 3 } });
    const { people, connection, keys } = opened;
    await addMany(opened, 4);
    expect(await triesUntilLater(opened, 'user-0', STRANGER.from)).toBe(3);
    for (const place of await connection.keys(keys.guesses('place', '*'))) {
      await connection.set(place, `${Number(await connection.get(place)) + 50_000}`);
    }
    const answer = await people.signIn.password({ name: 'user-1', password: WRONG, ...STRANGER });
    expect(answer).toMatchObject({ is: 'later', afterS: expect.toSatisfy((s: number) => s <= 60 + 20) });
  });

  test('of an unknown name are limited alike, and the name is not stored', async () => {
    const opened = openPeople();
    await opened.addUser('alice');
    const guess = { name: 'a password typed as a name', password: WRONG, ...STRANGER };
    const answers = await Promise.all(Array.from({ length: 20 }, () => opened.people.signIn.password(guess)));
    expect(answers.filter(({ is }) => is === 'no')).toHaveLength(5);
    expect(JSON.stringify(await opened.connection.keys(`{${opened.prefix}}*`))).not.toMatch(/typed|198\.51/);
  });

  // Promise: guesses-are-limited
  test('that arrive together are counted before any is compared', async () => {
    const { people, addUser } = openPeople();
    await addUser('alice');
    const tries = Array.from({ length: 100 }, () =>
      people.signIn.password({ name: 'alice', password: WRONG, ...STRANGER }),
    );
    const answers = (await Promise.all(tries)).map(({ is }) => is);
    expect(answers.filter((is) => is === 'no')).toHaveLength(5);
    expect(answers.filter((is) => is === 'later')).toHaveLength(95);
  });

  test('on one host count on another', async () => {
    const opened = openPeople();
    const { addUser, secret, keys } = opened;
    await addUser('alice');
    await triesUntilLater(opened, 'alice', STRANGER.from);
    const other = makePeople({ connection: connectRedis(), keys, secret });
    const answer = await other.signIn.password({ name: 'alice', password: PASSWORD, ...STRANGER });
    expect(answer.is).toBe('later');
  });

  // Promise: strangers-have-their-own-tries
  test('by strangers neither lock out a person on a known address nor end a session', async () => {
    const opened = openPeople();
    const { people, addUser, signIn } = opened;
    await addUser('alice');
    const { token } = await signIn('alice');
    // Guesses from different networks.
    for (const from of ['198.51.100.1', '203.0.113.9', '2001:db8::1']) await triesUntilLater(opened, 'alice', from);
    expect((await people.signIn.password({ name: 'alice', password: PASSWORD, ...STRANGER })).is).toBe('later');
    expect((await people.signIn.password({ name: 'alice', password: PASSWORD, ...HERE })).is).toBe('in');
    expect(await people.sessions.living([token])).toEqual([true]);
    // The known address has a limit of its own, which is no higher.
    expect(await triesUntilLater(opened, 'alice', HERE.from)).toBe(5);
  });

  test('from one address are limited together for all names, and so are those from one /64 network', async () => {
    const opened = openPeople({ guesses: { placeTries: 3 } });
    const { people, addUser, signIn } = opened;
    await addUser('alice');
    await signIn('alice');
    // Comparing with an unknown name would cost a core 80 ms.
    for (const name of ['a', 'b', 'c', 'd']) await addUser(name);
    const guess = (name: string, from: string) => people.signIn.password({ name, password: WRONG, from, agent: '' });
    for (const [one, other] of [
      ['198.51.100.4', '::ffff:198.51.100.4'],
      ['2001:db8:1:2::3', '2001:db8:1:2:ffff::4'],
      [HERE.from, HERE.from],
    ] as const) {
      for (const name of ['a', 'b', 'c']) expect((await guess(name, one)).is).toBe('no');
      const answer = await guess('d', other);
      expect(answer).toMatchObject({ is: 'later' });
      expect(answer.is === 'later' && answer.afterS).toBeLessThanOrEqual(20);
    }
    // A person who is known at this address is not locked out by it.
    expect((await guess('alice', HERE.from)).is).toBe('no');
    await signIn('alice');
  });

  test('from many addresses of one provider are limited together, and leave tries to others', async () => {
    const opened = openPeople({ guesses: { placeTries: 2 } });
    await addMany(opened, 40);
    const guess = (n: number, from: string) =>
      opened.people.signIn.password({ name: `user-${n}`, password: WRONG, from, agent: '' });
    const passed = async (from: (n: number) => string) => {
      const answers = await Promise.all(Array.from({ length: 40 }, (_none, n) => guess(n, from(n))));
      return answers.filter(({ is }) => is === 'no').length;
    };
    expect(await passed((n) => `198.51.100.${n}`)).toBe(20);
    expect(await passed((n) => `2001:db8:1:2${n + 10}::1`)).toBe(20);
    expect((await guess(1, '2001:db8:1:9900::1')).is).toBe('no');
    expect((await guess(1, '203.0.113.9')).is).toBe('no');
  });

  // Promise: strangers-have-their-own-tries
  test.each([
    ['one provider with very many networks', 120, (n: number) => `2001:db8:1:${n.toString(16)}::1`],
    ['very many addresses of 24 networks', 200, (n: number) => `198.51.${n % 24}.${n}`],
  ])('from %s leave a turn to a network without earlier tries', async (_what, count, from) => {
    const opened = openPeople();
    const { people } = opened;
    await opened.addUser('alice');
    await addMany(opened, count);
    const answers: string[] = [];
    for (let n = 0; n < count; n += 1) {
      const guess = { name: `user-${n}`, password: WRONG, from: from(n), agent: '' };
      answers.push((await people.signIn.password(guess)).is);
    }
    // The strangers’ common limit is used up. One turn returns each second.
    expect(answers.slice(-10)).toContain('busy');
    expect((await people.signIn.password({ name: 'alice', password: PASSWORD, ...STRANGER })).is).toBe('in');
  });

  test('by strangers do not lock out a known browser at any address', async () => {
    const opened = openPeople({ guesses: { placeTries: 3 } });
    const { people, addUser } = opened;
    await addUser('alice');
    for (const from of ['198.51.100.1', '203.0.113.9']) {
      await people.signIn.password({ name: 'alice', password: WRONG, from, agent: '' });
      await opened.connection.hset(
        (await opened.connection.keys(opened.keys.guesses('password', '*')))[0] ?? '',
        'next',
        Date.now() + 600_000,
      );
    }
    expect((await people.signIn.password({ name: 'alice', password: PASSWORD, ...STRANGER })).is).toBe('later');
    const there = { ...STRANGER, device: 'a browser' };
    for (let tries = 0; tries < 5; tries += 1) {
      expect((await people.signIn.password({ name: 'alice', password: WRONG, ...there })).is).toBe('no');
    }
    // A known browser has as many tries as a known address.
    expect((await people.signIn.password({ name: 'alice', password: PASSWORD, ...there })).is).toBe('later');
    expect(
      (await people.signIn.password({ name: 'alice', password: PASSWORD, ...STRANGER, device: 'another' })).is,
    ).toBe('in');
  });

  test('that are right do not count against their address, so a whole office can sign in', async () => {
    const { addUser, signIn, connection, keys } = openPeople({ guesses: { placeTries: 2 } });
    for (let one = 0; one < 4; one += 1) {
      await addUser(`user-${one}`);
      await signIn(`user-${one}`);
    }
    // The wider network counts them for some seconds.
    expect(await connection.keys(keys.guesses('place', '*'))).toHaveLength(1);
    expect(await connection.keys(keys.guesses('password', '*'))).toEqual([]);
  });

  test('beyond the hashing capacity are answered as busy, and do not count against the account', async () => {
    const { people, addUser, signIn, connection, keys } = openPeople({ guesses: { placeTries: 1_000 } });
    await addUser('alice');
    await signIn('alice');
    const tries = Array.from({ length: 60 }, (_, n) =>
      people.signIn.password({ name: `stranger-${n}`, password: WRONG, ...STRANGER }),
    );
    // The known person is let in ahead of them.
    await signIn('alice');
    const answers = (await Promise.all(tries)).map(({ is }) => is);
    const [busy, compared] = [answers.filter((is) => is === 'busy'), answers.filter((is) => is === 'no')];
    expect(compared.length).toBeGreaterThanOrEqual(22);
    expect(busy.length + compared.length).toBe(60);
    const counted = await connection.keys(keys.guesses('password', '*'));
    expect(counted).toHaveLength(compared.length);
    // The count of an unknown name with one guess is forgotten within the hour.
    const lives = await Promise.all(counted.map((bucket) => connection.pttl(bucket)));
    expect(Math.max(...lives)).toBeLessThanOrEqual(3_600_000);
  });
});

describe('guesses of a code', () => {
  test('have to wait after five in all of the account’s half sessions together, and a right one works after the wait', async () => {
    const { people, addUser, setFactor, signIn, connection, keys } = openPeople();
    await addUser('alice', ['admin']);
    const app = await setFactor('alice');
    const answers: string[] = [];
    for (let tries = 0; tries < 7; tries += 1) {
      const { token } = await signIn('alice');
      answers.push((await people.signIn.code({ token, code: '000000', from: STRANGER.from })).is);
    }
    expect(answers).toEqual(['no', 'no', 'no', 'no', 'no', 'later', 'later']);
    const { token } = await signIn('alice');
    const code = app.nextCode();
    expect((await people.signIn.code({ token, code, from: STRANGER.from })).is).toBe('later');
    for (const bucket of await connection.keys(keys.guesses('code', '*'))) await connection.hdel(bucket, 'next');
    // A refused try does not use up its code.
    expect((await people.signIn.code({ token, code, from: STRANGER.from })).is).toBe('in');
    expect(await connection.keys(keys.guesses('code', '*'))).toEqual([]);
  });

  test('on the command line count together with those in the console', async () => {
    const { people, addUser, setFactor, signIn } = openPeople();
    await addUser('alice', ['approver']);
    const app = await setFactor('alice');
    for (let tries = 0; tries < 5; tries += 1) {
      const { token } = await signIn('alice');
      await people.signIn.code({ token, code: '000000', from: STRANGER.from });
    }
    const given = { name: 'alice', password: PASSWORD, from: 'command line on host' };
    expect((await people.check({ ...given, code: app.nextCode() })).is).toBe('later');
  });
});
