import { describe, expect, test } from 'vitest';
import { hashPassword } from '../../../src/people/passwords/password-hash.ts';
import { HERE, openPeople, PASSWORD } from '../../support/people.ts';

const WRONG = 'a bench under seven trunks';
const ELSEWHERE = { from: '198.51.100.4', agent: 'another browser' };

describe('a password', () => {
  // Promise: sign-in-mistakes-alike
  test('has the same answer when wrong and when the user does not exist', async () => {
    const { people, addUser } = openPeople();
    await addUser('alice');
    for (const name of ['alice', 'nobody', '', 'Robert"); DROP', '{x}:user:alice', 'x'.repeat(10_000), PASSWORD]) {
      expect(await people.signIn.password({ name, password: WRONG, ...HERE })).toEqual({ is: 'no' });
    }
  });

  test('longer than the maximum is wrong, and costs no more work', async () => {
    const { people, addUser } = openPeople();
    await addUser('alice', ['viewer'], 'x7'.repeat(500));
    const answers = ['x7'.repeat(500), 'x7'.repeat(501), 'x7'.repeat(500_000)].map((password) =>
      people.signIn.password({ name: 'alice', password, ...HERE }),
    );
    expect((await Promise.all(answers)).map(({ is }) => is)).toEqual(['in', 'no', 'no']);
  });

  // Promise: given-password-72-hours
  test('set by an admin is valid for 72 hours, and only for choosing another one', async () => {
    const { people, connection, keys } = openPeople();
    await people.users.add({ name: 'alice', roles: ['admin'], password: PASSWORD, mustChange: true });
    const untilMs = Number(await connection.hget(keys.user('alice'), 'until'));
    expect(Math.round((untilMs - Date.now()) / 3_600_000)).toBe(72);
    const first = await people.signIn.password({ name: 'alice', password: PASSWORD, ...HERE });
    expect(first).toMatchObject({ is: 'in', owes: 'password' });
    const token = first.is === 'in' ? first.token : '';
    expect(await people.sessions.living([token])).toEqual([false]);
    const change = (old: string, next: string) =>
      people.changeOwnPassword({ name: 'alice', old, next, from: HERE.from, keep: token });
    expect(await change(WRONG, 'seven trees above a bench')).toEqual({ is: 'no' });
    expect(await change(PASSWORD, PASSWORD)).toMatchObject({ is: 'unfit' });
    const choose = people.users.setPassword('alice', PASSWORD, { mustChange: false, keep: token });
    await expect(choose).rejects.toThrow('The new password is the one that you have already');
    expect(await change(PASSWORD, 'short')).toMatchObject({ is: 'unfit', why: expect.stringMatching(/12 or more/) });
    expect(await change(PASSWORD, 'seven trees above a bench')).toEqual({ is: 'ok' });
    expect(await people.sessions.read(token, { counts: true })).toMatchObject({ owes: 'factor' });
    expect(await people.signIn.password({ name: 'alice', password: PASSWORD, ...HERE })).toEqual({ is: 'no' });
  });

  // Promise: given-password-72-hours
  test('set by an admin is invalid after its time', async () => {
    const { people, addUser } = openPeople({ initialMs: 0 });
    await people.users.add({ name: 'alice', roles: ['viewer'], password: PASSWORD, mustChange: true });
    expect(await people.signIn.password({ name: 'alice', password: PASSWORD, ...HERE })).toEqual({ is: 'no' });
    await addUser('bob');
    expect((await people.signIn.password({ name: 'bob', password: PASSWORD, ...HERE })).is).toBe('in');
  });

  test('of a user who is removed or changed at that moment begins no session', async () => {
    const changed = Promise.withResolvers<void>();
    let isHeld = false;
    let held = 0;
    const hash: typeof hashPassword = async (...given) => {
      if (isHeld) held += 1;
      if (isHeld) await changed.promise;
      return hashPassword(...given);
    };
    const { people, addUser, connection, keys } = openPeople({ hash });
    await addUser('alice');
    await addUser('bob');
    // Passwords are hashed two at a time. Behind these two nothing is compared before the changes are made.
    isHeld = true;
    const before = [addUser('carl'), addUser('dora')];
    await expect.poll(() => held).toBe(2);
    isHeld = false;
    const coming = ['alice', 'bob'].map((name) => people.signIn.password({ name, password: PASSWORD, ...HERE }));
    await expect.poll(() => connection.keys(keys.guesses('password', '*')), { interval: 1 }).toHaveLength(2);
    await people.users.remove('alice');
    await people.users.setRoles('bob', ['finance']);
    changed.resolve();
    await Promise.all(before);
    expect(await Promise.all(coming)).toEqual([{ is: 'no' }, { is: 'no' }]);
    expect(await connection.exists(keys.sessionsOf('alice'), keys.sessionsOf('bob'))).toBe(0);
  });
});

describe('a second factor', () => {
  // Promise: second-factor-needed
  test('is required for every role but viewer, and without it no session is complete', async () => {
    const { people, addUser, signIn } = openPeople();
    for (const role of ['finance', 'approver', 'operator', 'admin', 'viewer'] as const) {
      await addUser(role, [role]);
      const { token, owes } = await signIn(role);
      expect(owes).toBe(role === 'viewer' ? undefined : 'factor');
      expect(await people.sessions.living([token])).toEqual([role === 'viewer']);
    }
  });

  test('is required of a viewer who has set one up', async () => {
    const { addUser, setFactor, signIn } = openPeople();
    await addUser('alice', ['viewer']);
    await setFactor('alice');
    expect((await signIn('alice')).owes).toBe('code');
  });

  test('has codes that work once, and none older than the last used one', async () => {
    const { people, addUser, setFactor, signIn } = openPeople();
    await addUser('alice', ['admin']);
    const app = await setFactor('alice');
    const enter = async (code: string) => {
      const { token } = await signIn('alice');
      return (await people.signIn.code({ token, code, from: HERE.from })).is;
    };
    // The code that confirmed the factor is used up.
    expect(await enter(app.code())).toBe('no');
    const code = app.nextCode();
    expect(await enter(code)).toBe('in');
    expect(await enter(code)).toBe('no');
    const [earlier, later] = [app.nextCode(), app.nextCode()];
    expect(await enter(`${later.slice(0, 3)} ${later.slice(3)}`)).toBe('in');
    expect(await enter(earlier)).toBe('no');
  });

  // Promise: approval-asks-password-again
  test('lets in one of several sign-ins that give the same code at the same moment', async () => {
    const { people, addUser, setFactor, signIn } = openPeople({ guesses: { freeTries: 100 } });
    await addUser('alice', ['admin']);
    const app = await setFactor('alice');
    const halves = await Promise.all(Array.from({ length: 6 }, () => signIn('alice')));
    const code = app.nextCode();
    const answers = await Promise.all(halves.map(({ token }) => people.signIn.code({ token, code, from: HERE.from })));
    expect(answers.filter(({ is }) => is === 'in')).toHaveLength(1);
  });

  test('has recovery codes, each for one sign-in', async () => {
    const { people, addUser, setFactor, signIn, connection, keys } = openPeople();
    await addUser('alice', ['admin']);
    const { recoveryCodes } = await setFactor('alice');
    expect(recoveryCodes).toHaveLength(10);
    const [first = '', second = ''] = recoveryCodes;
    const enter = async (code: string) => {
      const { token } = await signIn('alice');
      return (await people.signIn.code({ token, code, from: HERE.from })).is;
    };
    expect(await enter(first.toUpperCase().replaceAll('-', ' '))).toBe('in');
    expect(await enter(first)).toBe('no');
    expect(await enter('aaaa-aaaa-aaaa-aaaa')).toBe('no');
    expect((await people.users.read('alice'))?.recoveryCodes).toBe(9);
    // Redis contains neither the codes nor the secret.
    const kept = JSON.stringify(await connection.hgetall(keys.user('alice')));
    for (const code of recoveryCodes) expect(kept).not.toContain(code.replaceAll('-', ''));
    const renewed = await people.users.renewRecoveryCodes('alice');
    expect(await enter(second)).toBe('no');
    expect(await enter(renewed[0] ?? '')).toBe('in');
  });

  test('keeps its secret until a code confirms it, and does not show it afterwards', async () => {
    const { people, addUser, setFactor, connection, keys } = openPeople();
    await addUser('alice', ['admin']);
    const shown = await people.users.beginFactor('alice');
    expect(await people.users.beginFactor('alice')).toEqual(shown);
    expect(await people.users.confirmFactor('alice', '000000')).toBeUndefined();
    expect((await people.users.read('alice'))?.hasFactor).toBe(false);
    await setFactor('alice');
    expect((await people.users.read('alice'))?.hasFactor).toBe(true);
    expect((await people.users.beginFactor('alice')).secret).not.toBe(shown.secret);
    expect(JSON.stringify(await connection.hgetall(keys.user('alice')))).not.toContain(shown.secret);
    await expect(people.users.beginFactor('nobody')).rejects.toThrow('There is no user');
    expect(await people.users.confirmFactor('nobody', '123456')).toBeUndefined();
  });

  test('that is being set up is shown in one session only', async () => {
    const { people, addUser, setFactor, signIn } = openPeople();
    await addUser('alice', ['admin']);
    const mallory = await signIn('alice');
    const seen = await people.users.beginFactor('alice');
    const alice = await signIn('alice');
    expect(await people.sessions.read(mallory.token, { counts: true })).toBeUndefined();
    expect((await people.users.beginFactor('alice')).secret).not.toBe(seen.secret);
    await setFactor('alice', alice.token);
    expect(await people.sessions.living([alice.token])).toEqual([true]);
  });

  test('that is set up in a half session does not complete that session', async () => {
    const { people, addUser, setFactor, signIn } = openPeople();
    await addUser('alice', ['admin']);
    await setFactor('alice');
    const half = await signIn('alice');
    await setFactor('alice', half.token);
    expect(await people.sessions.read(half.token, { counts: true })).toBeUndefined();
  });

  test('of one user, copied to another user, lets nobody in', async () => {
    const { people, addUser, setFactor, signIn, connection, keys } = openPeople();
    for (const name of ['alice', 'mallory']) await addUser(name, ['admin']);
    await setFactor('alice');
    const app = await setFactor('mallory');
    // Somebody with access to Redis gives alice mallory’s factor.
    const factor = (await connection.hget(keys.user('mallory'), 'factor')) ?? '';
    await connection.hset(keys.user('alice'), { factor });
    const { token } = await signIn('alice');
    expect(await people.signIn.code({ token, code: app.nextCode(), from: HERE.from })).toEqual({ is: 'no' });
  });
});

describe('a half session', () => {
  test('accepts the code only, expires, and does not displace a complete session', async () => {
    const { people, addUser, setFactor, signIn, connection, prefix } = openPeople({ limits: { most: 1 } });
    await addUser('alice', ['admin']);
    const app = await setFactor('alice');
    const half = await signIn('alice');
    const whole = await people.signIn.code({ token: half.token, code: app.nextCode(), from: HERE.from });
    const token = whole.is === 'in' ? whole.token : '';
    const others = [await signIn('alice'), await signIn('alice')];
    expect(await people.sessions.living([token, ...others.map((one) => one.token)])).toEqual([true, false, false]);
    expect((await people.sessions.read(others[0]?.token ?? '', { counts: true }))?.owes).toBe('code');
    expect(await people.sessions.list('alice')).toHaveLength(1);
    const lives = await Promise.all(
      (await connection.keys(`{${prefix}}*:session:*`)).map((key) => connection.pttl(key)),
    );
    expect(lives.every((ms) => ms > 0 && ms <= 12 * 3_600_000)).toBe(true);
  });

  test('is invalid after a change of role, password or factor before the code', async () => {
    const { people, addUser, setFactor, signIn } = openPeople();
    await addUser('alice', ['viewer', 'admin']);
    const app = await setFactor('alice');
    const changes = [
      () => people.users.setRoles('alice', ['viewer', 'operator'], { evenLast: true }),
      () => people.users.setPassword('alice', PASSWORD, { mustChange: false }),
      () => people.users.resetFactor('alice'),
      () => people.users.remove('alice', { evenLast: true }),
    ];
    for (const change of changes) {
      const { token } = await signIn('alice');
      await change();
      expect(await people.signIn.code({ token, code: app.nextCode(), from: HERE.from })).toEqual({ is: 'no' });
    }
  });

  test('is not accepted from an invalid token, a complete session or one of an identity provider', async () => {
    const { people, addUser, signIn } = openPeople();
    await addUser('alice');
    const sso = await people.sessions.begin({ person: { by: 'eve@x (sso 1)', roles: ['admin'] }, ...HERE });
    for (const token of ['', 'x', 'A'.repeat(43), (await signIn('alice')).token, sso]) {
      expect(await people.signIn.code({ token, code: '123456', from: HERE.from })).toEqual({ is: 'no' });
    }
  });
});

describe('a check of both factors', () => {
  test('needs both from a person who has them, and uses up the code', async () => {
    const { people, addUser, setFactor, signIn } = openPeople({ guesses: { freeTries: 100 } });
    await addUser('alice', ['approver']);
    const check = (password: string, code: string) =>
      people.check({ name: 'alice', password, code, from: 'command line on host' });
    expect(await check(PASSWORD, '')).toEqual({ is: 'owes' });
    const app = await setFactor('alice');
    const code = app.nextCode();
    expect(await check(WRONG, code)).toEqual({ is: 'no' });
    expect(await check(PASSWORD, '')).toEqual({ is: 'no' });
    expect(await check(PASSWORD, '000000')).toEqual({ is: 'no' });
    expect(await check(PASSWORD, code)).toEqual({ is: 'ok', person: { by: 'alice', roles: ['approver'] } });
    expect(await check(PASSWORD, code)).toEqual({ is: 'no' });
    // The code is used up for the console, too.
    const { token } = await signIn('alice');
    expect(await people.signIn.code({ token, code, from: HERE.from })).toEqual({ is: 'no' });
    expect(await people.check({ name: 'nobody', password: PASSWORD, code, from: 'x' })).toEqual({ is: 'no' });
  });

  test('fails for a person who must choose a password first', async () => {
    const { people, addUser, setFactor } = openPeople();
    await addUser('alice', ['approver']);
    const app = await setFactor('alice');
    await people.users.setPassword('alice', PASSWORD, { mustChange: true });
    const given = { name: 'alice', password: PASSWORD, from: 'command line on host' };
    expect(await people.check({ ...given, code: app.nextCode() })).toEqual({ is: 'owes' });
  });

  test('needs the password only from a viewer without a second factor', async () => {
    const { people, addUser } = openPeople();
    await addUser('alice', ['viewer']);
    const given = { name: 'alice', password: PASSWORD, code: '', ...ELSEWHERE };
    expect((await people.check(given)).is).toBe('ok');
  });
});
