import { LimitlineError } from '../../src/errors.ts';

/** Another process archives or restores: it has nothing to do with the portfolio that was meant, and passes. */
export class ArchivesTaken extends LimitlineError {
  constructor(account: string) {
    super(
      'USAGE',
      `Portfolios of account ${account} are being archived or restored by another process: try again when that has ended.`,
    );
  }
}
