import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { makeSilentLog } from '../../../src/log.ts';
import { openRedis } from '../../../src/redis/open-redis.ts';
import { openFolder } from '../../../src/redis/own/folder.ts';
import { checkHost, enterHost, thisHost } from '../../../src/redis/own/host.ts';
import { makeOwnFixture, serversBelow } from '../../support/redis/own-fixture.ts';

const fixture = makeOwnFixture();
const { makeDir, user } = fixture;
afterEach(fixture.clean);

const log = makeSilentLog();
const OTHER = { name: 'accounting-2', machine: 'b', boot: 'b' };

// Promise: data-folder-of-one-host
test('a folder whose Redis runs on another host is refused, with the name of that host', async () => {
  const dataDir = makeDir();
  enterHost(openFolder(dataDir), OTHER);
  await expect(openRedis({ dataDir, log })).rejects.toMatchObject({
    code: 'FILE',
    message: expect.stringMatching(
      /^Data folder .* is in use by a Redis on host accounting-2, .*REDIS_URL.*redis\/host\.$/,
    ),
  });
  expect(serversBelow(dataDir)).toEqual([]);
});

test('a folder belongs to this host as long as its Redis runs, and is free for others afterwards', async () => {
  const dataDir = makeDir();
  const [first, second] = [await openRedis({ dataDir, log }), await user(dataDir)];
  const taken = () => enterHost(openFolder(dataDir), OTHER);
  await first.close();
  expect(taken).toThrow(thisHost().name);
  await second.close();
  expect(existsSync(join(dataDir, 'redis', 'host'))).toBe(false);
  expect(taken).not.toThrow();
});

test('after a restart of the machine the note of an earlier Redis does not stop a new one', async () => {
  const dataDir = makeDir();
  const us = thisHost();
  enterHost(openFolder(dataDir), { ...us, boot: 'the one before' });
  await (await openRedis({ dataDir, log })).close();
  expect(serversBelow(dataDir)).toEqual([]);
});

test.each([
  ['another container on this machine', 'is accepted', { ...OTHER, boot: thisHost().boot }, false],
  ['a clone of this machine', 'is refused', { ...thisHost(), name: 'clone', boot: 'b' }, true],
  ['another machine with this name', 'is refused', { ...thisHost(), machine: 'b', boot: 'b' }, true],
])('%s %s', (_name, _is, noted, isOther) => {
  const folder = openFolder(makeDir());
  enterHost(folder, noted);
  const check = () => checkHost(folder);
  if (isOther) expect(check).toThrow(/is in use by a Redis on host/);
  else expect(check).not.toThrow();
});

test('a damaged host note stops nobody', () => {
  const folder = openFolder(makeDir());
  writeFileSync(join(folder.path, 'host'), 'not json');
  expect(() => enterHost(folder)).not.toThrow();
  expect(() => enterHost(folder, OTHER)).toThrow(/in use/);
});
