import type { DocumentStore } from '../../src/documents/store.ts';
import type { MeaningStore } from '../../src/ledger/counts/meaning-store.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import type { Keys } from '../../src/ledger/schema/keys.ts';
import type { RedisConnection } from '../../src/lua-script.ts';
import type { LongWorkOptions, WorkProgress } from './long-work.ts';

/** The parts of a context that archiving needs. */
export type ArchiveDeps = {
  account: string;
  ledger: RedisConnection;
  keys: Keys;
  /** Unique in the fleet. */
  processId: string;
  portfolios: Portfolios;
  rows: Rows;
  statusMeanings: Pick<MeaningStore, 'read'>;
  imports: DocumentStore;
  settings: { LIMITLINE_DATA: string };
  /** Called with sentences: what a results file lacks, or that the portfolio may still be marked as being archived. */
  say?: (sentence: string) => void;
};

/** The steps of archiving, in order. */
export const ARCHIVE_STEPS = [
  /** From here on, nothing may change the portfolio. */
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
