import { makeLuaScript, type RedisConnection } from '../lua-script.ts';

/** Registers a script of `src/people/lua`, by its file and its name there. */
export function peopleScript(connection: RedisConnection, file: 'sessions' | 'sign-in' | 'users', name: string) {
  return makeLuaScript(connection, new URL(`./lua/${file}.lua#${name}`, import.meta.url));
}
