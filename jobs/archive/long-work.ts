import { LimitlineError } from '../../src/errors.ts';
import type { Keys } from '../../src/ledger/schema/keys.ts';
import { underLease } from '../../src/ledger/schema/lease.ts';
import type { RedisConnection } from '../../src/lua-script.ts';

/** How far long work is: rows of this step, of so many. */
export type WorkProgress<Step extends string> = { step: Step; rows: number; total: number };

/** What ends long work before its end, and who hears how far it is. */
export type LongWorkOptions<Step extends string> = {
  signal: AbortSignal;
  /** Hears before each step, and of each page of rows in it; what it waits for is waited for. */
  onProgress?: (progress: WorkProgress<Step>) => void | Promise<void>;
};

/** Reports that a step begins, or how many more rows of it are done, and ends the work where that was asked for. */
export type ReportStep<Step extends string> = (step: Step, rows?: number) => Promise<void>;

/**
 * How long work tells how far it is.
 *
 * @param stopped how it was left, and how it goes on: the words of the `STOPPED` by which a signal ends it
 */
export function makeReportStep<Step extends string>(
  { signal, onProgress }: LongWorkOptions<Step>,
  total: number,
  stopped: string,
): ReportStep<Step> {
  let [last, done] = ['', 0];
  return async (step, rows = 0) => {
    [last, done] = [step, step === last ? done + rows : rows];
    await onProgress?.({ step, rows: done, total });
    mustGoOn(signal, stopped);
  };
}

/** @throws LimitlineError `STOPPED`, in these words, where the signal has come */
export function mustGoOn({ aborted, reason }: AbortSignal, words: string): void {
  if (aborted) throw new LimitlineError('STOPPED', words, { cause: reason });
}

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
export async function withArchives<T extends object>(
  { ledger, keys, processId, account }: { account: string; ledger: RedisConnection; keys: Keys; processId: string },
  work: (holder: string) => Promise<T>,
): Promise<T> {
  const right = { connection: ledger, key: keys.archivesTaken, processId, what: 'the archives' };
  const came = await underLease(right, work);
  if (!came) throw new ArchivesTaken(account);
  return came;
}

/** Whoever comes back to a portfolio of which another has taken a step leaves it alone. */
export function overtakenFault(name: string): LimitlineError {
  return new LimitlineError('USAGE', `${name} is on another way by now: nothing more was done here.`);
}
