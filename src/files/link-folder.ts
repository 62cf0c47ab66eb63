import { createHash } from 'node:crypto';
import { join } from 'node:path';

/**
 * The folder for the last link of a chain: `<chains>/<prefix>` in the data folder for Limitline's own Redis, and
 * `<chains>/<prefix>-<digest of its address>` for another. Several Redis servers may share a data folder, and their
 * chains are independent.
 */
export function linkFolder({
  dataDir,
  chains,
  prefix,
  redisUrl,
}: {
  dataDir: string;
  chains: 'audit' | 'marks';
  prefix: string;
  /** The address without user and password; undefined for Limitline's own Redis. */
  redisUrl: string | undefined;
}): string {
  const digest = redisUrl === undefined ? '' : `-${createHash('sha256').update(redisUrl).digest('hex').slice(0, 12)}`;
  return join(dataDir, chains, `${prefix}${digest}`);
}
