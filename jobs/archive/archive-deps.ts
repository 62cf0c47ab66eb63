import type { DocumentStore } from '../../src/documents/store.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import type { Keys } from '../../src/ledger/schema/keys.ts';
import type { RedisConnection } from '../../src/lua-script.ts';
import type { LongWorkOptions, WorkProgress } from './long-work.ts';

/** What archiving takes from a context. */
export type ArchiveDeps = {
  account: string;
  ledger: RedisConnection;
  keys: Keys;
  /** Names this process among all of the fleet. */
  processId: string;
  portfolios: Portfolios;
  rows: Rows;
  imports: DocumentStore;
  settings: { LIMITLINE_DATA: string };
  /** Is told in a sentence what a file lacks. */
  say?: (sentence: string) => void;
};

/** What is done to a portfolio on its way out of Redis, in this order. */
export const ARCHIVE_STEPS = [
  /** Nothing changes it from here on. */
  'begun',
  'writing',
  /** The files are read back from the disk, and compared with what is in Redis. */
  'comparing',
  /** The files are what is in Redis: the folder gets its name. */
  'naming',
  /** The portfolio becomes one of those that leave. */
  'leaving',
  'taking rows out',
  'taking the rest out',
  'ending',
  /** It is archived; what older archives of it there are goes. */
  'ended',
] as const;
export type ArchiveStep = (typeof ARCHIVE_STEPS)[number];

export type ArchiveProgress = WorkProgress<ArchiveStep>;

/** Who asks for it, and what ends it before its end. */
export type ArchivingOptions = LongWorkOptions<ArchiveStep> & { by: string };
