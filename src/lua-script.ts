import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Cluster, Redis } from 'ioredis';

export type RedisConnection = Redis | Cluster;

/** Runs a script: its keys first, then its arguments, as its head says. Answers what Redis answers. */
export type LuaScript = (keys: readonly string[], args: readonly (string | number)[]) => Promise<unknown>;

/**
 * Registers the Lua file at `url` with a connection and gives a function that runs it (EVALSHA, and EVAL once where
 * the server does not know it yet). A line `-- @include name` is replaced by the file `name.lua` beside it.
 *
 * A script may reach the server twice when a connection breaks before its reply came; whoever writes one makes
 * that harmless, or calls it where a repetition is.
 */
export function makeLuaScript(connection: RedisConnection, url: URL): LuaScript {
  const command = `limitline:${basename(url.pathname, '.lua')}`;
  connection.defineCommand(command, { lua: readLua(url) });
  const run = Reflect.get(connection, command) as (...args: (string | number)[]) => Promise<unknown>;
  return (keys, args) => run.call(connection, keys.length, ...keys, ...args);
}

/** The text of the Lua file at `url`, with what it includes. */
export function readLua(url: URL): string {
  const text = readFileSync(fileURLToPath(url), 'utf8');
  return text.replace(/^-- @include (\S+)$/gm, (_line, name: string) => readLua(new URL(`${name}.lua`, url)));
}
