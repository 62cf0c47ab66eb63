import { createHash } from 'node:crypto';
import { join } from 'node:path';

/**
 * The folder of one ledger's reports, and in it one a night: `reports/api.example.com-3fa9c1/2026-11-22T01-30-00.000Z`. A data
 * folder may be used with several accounts and prefixes, whose nights are due at the same moment.
 *
 * @param given.of what no other ledger is called by, such as its key for reports
 */
export function reportFolders({ dataDir, account, of }: { dataDir: string; account: string; of: string }) {
  const digest = createHash('sha256').update(of).digest('hex').slice(0, 6);
  const all = join(dataDir, 'reports', `${safe(account.replace(/^https?:\/\//, ''))}-${digest}`);
  return {
    all,
    ofNight: (id: string): string => join(all, safe(id)),
  };
}

/** Longer names are cut: file systems take 255 bytes. */
const MOST_CHARACTERS = 60;

/** A name that is a folder on every system, Windows included, and never the way out of one. */
function safe(name: string): string {
  return name
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[.-]+|[.-]+$/g, '')
    .slice(0, MOST_CHARACTERS);
}
