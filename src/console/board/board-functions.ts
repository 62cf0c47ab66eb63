import { AsyncLocalStorage } from 'node:async_hooks';
import type { AskedFor } from '../../ledger/approvals/approval-look.ts';
import type { RowState } from '../../ledger/schema/row.ts';
import { STATES } from '../../ledger/schema/schema.ts';
import type { JobData, QueueName, Queues } from '../../queue/queues.ts';

/**
 * A row from which the board makes a job once BullMQ has dropped the row's own. `queue` is the queue of the row's step; for an
 * ended row, the one in which it ended.
 */
export type BoardRow = {
  queue: QueueName;
  /** The job's name for the row's step. */
  job: string;
  state: RowState;
  /** Line and cause of a failed row; nothing about the buyer. */
  reason: string | undefined;
  sinceMs: number;
};

/** The result of retrying one row. */
export type RowRetried =
  | { is: 'again' }
  | { is: 'waits'; asked: AskedFor }
  | { is: 'stays'; state: RowState }
  | { is: 'unknown' };

/** The functions that the board gets. */
export type BoardFunctions = {
  /** Whether there is a board; without it, its addresses do not exist. */
  isOn: boolean;
  queues: Pick<Queues, 'bullmq'>;
  /** Reads a row from the ledger, as the board shows it; undefined where the ledger does not know it. */
  row: (row: JobData) => Promise<BoardRow | undefined>;
  /** Retries a refused row, or says why not, or which approval it waits for. `by` is the person. */
  retry: (row: JobData, by: string) => Promise<RowRetried>;
  /** Called with errors that are not the person's fault. */
  onFault: (error: unknown) => void;
};

/** The message for a retry that waits for approval. */
export function whatWaits({ approval, why = '' }: AskedFor): string {
  return `Sending it again needs another person’s approval, for which it waits now: /approvals/${approval}. Nothing was sent. ${why}`.trimEnd();
}

/** Why a row in this state is not retried, and what to do. */
export function whyItStays(state: RowState): string {
  const means = STATES[state];
  return 'stays' in means
    ? `${means.stays} Nothing was sent.`
    : 'The row is under way and goes on by itself. Nothing was sent again.';
}

/** Why there is no row to retry under this key. */
export function whyUnknown(key: string): string {
  return key === 'supplier'
    ? 'This is the supplier of a portfolio and no row: import the file again with --supplier to ask for it again. Nothing was sent.'
    : 'The ledger knows no such row. Nothing was sent.';
}

const pressing = new AsyncLocalStorage<string>();

/** Runs `act` in the name of this person, since the board's own functions do not get the request. */
export function pressedBy(by: string, act: () => void): void {
  pressing.run(by, act);
}

/** The person who uses the board. @throws TypeError outside a request of the board */
export function whoPresses(): string {
  const by = pressing.getStore();
  if (by === undefined) throw new TypeError('The board does not know which person sends a row again.');
  return by;
}
