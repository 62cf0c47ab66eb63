import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Cluster, Redis } from 'ioredis';
import { LimitlineError } from './errors.ts';
import { FORMAT } from './ledger-format.ts';
import { onceEach } from './once-at-a-time.ts';

export type RedisConnection = Redis | Cluster;

type Value = string | number | Buffer;

/** Values by name: "" for a missing one; a list for the name that takes the rest, empty if missing. */
type Named<V> = Readonly<Record<string, V | readonly V[] | undefined>>;

/**
 * Runs a script with keys and arguments, as lists in the script's order, or by name if its head names them: `-- @keys a b …rest` and
 * `-- @args a b …rest`, which become locals of the script. Answers what Redis answers.
 *
 * @throws Error for a name that the script does not have
 */
export type LuaScript = (
  keys: readonly string[] | Named<string>,
  args: readonly Value[] | Named<Value>,
) => Promise<unknown>;

/**
 * Registers the Lua file at `url` with a connection and returns a function that runs it (EVALSHA, and EVAL once if the server does not know
 * it yet). A file may have several scripts, each behind a line `-- @script name`; the URL's hash names the one that is meant. A line
 * `-- @include file`, `file#name` or `#name` is replaced by that file beside it, or by the script of that name. If Redis has another format
 * by now, the script changes nothing and the process ends: see {@link FITS}.
 *
 * Each file is registered once for a connection, however often this is called.
 *
 * If a connection breaks before the reply, a script may run twice: its author makes that harmless, or its caller does.
 */
export function makeLuaScript(connection: RedisConnection, url: URL): LuaScript {
  const known = REGISTERED.get(connection) ?? new Map<string, LuaScript>();
  REGISTERED.set(connection, known);
  const script = known.get(url.href) ?? byName(readLua(url), register(connection, url));
  known.set(url.href, script);
  return script;
}

function byName(lua: string, run: Ordered): LuaScript {
  const [keyNames, argNames] = namesOf(lua);
  return (keys, args) => run(inOrder(keyNames, keys), inOrder(argNames, args));
}

/** The names in `@keys` and in `@args` of a script's head. */
const namesOf = onceEach((lua: string) => [namesIn(lua, 'keys'), namesIn(lua, 'args')] as const);

function namesIn(lua: string, list: 'keys' | 'args'): string[] {
  return new RegExp(`^-- @${list} (.+)$`, 'm').exec(lua)?.[1]?.split(' ') ?? [];
}

function inOrder<V extends Value>(names: readonly string[], given: readonly V[] | Named<V>): readonly (V | string)[] {
  if (isList(given)) return given;
  const known = names.map((name) => name.replace('…', ''));
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`a script has no ${unknown}, only ${known.join(', ')}`);
  return known.flatMap((name, place): readonly (V | string)[] => {
    const value = given[name];
    if (value === undefined) return names[place]?.startsWith('…') ? [] : [''];
    return isList(value) ? value : [value as V];
  });
}

function isList<V>(given: unknown): given is readonly V[] {
  return Array.isArray(given);
}

/** The Lua line that assigns keys or arguments to named locals. */
function localsOf(names: readonly string[], from: 'KEYS' | 'ARGV'): string {
  const single = names.filter((name) => !name.startsWith('…'));
  const rest = names.at(-1)?.startsWith('…') ? names.at(-1)?.slice(1) : undefined;
  const behind = single.length + 1;
  const all = `local ${[...single, ...(rest ? [rest] : [])].join(', ')}`;
  const values = single.map((_name, place) => `${from}[${place + 1}]`);
  if (!rest) return `${all} = ${values.join(', ')}`;
  return `${all} = ${[...values, '{}'].join(', ')}; for at = ${behind}, #${from} do ${rest}[at - ${behind - 1}] = ${from}[at] end`;
}

/** The same as {@link makeLuaScript}, but replies are bytes. */
export function makeLuaBytesScript(connection: RedisConnection, url: URL): LuaScript {
  const lua = scriptText(url);
  const sha = shaOf(lua);
  // ioredis has these methods, but no types for them.
  const { evalshaBuffer, evalBuffer } = connection as unknown as Record<'evalshaBuffer' | 'evalBuffer', RunBytes>;
  return byName(readLua(url), (keys, args) =>
    evalshaBuffer
      .call(connection, sha, keys.length, ...keys, ...args)
      .catch((error: Error) => {
        if (!error.message.startsWith('NOSCRIPT')) throw error;
        return evalBuffer.call(connection, lua, keys.length, ...keys, ...args);
      })
      .catch(endMisfit),
  );
}

type RunBytes = (script: string, keyCount: number, ...rest: Value[]) => Promise<unknown>;

const REGISTERED = new WeakMap<RedisConnection, Map<string, LuaScript>>();

type Ordered = (keys: readonly string[], args: readonly Value[]) => Promise<unknown>;

function register(connection: RedisConnection, url: URL): Ordered {
  const lua = scriptText(url);
  if (connection.options?.enableAutoPipelining === true) {
    const run = runGathered(connection, lua);
    return (keys, args) => run(keys, args).catch(endMisfit);
  }
  const command = `limitline:${url.hash.slice(1) || basename(url.pathname, '.lua')}`;
  connection.defineCommand(command, { lua });
  const run = Reflect.get(connection, command) as (...args: Value[]) => Promise<unknown>;
  return (keys, args) => run.call(connection, keys.length, ...keys, ...args).catch(endMisfit);
}

/**
 * The beginning of each script, which checks the account's format. An account that has portfolios and no format is older than format 5
 * (ledger/calls/accounts.ts). `-- @any-format` in a script leaves the check out.
 */
const FITS = `do
  local tag = string.sub(KEYS[1] or '', 1, string.find(KEYS[1] or '', '}', 1, true) or 0)
  local format = tag ~= '' and redis.call('GET', tag .. ':format')
  if tag ~= '' and format ~= '${FORMAT}' and (format or redis.call('EXISTS', tag .. ':portfolios') == 1) then
    return redis.error_reply('FORMAT ' .. (format or 'before 5'))
  end
end
`;

/** The whole text of a script, as sent to Redis. */
export function scriptText(url: URL): string {
  return wholeOf(readLua(url));
}

const wholeOf = onceEach((lua: string) => `#!lua${flagOf(lua)}\n${lua.includes('-- @any-format') ? '' : FITS}${lua}`);

/** The name by which a server knows a script that it was given. */
const shaOf = onceEach((text: string) => createHash('sha1').update(text).digest('hex'));

/**
 * The flag that says what a script may do while the memory or the disk of Redis is full. Redis reads it from the first line before the script
 * begins, so the script does all or nothing; without a flag some of its commands could fail and later ones not (redis.io, "Lua script flags").
 * Scripts that only read are always allowed. Scripts that write are allowed while memory is full, so that work under way can end, unless
 * they have `-- @brings-in`: those add data, and have to wait for room.
 */
function flagOf(lua: string): string {
  if (lua.includes('-- @brings-in')) return '';
  const writes = [...lua.matchAll(/redis\.p?call\((?:'([A-Z]+)')?/g)].some(
    ([, command]) => !command || !READS.has(command),
  );
  const onlyReads = !writes || lua.includes('-- @only-reads');
  return onlyReads ? ' flags=no-writes' : ' flags=allow-oom';
}

/** Commands that only read; a script with any other command counts as writing. */
const READS: ReadonlySet<string> = new Set(
  'EXISTS GET HEXISTS HGET HGETALL HKEYS HLEN HMGET HSCAN LPOS LRANGE SCAN SCARD SISMEMBER SMEMBERS SMISMEMBER TIME TYPE XINFO XRANGE ZCARD ZINTER ZRANGE ZRANGEBYSCORE ZREVRANGE ZSCORE'.split(
    ' ',
  ),
);

let isEnding = false;

/**
 * Ends the process if Redis has another format by now: another version has taken over, or an old backup was restored. Everything that this
 * process knows may be wrong, so no caller may catch this; a command prints one line and exits with status 1.
 *
 * @throws the given error, or the one that ends the process
 */
export function endMisfit(error: Error): never {
  const found = /^FORMAT (.+)$/.exec(error.message)?.[1];
  if (found === undefined) throw error;
  const message = `What is in Redis is in format ${found} by now, and this Limitline writes format ${FORMAT}: another version has taken over, or an old copy was put back. This process sends and writes nothing any more; start the version that belongs to it.`;
  const misfit = new LimitlineError('STOPPED', message, { cause: error });
  if (!isEnding) {
    isEnding = true;
    setImmediate(() => {
      throw misfit;
    });
  }
  throw misfit;
}

/**
 * Runs a script on a connection that gathers commands into one write. For such a connection ioredis would copy every registered script into
 * each write, and could not run scripts registered later. So no script is registered, and each is asked for by its digest. Most servers know
 * it from an earlier process; one that does not is sent the whole text. Other uses wait for the first, so that the text is sent once.
 */
function runGathered(connection: RedisConnection, lua: string): Ordered {
  const sha = shaOf(lua);
  const runText: Ordered = (keys, args) => connection.eval(lua, keys.length, ...keys, ...args);
  const runKnown: Ordered = (keys, args) =>
    connection.evalsha(sha, keys.length, ...keys, ...args).catch((error: Error) => {
      if (!error.message.startsWith('NOSCRIPT')) throw error;
      return runText(keys, args);
    });
  let isKnown = false;
  let first: Promise<unknown> | undefined;
  return async (keys, args) => {
    if (isKnown) return runKnown(keys, args);
    if (first) {
      await first.catch(() => {});
      return runKnown(keys, args);
    }
    first = runKnown(keys, args);
    return first.finally(() => {
      isKnown = true;
    });
  };
}

/** The text of the Lua file at `url` with its includes, each once. Read once in a process. */
export function readLua(url: URL): string {
  const known = TEXTS.get(url.href);
  if (known !== undefined) return known;
  const included = new Set<string>();
  const read = (at: URL): string =>
    scriptAt(at).replace(/^-- @include ([^\s#]*)(#\S+)?$/gm, (_line, file: string, name = '') => {
      const { href } = new URL(file === '' ? name : `${file}.lua${name}`, at);
      if (included.has(href)) return '';
      included.add(href);
      return read(new URL(href));
    });
  const whole = read(url)
    .replace(/^-- @keys (.+)$/m, (line, names: string) => `${line}\n${localsOf(names.split(' '), 'KEYS')}`)
    .replace(/^-- @args (.+)$/m, (line, names: string) => `${line}\n${localsOf(names.split(' '), 'ARGV')}`);
  TEXTS.set(url.href, whole);
  return whole;
}

/**
 * The text of the file at `url`, or of the script in it that the hash names.
 *
 * @throws Error if the file has no such script
 */
function scriptAt(url: URL): string {
  const text = readFileSync(fileURLToPath(url), 'utf8');
  if (url.hash === '') return text;
  const found = text.split(/^-- @script /m).find((part) => part.startsWith(`${url.hash.slice(1)}\n`));
  if (found === undefined) throw new Error(`${url.pathname} has no script ${url.hash.slice(1)}`);
  return found.slice(url.hash.length);
}

/** Texts by URL: some hundred scripts. */
const TEXTS = new Map<string, string>();
