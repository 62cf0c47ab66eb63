import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { makeLuaScript, readLua } from '../src/lua-script.ts';
import { connectRedis } from './support/ledger.ts';
import { scriptsIn } from './support/lua-scripts.ts';
import { startKillableRedis } from './support/redis/killable-redis.ts';
import { redisPlace } from './support/redis/own-database.ts';

/** A folder with these Lua files; returns a function for their addresses. */
async function luaFiles(files: Record<string, string>) {
  const dir = await mkdtemp(join(tmpdir(), 'limitline-lua-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text);
  return (name: string) => pathToFileURL(join(dir, name));
}

test('a script runs with its keys and arguments, and with the files that it includes', async () => {
  const url = await luaFiles({
    'outer.lua': '-- @include inner\nreturn { join(KEYS[1], ARGV[1]), #ARGV }',
    'inner.lua': '-- @include deeper',
    'deeper.lua': "local function join(one, other) return one .. '-' .. other end",
  });
  const run = makeLuaScript(connectRedis(), url('outer.lua'));
  expect(await run(['key'], ['argument', 7])).toEqual(['key-argument', 2]);
});

test('a script gets its keys and arguments by the names in its head, and "" or no values for missing ones', async () => {
  const url = await luaFiles({
    'named.lua': '-- @keys one …others\n-- @args word more …rest\nreturn { one, #others, word, more, #rest, rest[2] }',
  });
  const run = makeLuaScript(connectRedis(), url('named.lua'));
  expect(await run({ one: 'a' }, { more: 'm' })).toEqual(['a', 0, '', 'm', 0]);
  expect(await run({ one: 'a', others: ['b'] }, { word: 'w', rest: ['x', 'y'] })).toEqual(['a', 1, 'w', '', 2, 'y']);
  expect(() => run({ one: 'a' }, { words: 'w' })).toThrow('a script has no words, only word, more, rest');
});

test('a script that is registered while auto-pipelining gathers commands is run', async () => {
  const url = await luaFiles({ 'late.lua': 'return ARGV[1]' });
  const connection = new Redis({ ...redisPlace(), enableAutoPipelining: true });
  onTestFinished(() => connection.disconnect());
  await connection.ping();
  const earlier = [connection.get('one'), connection.get('two')];
  const run = () => makeLuaScript(connection, url('late.lua'))(['key'], ['said']);
  expect(await Promise.all([run(), run()])).toEqual(['said', 'said']);
  expect(await run()).toBe('said');
  expect(await Promise.all(earlier)).toEqual([null, null]);
});

test('a script that the server has forgotten is sent again, also with auto-pipelining', async () => {
  const url = await luaFiles({ 'known.lua': 'return { KEYS[1], ARGV[1] }' });
  const redis = await startKillableRedis();
  for (const enableAutoPipelining of [true, false]) {
    const connection = new Redis(redis.url, { enableAutoPipelining });
    onTestFinished(() => connection.disconnect());
    const run = makeLuaScript(connection, url('known.lua'));
    expect(await run(['key'], ['first'])).toEqual(['key', 'first']);
    await redis.admin.script('FLUSH');
    const asked = ['one', 'two', 'three'];
    const said = asked.map((word) => ['key', word]);
    expect(await Promise.all(asked.map((word) => run(['key'], [word])))).toEqual(said);
  }
});

test('a script that an earlier connection loaded is not sent again', async () => {
  const url = await luaFiles({ 'known.lua': 'return ARGV[1]' });
  const redis = await startKillableRedis();
  for (const word of ['first', 'second']) {
    const connection = new Redis(redis.url, { enableAutoPipelining: true });
    onTestFinished(() => connection.disconnect());
    const run = makeLuaScript(connection, url('known.lua'));
    expect(await Promise.all([run(['key'], [word]), run(['key'], [word])])).toEqual([word, word]);
  }
  expect(await redis.admin.info('commandstats')).toMatch(/^cmdstat_eval:calls=1,/m);
});

test('an error of a script is thrown, and the script runs the next time', async () => {
  const url = await luaFiles({ 'strict.lua': 'return ARGV[1] == "good" and "done" or redis.error_reply("ERR bad")' });
  const connection = new Redis({ ...redisPlace(), enableAutoPipelining: true });
  onTestFinished(() => connection.disconnect());
  const run = makeLuaScript(connection, url('strict.lua'));
  await expect(run(['key'], ['bad'])).rejects.toThrow('ERR bad');
  await expect(run(['key'], ['bad'])).rejects.toThrow('ERR bad');
  expect(await run(['key'], ['good'])).toBe('done');
});

test('a missing included file is an error at once', async () => {
  const url = await luaFiles({ 'outer.lua': '-- @include missing\nreturn 1' });
  expect(() => readLua(url('outer.lua'))).toThrow(/ENOENT.*missing\.lua/);
});

// One script serves many items there: its one key is the account, and items.lua reads the arguments of each item.
const OF_MANY_ITEMS = new Set(['items', 'portfolio-of', 'rare-moves', 'release', 'schema', 'settle']);

test('scripts of the ledger read their keys and arguments by name', () => {
  const reading = scriptsIn('src/ledger/lua').filter(({ text }) => /^(?!--).*\b(KEYS|ARGV)\b(?!')/m.test(text));
  expect(reading.map(({ name }) => name).filter((name) => !OF_MANY_ITEMS.has(name))).toEqual([]);
});

test.each([...scriptsIn('src'), ...scriptsIn('jobs')])('$name is valid Lua for Redis', async ({ url }) => {
  expect(await connectRedis().script('LOAD', readLua(url))).toMatch(/^[0-9a-f]{40}$/);
});

test('a file may contain several scripts, which include others of the same or another file', async () => {
  const url = await luaFiles({
    'several.lua': [
      '-- Two scripts.',
      '-- @script first',
      'local function one() return 1 end',
      '-- @script second',
      '-- @args word',
      '-- @include #first',
      '-- @include other#two',
      'return { one(), two(), word }',
    ].join('\n'),
    'other.lua': '-- @script two\n-- @include several#first\nlocal function two() return one() + 1 end',
  });
  const run = makeLuaScript(connectRedis(), new URL('#second', url('several.lua')));
  expect(await run({}, { word: 'said' })).toEqual([1, 2, 'said']);
  expect(() => readLua(new URL('#third', url('several.lua')))).toThrow(/several\.lua has no script third/);
});
