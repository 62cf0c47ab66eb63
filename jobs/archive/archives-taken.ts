import { randomBytes } from 'node:crypto';
import { LimitlineError } from '../../src/errors.ts';
import { takeLease } from '../../src/ledger/lease.ts';
import type { ArchiveDeps } from './archive-deps.ts';

/** Another process archives or restores: it has nothing to do with the portfolio that was meant, and passes. */
export class ArchivesTaken extends LimitlineError {
  constructor(account: string) {
    super(
      'USAGE',
      `Portfolios of account ${account} are being archived or restored by another process: try again when that has ended.`,
    );
  }
}

/** Does what no other process of the account may do meanwhile; `work` is told by which name. @throws ArchivesTaken */
export async function withArchives<T>(
  { ledger, keys, processId, account }: Pick<ArchiveDeps, 'account' | 'ledger' | 'keys' | 'processId'>,
  work: (holder: string) => Promise<T>,
): Promise<T> {
  const holder = `${processId} ${randomBytes(6).toString('hex')}`;
  const lease = await takeLease({ connection: ledger, key: keys.archivesTaken, holder });
  if (!lease) throw new ArchivesTaken(account);
  try {
    return await work(holder);
  } finally {
    await lease.release();
  }
}
