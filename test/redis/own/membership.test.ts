import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { joinServer, type Member, makeUser } from '../../../src/redis/own/membership.ts';
import { probe } from '../../../src/redis/own/probe.ts';

const folder = { path: '/nowhere', id: '1-2' };
const dead = '999999999/never/1-2#dead';
let joined: Member[];

beforeEach(() => {
  joined = [];
});
afterEach(async () => {
  const { connection } = await reach();
  await connection.del('~own-redis:users', '~own-redis:ending');
  for (const member of joined) member.connection.disconnect();
  connection.disconnect();
});

test('only the last to leave is told to end the server', async () => {
  const [first, second] = [await enter(), await enter()];
  expect(await first?.leave()).toBe('others left');
  expect(await second?.leave()).toBe('last');
});

test('leaving twice, as when the reply was lost, is answered alike', async () => {
  const [first, second] = [await enter(), await enter()];
  expect([await first?.leave(), await first?.leave()]).toEqual(['others left', 'others left']);
  expect([await second?.leave(), await second?.leave()]).toEqual(['last', 'last']);
});

test('nobody can join a server that is being ended', async () => {
  const first = await enter();
  await first?.leave();
  expect(await enter()).toBeUndefined();
});

test('a dead process counts neither as a user nor as one that is ending the server', async () => {
  const first = await enter();
  const { connection, info } = await reach();
  await connection.sadd('~own-redis:users', dead);
  expect(await first?.leave()).toBe('last');
  await connection.hset('~own-redis:ending', 'by', dead, 'run', info.run_id ?? '');
  expect(await enter()).toBeDefined();
  connection.disconnect();
});

test('a note that an earlier start of the server was being ended means nothing', async () => {
  const { connection } = await reach();
  await connection.hset('~own-redis:ending', 'by', makeUser({ ...folder }), 'run', 'earlier');
  expect(await enter()).toBeDefined();
  connection.disconnect();
});

async function reach() {
  const found = await probe(inject('redisSocket'));
  if (found.is !== 'ready') throw new Error(`the tests' Redis is ${found.is}`);
  return found;
}

async function enter(): Promise<Member | undefined> {
  const { connection, info } = await reach();
  const member = await joinServer(connection, info, { folder, user: makeUser(folder) });
  if (member) joined.push(member);
  else connection.disconnect();
  return member;
}
