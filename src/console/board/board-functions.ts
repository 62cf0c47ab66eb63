import type { AskedFor } from '../../ledger/approvals/approval-look.ts';
import type { RowState } from '../../ledger/schema/row.ts';
import type { JobData, QueueName, Queues } from '../../queue/queues.ts';

/** A row as the board shows it where BullMQ has no job of it any more: it is at this queue, or ended there. */
export type BoardRow = {
  queue: QueueName;
  /** The name of the job that the step of the row has. */
  job: string;
  state: RowState;
  /** Line and cause, where it failed; nothing of the buyer. */
  reason: string | undefined;
  updatedMs: number;
};

/** What became of sending one row again. */
export type RowRetried =
  | { is: 'again' }
  | { is: 'waits'; asked: AskedFor }
  | { is: 'stays'; state: RowState }
  | { is: 'unknown' };

/** What the board is handed. */
export type BoardFunctions = {
  queues: Pick<Queues, 'bullmq'>;
  /** The row that the ledger knows by this name. */
  row: (row: JobData) => Promise<BoardRow | undefined>;
  /** Sends a refused row again by our own way, or says why it stays, or for what it waits. `by` is who wishes it. */
  retry: (row: JobData, by: string) => Promise<RowRetried>;
  /** Hears of what went wrong and is nobody's fault who asked. */
  onFault: (error: unknown) => void;
};
