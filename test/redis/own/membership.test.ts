import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { joinServer, type Member, probe } from '../../../src/redis/own/membership.ts';

const folder = { path: '/nowhere', id: '1-2' };
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

test('only the last process to leave is asked to end the server', async () => {
  const [first, second] = [await enter(), await enter()];
  expect(await first?.leave()).toBe('others left');
  expect(await second?.leave()).toBe('last');
});

test('a repeated leave, as after a lost reply, gets the same answer', async () => {
  const [first, second] = [await enter(), await enter()];
  expect([await first?.leave(), await first?.leave()]).toEqual(['others left', 'others left']);
  expect([await second?.leave(), await second?.leave()]).toEqual(['last', 'last']);
});

test('no process can join a server that is being ended', async () => {
  const first = await enter();
  await first?.leave();
  expect(await enter()).toBeUndefined();
});

test('a process that lost its connection counts neither as a user nor as ending the server', async () => {
  const [first, second] = [await enter(), await enter()];
  await hangUp(first);
  expect(await second?.leave()).toBe('last');
  expect(await enter()).toBeUndefined();
  await hangUp(second);
  expect(await enter()).toBeDefined();
});

test('entries of an earlier server run are ignored, even if connection numbers repeat', async () => {
  const { connection } = await reach();
  const id = await connection.call('CLIENT', 'ID');
  await connection.sadd('~own-redis:users', `earlier#${id}`, '4711/a-process/1-2#of-an-earlier-version');
  await connection.hset('~own-redis:ending', 'by', `earlier#${id}`, 'run', 'earlier');
  const member = await enter();
  expect(await member?.leave()).toBe('last');
  connection.disconnect();
});

async function hangUp(member: Member | undefined): Promise<void> {
  const { connection } = await reach();
  const before = await connection.call('CLIENT', 'LIST');
  const id = String(await member?.connection.call('CLIENT', 'ID'));
  expect(before).toContain(`id=${id} `);
  member?.connection.disconnect();
  await expect.poll(() => connection.call('CLIENT', 'LIST')).not.toContain(`id=${id} `);
  connection.disconnect();
}

async function reach() {
  const found = await probe(inject('redisSocket'));
  if (found.is !== 'ready') throw new Error(`the tests' Redis is ${found.is}`);
  return found;
}

async function enter(): Promise<Member | undefined> {
  const { connection, info } = await reach();
  const member = await joinServer(connection, info, folder);
  if (member) joined.push(member);
  else connection.disconnect();
  return member;
}
