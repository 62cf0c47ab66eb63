import { makeLuaScript, type RedisConnection } from '../lua-script.ts';

/** Registers a script of `src/people/lua`. */
export function peopleScript(connection: RedisConnection, name: string) {
  return makeLuaScript(connection, new URL(`./lua/${name}.lua`, import.meta.url));
}
