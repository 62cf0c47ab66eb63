import { makeLuaScript, type RedisConnection } from '../lua-script.ts';

/** The memory that Redis uses, and the most that it may use, in bytes. */
export type Memory = { usedBytes: number; mostBytes: number };

/** From this share of the memory on nothing new is sent or imported. src/ledger/lua/nearly-full.lua has the same number. */
const NEARLY = 0.95;

/**
 * Reads the memory of Redis. Undefined if it has no limit or does not tell it, and for a cluster, where a node would answer for itself
 * alone.
 */
export async function readMemory(connection: RedisConnection): Promise<Memory | undefined> {
  if ('nodes' in connection) return undefined;
  // A user of Redis may lack the right to ask.
  const info = await connection.info('memory').catch(() => '');
  const bytesOf = (field: string) => Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  const [usedBytes, mostBytes] = [bytesOf('used_memory'), bytesOf('maxmemory')];
  return mostBytes === 0 ? undefined : { usedBytes, mostBytes };
}

export function isNearlyFull({ usedBytes, mostBytes }: Memory): boolean {
  return usedBytes >= NEARLY * mostBytes;
}

/** Two sentences for people: what it means that Redis is nearly full, and what to do. */
export function nearlyFullWords(memory?: Memory): string {
  const used = memory ? ` (${megabytes(memory.usedBytes)} of ${megabytes(memory.mostBytes)} MB)` : '';
  return `${NEARLY_FULL}${used}, so nothing new is sent or imported, and calls under way are finished. Raise the maxmemory of Redis, or archive finished portfolios: npx limitline archive NAME. Work then goes on by itself.`;
}

/**
 * Whether an error says that Redis lacks memory for a command: the error of the command itself, of a script, or one of those of a
 * transaction.
 */
export function isRefusedAsFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const causes = 'previousErrors' in error ? Object.values(error.previousErrors ?? {}) : [];
  return /^(?:ERR Error running script .* -)?OOM/.test(error.message) || causes.some(isRefusedAsFull);
}

export const NEARLY_FULL = 'Redis is nearly full';

/** Megabytes as text, with one decimal. */
export function megabytes(bytes: number): string {
  return (Math.max(0, bytes) / 1_048_576).toFixed(1);
}

/**
 * Runs one command that writes a little, even while the memory of Redis is full, so that people can still sign in, look, and make room.
 * Answers what Redis answers.
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
