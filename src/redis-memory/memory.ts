import { makeLuaScript, type RedisConnection } from '../lua-script.ts';

/** What Redis holds, and the most that it may: in bytes. */
export type Memory = { usedBytes: number; mostBytes: number };

/** From this share of the memory on nothing new is sent or brought in. src/ledger/lua/nearly-full.lua has the same number. */
const NEARLY = 0.95;

/** Reads the memory of Redis; undefined where it has no limit, does not say it, or is a cluster, of which some node would answer. */
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

/** Redis is nearly full: what that means, and what to do, in two sentences. */
export function nearlyFullWords(memory?: Memory): string {
  const used = memory ? ` (${megabytes(memory.usedBytes)} of ${megabytes(memory.mostBytes)} MB)` : '';
  return `${NEARLY_FULL}${used}, so nothing new is sent or imported, and what is under way is finished. Raise its maxmemory, or archive what is finished: npx limitline archive NAME. Work then goes on by itself.`;
}

/** Whether Redis refuses what needs memory: itself, in a script, or as what a transaction failed with. */
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
 * Runs one command that writes a little, also while the memory of Redis is full: for what people need then to sign in, to look and to make
 * room. Answers what Redis answers.
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
