import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeLastLinkMemory } from '../../../src/files/last-link.ts';
import type { Replicas } from '../../../src/ledger/calls/batches.ts';
import { makeSendMarks } from '../../../src/ledger/calls/send-marks.ts';
import { makeRetryUntilAnswered } from '../../../src/ledger/schema/until-answered.ts';
import type { Log } from '../../../src/log.ts';
import { makeSilentLog } from '../../../src/log.ts';
import { scriptText } from '../../../src/lua-script.ts';
import { openLedger } from '../../support/ledger.ts';
import { makeFolder, makeKeptLog } from '../../support/workplace.ts';

const KEPT_IN = ['marks', 'allMarks'] as const;

/** A mark's second is over at once here: each call is the first of its second. */
async function open() {
  const { connection, keys } = openLedger();
  const folder = await makeFolder();
  const log = makeSilentLog();
  const retry = makeRetryUntilAnswered({ log, signal: new AbortController().signal });
  const none: Replicas = { expected: () => 0, connect: () => connection };
  type Given = { warnsOnly?: boolean; logged?: Log; retryUntilAnswered?: typeof retry; replicas?: Replicas };
  const start = (dir = folder, given: Given = {}) => {
    const { warnsOnly = false, logged = log, retryUntilAnswered = retry, replicas = none } = given;
    const account = 'https://test.example';
    const marks = makeSendMarks({
      connection,
      keys,
      dir,
      account,
      warnsOnly,
      retryUntilAnswered,
      replicas,
      log: logged,
      freshMs: 0,
    });
    return {
      ...marks,
      send: () =>
        marks.ready().then(
          () => 'sent',
          (error) => error.code,
        ),
    };
  };
  return {
    connection,
    keys,
    folder,
    start,
    copy: () => Promise.all(KEPT_IN.map((name) => connection.dumpBuffer(keys[name]))),
    putBack: (copy: readonly (Buffer | null)[]) =>
      Promise.all(
        KEPT_IN.map(async (name, place) => {
          await connection.del(keys[name]);
          const bytes = copy[place];
          if (bytes) await connection.restore(keys[name], 0, bytes);
        }),
      ),
    /** Marks of so many seconds, written by processes that remember nothing. */
    async markMuch(seconds: number): Promise<void> {
      const script = scriptText(new URL('../../../src/ledger/lua/mark-sending.lua', import.meta.url));
      const all = connection.pipeline();
      for (let second = 0; second < seconds; second += 1)
        all.eval(script, 1, keys.marks, `${second} ${Math.random()}`, 0, '', '');
      await all.exec();
    },
    remembered: async () => (await readdir(join(folder, (await readdir(folder))[0] ?? ''))).sort(),
  };
}

describe('a Redis that is older than what was sent', () => {
  test('is not reported while marks go on, across processes and data folders', async () => {
    const { start, remembered, connection, keys } = await open();
    const first = start();
    expect(await Promise.all([first.send(), first.send()])).toEqual(['sent', 'sent']);
    expect(await first.send()).toBe('sent');
    expect(await start().send()).toBe('sent');
    expect(await start(await makeFolder()).send()).toBe('sent');
    expect(await first.send()).toBe('sent');
    await expect(start().check()).resolves.toBeUndefined();
    expect(await start().older()).toBeUndefined();
    // There is one mark a second, and only the last is remembered.
    expect(await connection.hget(keys.marks, 'last')).toBe('5');
    expect(await remembered()).toEqual(['last-5']);
  });

  // Promise: older-redis-sends-nothing
  test('stops the process that sent since, also without its folder, and then all others', async () => {
    const { start, copy, putBack, folder, connection, keys } = await open();
    const [running, idle] = [start(), start(await makeFolder())];
    await running.send();
    const before = await copy();
    await running.send();
    await putBack(before);
    await rm(folder, { recursive: true });
    expect(await running.send()).toBe('OLDER');
    expect(await running.send()).toBe('OLDER');
    // The note in Redis also stops processes that sent nothing since the copy.
    expect(await idle.send()).toBe('OLDER');
    expect(await idle.older()).toMatchObject({ atMs: expect.any(Number), host: expect.any(String) });
    expect(await connection.hget(keys.marks, 'last')).toBe('1');
  });

  test('stops the next process by the mark in the data folder, before anything is sent', async () => {
    const { start, copy, putBack } = await open();
    await start().send();
    const before = await copy();
    for (let second = 0; second < 3; second += 1) await start().send();
    await putBack(before);
    await expect(start().check()).rejects.toThrow(/acknowledge-rollback/);
    expect(await start().send()).toBe('OLDER');
  });

  // Promise: older-copy-always-noticed
  test('is noticed if it is empty, and if another host has sent since', async () => {
    const { start, copy, putBack, connection, keys } = await open();
    const [ours, theirs] = [start(), start(await makeFolder())];
    await theirs.send();
    const before = await copy();
    await ours.send();
    await putBack(before);
    // The other host knows nothing that the copy lacks.
    for (let second = 0; second < 3; second += 1) expect(await theirs.send()).toBe('sent');
    expect(await ours.send()).toBe('OLDER');
    expect(await theirs.send()).toBe('OLDER');
    await connection.del(keys.marks);
    expect(await ours.send()).toBe('OLDER');
  });

  test('is used by all processes after a person accepts it', async () => {
    const { start, copy, putBack } = await open();
    const [ours, theirs] = [start(), start(await makeFolder())];
    await ours.send();
    const before = await copy();
    await ours.send();
    await theirs.send();
    await putBack(before);
    expect(await ours.send()).toBe('OLDER');
    expect(await start().accept()).toEqual({ older: true, heldSessions: 0 });
    expect(await start().accept()).toEqual({ older: false, heldSessions: 0 });
    for (const one of [ours, theirs, start()]) expect(await one.send()).toBe('sent');
    // It is noticed when it happens again.
    await putBack(before);
    expect(await ours.send()).toBe('OLDER');
  });

  // Promise: stand-in-logs-older-copy
  test('only logs a warning and stops nothing for the stand-in', async () => {
    const { start, connection, keys } = await open();
    const said: string[] = [];
    const logged = { ...makeSilentLog(), warn: (text: string) => void said.push(text) } as unknown as Log;
    const trial = start(undefined, { warnsOnly: true, logged });
    expect(await trial.send()).toBe('sent');
    await connection.del(keys.marks);
    expect(await trial.send()).toBe('sent');
    expect(await trial.send()).toBe('sent');
    expect(said).toEqual([expect.stringContaining('Redis is older than what was sent')]);
  });

  test('could not be noticed if the mark cannot be stored, so nothing is sent', async () => {
    const { start, folder } = await open();
    const file = join(folder, 'file');
    await writeFile(file, '');
    expect(await start(file).send()).toBe('FILE');
  });

  test('is noticed by a host that sent nothing while others sent for hours, and not reported if nothing was lost', async () => {
    const { start, connection, keys, copy, putBack, markMuch } = await open();
    const [ours, theirs] = [start(), start(await makeFolder())];
    await theirs.send();
    const before = await copy();
    await ours.send();
    await markMuch(4_200);
    // Each mark takes its own place and no more.
    expect(await connection.hlen(keys.marks)).toBe(2);
    expect(await connection.strlen(keys.allMarks)).toBe(4 * 4_203);
    expect(await ours.send()).toBe('sent');
    await putBack(before);
    await markMuch(4_300);
    expect(await ours.send()).toBe('OLDER');
  });

  test("is not reported by a host with a copy of another host's data folder", async () => {
    const { start, folder } = await open();
    await start().send();
    const copied = join(await makeFolder(), 'copy');
    await cp(folder, copied, { recursive: true });
    const theirs = start(copied);
    for (let second = 0; second < 3; second += 1) {
      expect(await start().send()).toBe('sent');
      expect(await theirs.send()).toBe('sent');
    }
    await expect(start(copied).check()).resolves.toBeUndefined();
  });

  // Promise: older-copy-always-noticed
  test("is noticed if the copy was made after the last call's mark, because a later mark follows", async () => {
    const { start, copy, putBack } = await open();
    const ours = start();
    await ours.send();
    const before = await copy();
    await ours.look();
    await putBack(before);
    expect(await ours.send()).toBe('OLDER');
  });

  test('is noticed also if that later mark could not be stored at first', async () => {
    const { start, copy, putBack, folder } = await open();
    const ours = start();
    await ours.send();
    const before = await copy();
    await rm(folder, { recursive: true });
    await writeFile(folder, '');
    await expect(ours.look()).rejects.toThrow(/cannot be kept/);
    await rm(folder);
    await ours.look();
    await putBack(before);
    expect(await ours.send()).toBe('OLDER');
  });

  test('stops all sending if the stored mark cannot be read', async () => {
    const { start, folder, remembered, copy, putBack } = await open();
    await start().send();
    const before = await copy();
    for (let second = 0; second < 2; second += 1) await start().send();
    const path = join(folder, (await readdir(folder))[0] ?? '', (await remembered())[0] ?? '');
    await rm(path);
    await mkdir(path);
    await putBack(before);
    expect(await start().send()).toBe('FILE');
  });

  test('is noticed by a process that sends nothing, without further marks', async () => {
    const { start, copy, putBack, connection, keys } = await open();
    const ours = start();
    await ours.send();
    await ours.look();
    const before = await copy();
    await ours.look();
    await ours.look();
    expect(await connection.hget(keys.marks, 'last')).toBe('2');
    await start().send();
    await putBack(before);
    await expect(ours.look()).rejects.toThrow(/acknowledge-rollback/);
  });

  test('is shown on pages even if the data folder cannot be written', async () => {
    const { start, folder, connection, keys } = await open();
    const ours = start();
    await ours.send();
    await rm(folder, { recursive: true });
    await writeFile(folder, '');
    expect(await ours.older()).toBeUndefined();
    await connection.del(keys.marks);
    expect(await ours.older()).toMatchObject({ host: expect.any(String) });
  });

  test('leaves no file of a mark that could not be written', async () => {
    const { start, folder, remembered } = await open();
    const ours = start();
    await ours.send();
    const memory = makeLastLinkMemory(join(folder, (await readdir(folder))[0] ?? ''), { isSynced: true });
    await expect(memory.remember({ number: 7, link: Symbol('none') as unknown as string })).rejects.toThrow();
    expect(await remembered()).toEqual(['last-1']);
  });
});

test('a mark that cannot follow an action keeps nobody waiting, and is logged', async () => {
  const { start, folder } = await open();
  const file = join(folder, 'file');
  await writeFile(file, '');
  const { log, lines } = makeKeptLog();
  await start(file, { logged: log }).follow();
  expect(lines).toMatchObject([{ level: 'error', reason: expect.stringContaining('cannot be kept in') }]);
});

test('a mark that waits for Redis is waited for a moment only', async () => {
  const { start, folder } = await open();
  const { log, lines } = makeKeptLog();
  await start(folder, { logged: log, retryUntilAnswered: () => new Promise(() => {}) }).follow();
  expect(lines).toEqual([]);
});

test('a mark whose primary is demoted before it asks its replicas is asked for again', async () => {
  const { start } = await open();
  const demoted = Object.assign(new Error('ERR WAIT cannot be used with replica instances.'), { name: 'ReplyError' });
  const waits = [[demoted], [null, 1]];
  const exec = async () => [[null, [1]], waits.shift()];
  const pipeline = () => ({ eval: () => ({ wait: () => ({ exec }) }) });
  const replicas = { expected: () => 1, connect: () => ({ pipeline }) as never };
  expect(await start(undefined, { replicas }).send()).toBe('sent');
});
