import { createHash } from 'node:crypto';
import { join } from 'node:path';

/**
 * The folder for one kind of a ledger's files: `reports/api.example.com-3fa9c1`. Several accounts, prefixes and Redis
 * servers may share a data folder, with equal portfolio names and equal times of their nights.
 *
 * @param of a text that only this ledger has, such as a key of it
 */
export function accountFolder(given: {
  dataDir: string;
  kind: 'reports' | 'results';
  account: string;
  of: string;
}): string {
  const { dataDir, kind, account, of } = given;
  const digest = createHash('sha256').update(of).digest('hex').slice(0, 6);
  return join(dataDir, kind, `${safeFolderName(account.replace(/^https?:\/\//, ''))}-${digest}`);
}

/** Most characters of a folder's name. Even with a digest after it, a cut name stays far below the 255 bytes that file systems allow. */
const MOST_CHARACTERS = 60;

/** A name that is valid as a folder on every system, also Windows, and never leads out of its parent. */
export function safeFolderName(name: string): string {
  return name
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[.-]+|[.-]+$/g, '')
    .slice(0, MOST_CHARACTERS);
}

/**
 * The folder for the last link of a chain: `<chains>/<prefix>` in the data folder for Limitline's own Redis, and `<chains>/<prefix>-<digest
 * of its address>` for another. Several Redis servers may share a data folder, and their chains are independent.
 */
export function linkFolder(given: {
  dataDir: string;
  chains: 'audit' | 'marks';
  prefix: string;
  /** The address without user and password; undefined for Limitline's own Redis. */
  redisUrl: string | undefined;
}): string {
  const { dataDir, chains, prefix, redisUrl } = given;
  const digest = redisUrl === undefined ? '' : `-${createHash('sha256').update(redisUrl).digest('hex').slice(0, 12)}`;
  return join(dataDir, chains, `${prefix}${digest}`);
}
