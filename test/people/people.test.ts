import { expect, test } from 'vitest';
import { HERE, openPeople, PASSWORD } from '../support/people.ts';

test('a user signs in with password and code, each time under a new token, and out again', async () => {
  const { people, addUser, setFactor, signIn } = openPeople();
  expect(await people.required()).toBe(false);
  await addUser('alice', ['approver', 'finance']);
  const first = await signIn('Alice ');
  expect(first.owes).toBe('factor');
  const { nextCode } = await setFactor('alice', first.token);
  const renewed = (await people.sessions.renew(first.token)) ?? '';
  expect(await people.sessions.read(first.token, { counts: true })).toBeUndefined();
  expect(await people.sessions.read(renewed, { counts: true })).toMatchObject({
    person: { by: 'alice', roles: ['finance', 'approver'] },
    owes: undefined,
  });
  const half = await signIn('alice');
  expect(half.owes).toBe('code');
  const whole = await people.signIn.code({ token: half.token, code: nextCode(), from: HERE.from });
  if (whole.is !== 'in') throw new Error(whole.is);
  expect(whole.token).not.toBe(half.token);
  expect(await people.sessions.read(half.token, { counts: true })).toBeUndefined();
  expect((await people.sessions.read(whole.token, { counts: true }))?.owes).toBeUndefined();
  expect(await people.sessions.end(whole.token)).toBe('alice');
  expect(await people.sessions.living([whole.token, renewed])).toEqual([false, true]);
  expect(await people.signIn.password({ name: 'alice', password: `${PASSWORD}!`, ...HERE })).toEqual({ is: 'no' });
});
