import { ROW_STATES, type RowState } from './row.ts';

/**
 * Where a portfolio is on its way out of Redis, or back:
 *
 * - `archiving`: its files are being written; all its rows are still in Redis
 * - `leaving`: its files are there, read back and compared; its rows are being taken out of Redis
 * - `archived`: its rows are in its files alone
 * - `restoring`: its rows are being put back into Redis
 * - `forgetting`: what is known of people is being taken out, of Redis and of the files
 * - `forgotten`: nothing of it comes back
 *
 * From the first to the last of these no script changes the portfolio or its rows: whatever would is answered that it is archived.
 */
export const ARCHIVE_STATES = ['archiving', 'leaving', 'archived', 'restoring', 'forgetting', 'forgotten'] as const;
export type ArchiveStateName = (typeof ARCHIVE_STATES)[number];

/** What stays in Redis of a portfolio whose rows left it: the field `archive` of its hash, as JSON. */
export type ArchiveState = {
  is: ArchiveStateName;
  /** Names this archive among all that there ever were of the portfolio: its folder in the data folder. */
  id: string;
  /** Who asked for it: a user, or `nightly`. */
  by: string;
  /** When it came into this state, in ms. */
  sinceMs: number;
  /** When the portfolio was begun, which is its place among the others, and when it was finished, in ms. */
  startedMs: number;
  finishedMs: number;
  /** Of one that comes back: which process brings it, and which attempt of it. */
  run?: string;
  /** Rows in each state, and the sums of what was requested and granted as decimal texts: what a list shows. */
  states?: Readonly<Record<string, number>>;
  requested?: string;
  granted?: string;
  /** Bytes of the archive's files, and the SHA-256 of its manifest, in hexadecimal. */
  sizeBytes?: number;
  sha256?: string;
};

/** A portfolio whose rows are not in Redis, or just leave it or come back. */
export type ArchivedPortfolio = { name: string } & ArchiveState;

/** Where a portfolio is, in a list. */
export const ARCHIVE_STANDING: Readonly<Record<ArchiveStateName, string>> = {
  archiving: 'being archived',
  leaving: 'being archived',
  archived: 'archived',
  restoring: 'being restored',
  forgetting: 'being forgotten',
  forgotten: 'forgotten',
};

/** The rows that it had, each state by its count, in the order of states; those without rows are left out. */
export function archivedStates({ states = {} }: Pick<ArchivedPortfolio, 'states'>): [RowState, number][] {
  return ROW_STATES.flatMap((state) => ((states[state] ?? 0) > 0 ? [[state, states[state] ?? 0]] : []));
}

/** How many rows it had in all. */
export function archivedRows(archived: Pick<ArchivedPortfolio, 'states'>): number {
  return archivedStates(archived).reduce((sum, [, count]) => sum + count, 0);
}
