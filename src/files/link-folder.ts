import { createHash } from 'node:crypto';
import { join } from 'node:path';

/**
 * The folder in which the last link of one chain is remembered: `<chains>/<prefix>` of the data folder for that in our own
 * Redis, and `<chains>/<prefix>-<digest of its address>` for one in a Redis that was given, since a data folder may be used with
 * several, and none of their chains continues another.
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
  /** As it is shown, without user and password; nothing for our own. */
  redisUrl: string | undefined;
}): string {
  const digest = redisUrl === undefined ? '' : `-${createHash('sha256').update(redisUrl).digest('hex').slice(0, 12)}`;
  return join(dataDir, chains, `${prefix}${digest}`);
}
