import { createHash } from 'node:crypto';
import { join } from 'node:path';

/**
 * The folder of one ledger's files of a kind: `reports/api.example.com-3fa9c1`. A data folder may be used with several accounts,
 * prefixes and Redis servers, whose portfolios bear the same names and whose nights are due at the same moment.
 *
 * @param of what no other ledger is called by, such as a key of it
 */
export function accountFolder({
  dataDir,
  kind,
  account,
  of,
}: {
  dataDir: string;
  kind: 'reports' | 'results';
  account: string;
  of: string;
}): string {
  const digest = createHash('sha256').update(of).digest('hex').slice(0, 6);
  return join(dataDir, kind, `${safeFolderName(account.replace(/^https?:\/\//, ''))}-${digest}`);
}

/** Longer names are cut: file systems take 255 bytes. */
const MOST_CHARACTERS = 60;

/** A name that is a folder on every system, Windows included, and never the way out of one. */
export function safeFolderName(name: string): string {
  return name
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[.-]+|[.-]+$/g, '')
    .slice(0, MOST_CHARACTERS);
}
