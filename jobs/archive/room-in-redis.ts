import { LimitlineError } from '../../src/errors.ts';
import type { RedisConnection } from '../../src/lua-script.ts';
import { REST, ROWS } from './archive-files.ts';
import type { ArchiveManifest } from './manifest.ts';

/** What Redis needs for each byte of the lines that come back: 2.6 were measured, of rows with all indexes. */
const OF_EACH_BYTE = 3;

/**
 * Where Redis has a limit to its memory and the rows would not fit below it, nothing is begun: with its memory full Redis takes no claim
 * of any portfolio, and a portfolio that is half back could not even leave again.
 *
 * On a cluster it is not known which node is asked, so nothing is compared.
 *
 * @throws LimitlineError `USAGE`
 */
export async function mustHaveRoom(ledger: RedisConnection, { portfolio, files }: ArchiveManifest): Promise<void> {
  if ('nodes' in ledger) return;
  // Not everybody may ask, and some Redis says nothing of it.
  const info = await ledger.info('memory').catch(() => '');
  const bytesOf = (field: string) => Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  const [mostBytes, usedBytes] = [bytesOf('maxmemory'), bytesOf('used_memory')];
  const lines = files.filter(({ name }) => name === ROWS || name === REST);
  const neededBytes = lines.reduce((sum, { plainBytes }) => sum + plainBytes, 0) * OF_EACH_BYTE;
  if (mostBytes === 0 || usedBytes + neededBytes <= mostBytes) return;
  const words = `Redis has not the room for the rows of ${portfolio}: they need some ${megabytes(neededBytes)} MB, and ${megabytes(mostBytes - usedBytes)} MB of its maxmemory are left. Nothing was put back: give Redis more memory, or archive other portfolios first.`;
  throw new LimitlineError('USAGE', words);
}

function megabytes(bytes: number): string {
  return (Math.max(0, bytes) / 1_048_576).toFixed(1);
}
