import { LimitlineError } from '../../src/errors.ts';
import type { RedisConnection } from '../../src/lua-script.ts';
import { megabytes, readMemory } from '../../src/redis-memory/memory.ts';
import { REST, ROWS } from './archive-files.ts';
import type { ArchiveManifest } from './manifest.ts';

/** What Redis needs for each byte of the lines that come back: 2.6 were measured, of rows with all indexes. */
const OF_EACH_BYTE = 3;

/**
 * Where Redis has a limit to its memory and the rows would not fit below it, nothing is begun: with its memory full Redis takes no claim
 * of any portfolio, and a portfolio that is half back could not even leave again.
 *
 * @throws LimitlineError `USAGE`
 */
export async function mustHaveRoom(ledger: RedisConnection, { portfolio, files }: ArchiveManifest): Promise<void> {
  const memory = await readMemory(ledger);
  if (!memory) return;
  const { usedBytes, mostBytes } = memory;
  const lines = files.filter(({ name }) => name === ROWS || name === REST);
  const neededBytes = lines.reduce((sum, { plainBytes }) => sum + plainBytes, 0) * OF_EACH_BYTE;
  if (usedBytes + neededBytes <= mostBytes) return;
  const words = `Redis has not the room for the rows of ${portfolio}: they need some ${megabytes(neededBytes)} MB, and ${megabytes(mostBytes - usedBytes)} MB of its maxmemory are left. Nothing was put back: give Redis more memory, or archive other portfolios first.`;
  throw new LimitlineError('USAGE', words);
}
