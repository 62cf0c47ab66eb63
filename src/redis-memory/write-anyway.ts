import { makeLuaScript, type RedisConnection } from '../lua-script.ts';

/**
 * Runs one command that writes a little, also while the memory of Redis is full: for what somebody needs then to come in, to look and to
 * make room. Answers what Redis answers.
 */
export async function writeAnyway(
  connection: RedisConnection,
  command: string,
  key: string,
  ...words: (string | number)[]
): Promise<unknown> {
  const script = makeLuaScript(connection, new URL('./write-anyway.lua', import.meta.url));
  return script([key], [command, ...words]);
}
