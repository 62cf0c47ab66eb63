import { createHash } from 'node:crypto';
import { join } from 'node:path';

/**
 * The folder in which the last link of one trail is remembered: `audit/<prefix>` of the data folder for the trail in our own
 * Redis, and `audit/<prefix>-<digest of its address>` for one in a Redis that was given, since a data folder may be used with
 * several, and none of their trails continues another.
 */
export function trailFolder({
  dataDir,
  prefix,
  redisUrl,
}: {
  dataDir: string;
  prefix: string;
  /** As it is shown, without user and password; nothing for our own. */
  redisUrl: string | undefined;
}): string {
  const digest = redisUrl === undefined ? '' : `-${createHash('sha256').update(redisUrl).digest('hex').slice(0, 12)}`;
  return join(dataDir, 'audit', `${prefix}${digest}`);
}
