import { LimitlineError } from '../../src/errors.ts';
import type { Keys } from '../../src/ledger/schema/keys.ts';
import { underLease } from '../../src/ledger/schema/lease.ts';
import type { RedisConnection } from '../../src/lua-script.ts';
import type { ExportDeps } from '../export/export-results.ts';

/** The parts of a context that archiving needs. */
export type ArchiveDeps = Omit<ExportDeps, 'signal'> & {
  ledger: RedisConnection;
  keys: Keys;
  /** The process's own name, which no other process of the account has. */
  processId: string;
  settings: { LIMITLINE_DATA: string };
};

export const ARCHIVE_STEPS = [
  /** The step in which archiving begins. From this step on, nothing may change the portfolio. */
  'begun',
  'writing',
  /** Reads the files back from the disk and compares them with Redis. */
  'comparing',
  /** The files are right: the folder gets its final name. */
  'naming',
  /** The ledger marks the portfolio as leaving. */
  'leaving',
  'taking rows out',
  'taking the rest out',
  'ending',
  /** The portfolio is archived, and its older archives are removed. */
  'ended',
] as const;
export type ArchiveStep = (typeof ARCHIVE_STEPS)[number];

export type ArchiveProgress = WorkProgress<ArchiveStep>;

/** Who asks, and the signal that stops the work. */
export type ArchivingOptions = LongWorkOptions<ArchiveStep> & { by: string };

/** The progress of long work: rows done of `total`, in this step. */
export type WorkProgress<Step extends string> = { step: Step; rows: number; total: number };

/** The signal that stops long work, and the function that is told of its progress. */
export type LongWorkOptions<Step extends string> = {
  signal: AbortSignal;
  /** Called before each step and after each page of rows. The work waits for it. */
  onProgress?: (progress: WorkProgress<Step>) => void | Promise<void>;
};

/** Reports the begin of a step or more rows of it. Throws if the work is to stop. */
export type ReportStep<Step extends string> = (step: Step, rows?: number) => Promise<void>;

/**
 * Makes the function that reports progress.
 *
 * @param stopped the message of `STOPPED`: the state that was left, and how to continue
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

/** @throws LimitlineError `STOPPED` with this message if the signal is aborted */
export function mustGoOn({ aborted, reason }: AbortSignal, words: string): void {
  if (aborted) throw new LimitlineError('STOPPED', words, { cause: reason });
}

/**
 * The error while another process archives or restores a portfolio, perhaps a different one. Trying again helps once that process has
 * ended.
 */
export class ArchivesTaken extends LimitlineError {
  constructor(account: string) {
    super(
      'USAGE',
      `Portfolios of account ${account} are being archived or restored by another process: try again when that has ended.`,
    );
  }
}

/** Runs work that only one process of the account may do at a time; `work` gets the lease's name. @throws ArchivesTaken */
export async function withArchives<T extends object>(
  { ledger, keys, processId, account }: { account: string; ledger: RedisConnection; keys: Keys; processId: string },
  work: (holder: string) => Promise<T>,
): Promise<T> {
  const right = { connection: ledger, key: keys.archivesTaken, processId, what: 'the archives' };
  const came = await underLease(right, work);
  if (!came) throw new ArchivesTaken(account);
  return came;
}

/** The error that ends archiving or restoring when another process has changed the portfolio's archive state. Nothing more is done then. */
export function overtakenFault(name: string): LimitlineError {
  const message = `Another process archives or restores portfolio ${name} by now: nothing more was done here.`;
  return new LimitlineError('USAGE', message);
}
