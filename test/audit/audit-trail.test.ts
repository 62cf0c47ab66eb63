import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { LimitlineError } from '../../src/errors.ts';
import { NOTE, openTrails } from '../support/audit.ts';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import { makeServerFixture } from '../support/redis/server-fixture.ts';

test('a note becomes an entry with author, action, time, address, subject, facts and a link', async () => {
  const { process, admin } = await openTrails();
  const trail = process();
  const [seconds = '0'] = (await admin.time()).map(String);
  await trail.note({ ...NOTE, facts: { rows: 3 } });
  const { entries } = await trail.read.page({ count: 10, walk: 100 });
  expect(entries).toEqual([
    { ...NOTE, number: 1, atMs: expect.any(Number), account: 'stand-in', facts: { rows: 3 }, prev: expect.any(String) },
  ]);
  expect(entries[0]?.atMs).toBeGreaterThanOrEqual(Number(seconds) * 1_000);
  expect(await trail.verify()).toMatchObject({ entries: 1, remembered: 1, broken: undefined });
});

test('listeners receive each written entry with its link and without its facts', async () => {
  const trail = (await openTrails()).process();
  const told: unknown[] = [];
  trail.onWritten((entry) => told.push(entry));
  await trail.note({ ...NOTE, facts: { rows: 3 } });
  const [last] = [(await trail.verify()).last];
  expect(told).toEqual([{ ...NOTE, number: 1, link: last?.link }]);
});

// Promise: between-two-entries
test('an action is recorded by an entry before it and one after it with the result', async () => {
  const trail = (await openTrails()).process();
  const seen: number[] = [];
  const act = async () => {
    seen.push(await trail.read.count());
    return { moved: 2 };
  };
  await trail.around({ ...NOTE, facts: { state: 'refused' } }, act, ({ moved }) => ({ moved }));
  const fault = new LimitlineError('NOT_FOUND', 'There is no portfolio "q4".');
  await expect(trail.around(NOTE, () => Promise.reject(fault))).rejects.toBe(fault);
  const wrong = async () => ({ is: 'password' });
  await trail.around(
    NOTE,
    wrong,
    ({ is }) => ({ answered: is }),
    () => 'failed',
  );
  expect(seen).toEqual([1]);
  const { entries } = await trail.read.page({ count: 10, walk: 100 });
  expect(entries.reverse()).toMatchObject([
    { number: 1, is: 'begun', facts: { state: 'refused' } },
    { number: 2, is: 'done', of: 1, facts: { moved: 2 } },
    { number: 3, is: 'begun' },
    { number: 4, is: 'failed', of: 3, facts: { reason: 'There is no portfolio "q4".' } },
    { number: 5, is: 'begun' },
    { number: 6, is: 'failed', of: 5, facts: { answered: 'password' } },
  ]);
});

// Promise: entry-comes-first
test('without Redis the action is not done, and the error says so', async () => {
  const { process, admin } = await openTrails();
  const connection = admin.duplicate();
  const trail = process({ connection });
  connection.disconnect();
  let isDone = false;
  const act = async () => {
    isDone = true;
  };
  await expect(trail.around(NOTE, act)).rejects.toThrow(/The audit trail could not be written .* so nothing was done/);
  await expect(trail.note(NOTE)).rejects.toMatchObject({ code: 'REDIS' });
  expect(isDone).toBe(false);
});

test('processes that write at the same time make one unbroken trail with every entry once', async () => {
  const { process } = await openTrails();
  const trails = Array.from({ length: 5 }, () => process());
  const wishes = trails.flatMap((trail, one) =>
    Array.from({ length: 60 }, (_, number) => trail.note({ ...NOTE, about: `${one}/${number}` })),
  );
  await Promise.all(wishes);
  const [trail] = trails;
  expect(await trail?.verify()).toMatchObject({ entries: 300, broken: undefined });
  const entries = (await trail?.read.page({ count: 1_000, walk: 1_000 }))?.entries ?? [];
  expect(new Set(entries.map(({ about }) => about)).size).toBe(300);
  // The times never decrease.
  const times = entries.map(({ atMs }) => atMs);
  expect(times).toEqual([...times].sort((left, right) => right - left));
});

// Promise: set-back-trail-shows
test('a truncated trail is reported, and the next entry is numbered after all earlier ones', async () => {
  const { process, admin, keys, logged } = await openTrails();
  const trail = process();
  for (let number = 1; number <= 5; number += 1) await trail.note(NOTE);
  const [, [, fields] = ['', []]] = await admin.xrange(keys.audit, '2', '3');
  // The last two entries and the head are removed, as by somebody who knows the format.
  await admin.xdel(keys.audit, '4-0', '5-0');
  await admin.hset(keys.auditHead, { number: '3', link: fields[3] ?? '' });
  expect((await trail.verify()).broken).toMatchObject({ number: 4, is: 'end' });
  await trail.note({ ...NOTE, about: 'later' });
  expect(logged.join()).toContain('the audit trail is not as this host remembers it');
  const { entries } = await trail.read.page({ count: 2, walk: 10 });
  expect(entries).toMatchObject([
    { number: 7, about: 'later' },
    { number: 6, by: 'limitline', what: 'audit trail found set back', facts: { remembered: 5, found: 3, highest: 5 } },
  ]);
  expect((await trail.verify()).broken).toMatchObject({ number: 4, is: 'missing' });
  expect(await trail.verify(7)).toMatchObject({ entries: 1, broken: undefined });
});

// Promise: set-back-trail-shows
test('a trail that was deleted or restored from an older copy is reported from what the host remembers', async () => {
  const { process, admin, keys } = await openTrails();
  const trail = process();
  for (let number = 1; number <= 3; number += 1) await trail.note(NOTE);
  const copies = await Promise.all([keys.audit, keys.auditHead].map((key) => admin.dumpBuffer(key)));
  await trail.note({ ...NOTE, about: 'gone' });
  await admin.del(keys.audit, keys.auditHead);
  expect((await trail.verify()).broken).toMatchObject({ number: 1, is: 'end' });
  for (const [place, key] of [keys.audit, keys.auditHead].entries()) {
    await admin.restore(key, 0, copies[place] as Buffer);
  }
  expect((await trail.verify()).broken).toMatchObject({ number: 4, is: 'end' });
  await trail.note(NOTE);
  expect((await trail.verify()).broken).toMatchObject({ number: 4, is: 'missing' });
});

/** Two hosts with one trail that was restored to its third entry. The first host had written a fourth. */
async function openSetBack() {
  const { process, admin, keys, dir } = await openTrails();
  const [one, other] = [process(), process({ dir: `${dir}/other` })];
  for (let number = 1; number <= 3; number += 1) await one.note(NOTE);
  const copies = await Promise.all([keys.audit, keys.auditHead].map((key) => admin.dumpBuffer(key)));
  await one.note({ ...NOTE, about: 'gone' });
  for (const [place, key] of [keys.audit, keys.auditHead].entries()) {
    await admin.restore(key, 0, copies[place] as Buffer, 'REPLACE');
  }
  return { one, other };
}

// Promise: set-back-trail-shows
test('the host that remembers a later entry reports entries that another host wrote after a restore', async () => {
  const { one, other } = await openSetBack();
  await other.note(NOTE);
  expect((await one.verify()).broken).toMatchObject({ number: 4, is: 'history' });
  expect((await other.verify()).broken).toBeUndefined();
  await one.note(NOTE);
  expect((await other.verify()).broken).toMatchObject({ number: 5, is: 'set back' });
});

// Promise: set-back-trail-shows
test.each([1, 2, 5])('%i entries that another host wrote after a restore do not hide it', async (count) => {
  const { one, other } = await openSetBack();
  for (let number = 1; number <= count; number += 1) await other.note(NOTE);
  await one.note(NOTE);
  expect((await one.verify()).broken).toMatchObject({ number: 4 + count, is: 'set back' });
  // It is reported once. Afterwards the present trail is remembered.
  await one.note(NOTE);
  expect(await one.verify(5 + count)).toMatchObject({ entries: 2, broken: undefined });
});

test('a trail to which other hosts wrote, and whose beginning was cut off, is reported as unbroken', async () => {
  const { process, dir } = await openTrails();
  const [one, other] = [process(), process({ dir: `${dir}/other` })];
  await one.note(NOTE);
  for (let number = 1; number <= 3; number += 1) await other.note(NOTE);
  await one.note(NOTE);
  expect((await one.verify()).broken).toBeUndefined();
  await other.note(NOTE);
  await other.cut({ beforeMs: Date.now() + 60_000, by: 'alice', from: '127.0.0.1' });
  await one.note(NOTE);
  expect((await one.verify()).broken).toBeUndefined();
});

test('a manipulated head is reported', async () => {
  const { process, admin, keys } = await openTrails();
  const trail = process();
  for (let number = 1; number <= 3; number += 1) await trail.note(NOTE);
  await admin.hset(keys.auditHead, 'number', '9');
  expect((await trail.verify()).broken).toMatchObject({ number: 4, is: 'end' });
  await trail.note(NOTE);
  expect((await trail.verify()).broken).toMatchObject({ number: 4, is: 'missing' });
});

test('a head with a time in the future does not give later entries wrong times', async () => {
  const { process, admin, keys } = await openTrails();
  const trail = process();
  await trail.note(NOTE);
  await admin.hset(keys.auditHead, 'at', String(Date.now() + 86_400_000));
  await trail.note(NOTE);
  const [entry] = (await trail.read.page({ count: 1, walk: 1 })).entries;
  expect(Math.abs((entry?.atMs ?? 0) - Date.now())).toBeLessThan(60_000);
  // A clock that went back by seconds repeats the last time.
  const soon = Date.now() + 30_000;
  await admin.hset(keys.auditHead, 'at', String(soon));
  await trail.note(NOTE);
  expect((await trail.read.page({ count: 1, walk: 1 })).entries[0]?.atMs).toBe(soon);
});

test('a host with another secret is reported as such, and not as a change', async () => {
  const { process, logged } = await openTrails();
  const [one, other] = [process(), process({ key: async () => Buffer.alloc(32) })];
  await one.note(NOTE);
  await other.note(NOTE);
  expect(logged.join()).toContain('the same LIMITLINE_SECRET');
  expect((await other.verify()).broken).toMatchObject({ number: 1, is: 'key' });
  expect(await other.verify(2)).toMatchObject({ broken: { number: 2, is: 'key' } });
  expect(await other.verify(3)).toMatchObject({ broken: undefined });
});

test('an entry is written also if its link cannot be remembered, and the log warns', async () => {
  const { process, dir, logged } = await openTrails();
  await symlink(join(dir, 'nowhere/at-all'), join(dir, 'last-1'));
  const trail = process();
  await trail.note(NOTE);
  expect(logged.join()).toContain('the data folder cannot keep the link of the last audit entry');
  expect(await trail.read.count()).toBe(1);
});

test.each([
  ['folder', (dir: string) => rm(dir, { recursive: true }).then(() => writeFile(dir, 'a file'))],
  ['entry', (dir: string) => mkdir(join(dir, 'last-1'))],
])('nothing is written when the %s that remembers the last link cannot be read', async (_, spoil) => {
  const { process, dir } = await openTrails();
  await spoil(dir);
  const trail = process();
  await expect(trail.note(NOTE)).rejects.toMatchObject({ code: 'FILE' });
  expect(await trail.read.count()).toBe(0);
});

test('an entry whose acknowledgement is lost is written once, although it is sent again', async () => {
  const server = makeServerFixture();
  onTestFinished(() => server.clean());
  const redis = await server.start();
  const proxy = await startCuttingProxy(redis.port);
  const { process } = await openTrails();
  const connection = new Redis({ port: proxy.port, retryStrategy: () => 5, maxRetriesPerRequest: null });
  onTestFinished(() => connection.disconnect());
  connection.on('error', () => {});
  const trail = process({ connection });
  for (let round = 0; round < 30; round += 1) {
    const noting = trail.note({ ...NOTE, about: String(round) });
    // The connection is cut at different commands: while reading the head or while writing.
    for (let turn = 0; turn < round % 6; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    proxy.cutReplies();
    await noting;
  }
  const { entries } = await trail.read.page({ count: 100, walk: 100 });
  expect(entries.map(({ about }) => Number(about)).reverse()).toEqual(Array.from({ length: 30 }, (_, round) => round));
  expect((await trail.verify()).broken).toBeUndefined();
});

test('a process that dies before it remembers its last link causes no report of a break', async () => {
  const { process, dir } = await openTrails();
  const trail = process();
  for (let number = 1; number <= 3; number += 1) await trail.note(NOTE);
  // As if the third link was not remembered, and the second was not removed.
  const [last = ''] = await readdir(dir);
  const link = await readFile(join(dir, last), 'latin1');
  await rm(join(dir, last));
  expect((await trail.verify()).broken).toBeUndefined();
  await trail.note(NOTE);
  expect(await trail.verify()).toMatchObject({ entries: 4, remembered: 4, broken: undefined });
  await writeFile(join(dir, 'last-3'), link);
  // A power cut can leave a file without its content.
  await writeFile(join(dir, 'last-9'), link.slice(0, 20));
  expect(await trail.verify()).toMatchObject({ remembered: 4, broken: undefined });
  await trail.note(NOTE);
  expect(await trail.verify()).toMatchObject({ entries: 5, remembered: 5, broken: undefined });
});
