import { AsyncLocalStorage } from 'node:async_hooks';
import type { AskedFor } from '../../ledger/approvals/approval-look.ts';
import type { RowState } from '../../ledger/schema/row.ts';
import { STATES } from '../../ledger/schema/schema.ts';
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
  /** Sends a refused row again by our own way, or says why it stays, or for what it waits. `by` is who asks for it. */
  retry: (row: JobData, by: string) => Promise<RowRetried>;
  /** Hears of what went wrong and is nobody's fault who asked. */
  onFault: (error: unknown) => void;
};

/** What a row waits for that somebody wished to send again. */
export function whatWaits({ approval, why = '' }: AskedFor): string {
  return `Sending it again needs another person’s approval, for which it waits now: /approvals/${approval}. Nothing was sent. ${why}`.trimEnd();
}

/** Why a row in this state is not sent again, and what to do. */
export function whyItStays(state: RowState): string {
  const means = STATES[state];
  return 'stays' in means
    ? `${means.stays} Nothing was sent.`
    : 'The row is under way and goes on by itself. Nothing was sent again.';
}

/** Why there is nothing to be sent again under this key. */
export function whyUnknown(key: string): string {
  return key === 'supplier'
    ? 'This is the supplier of a portfolio and no row: import the file again with --supplier to ask for it again. Nothing was sent.'
    : 'The ledger knows no such row. Nothing was sent.';
}

const pressing = new AsyncLocalStorage<string>();

/** Whatever this does is done by this person: the board's own functions are not told whose request they answer. */
export function pressedBy(by: string, act: () => void): void {
  pressing.run(by, act);
}

/** Who presses. @throws TypeError outside of a request of the board: nothing is sent for nobody */
export function whoPresses(): string {
  const by = pressing.getStore();
  if (by === undefined) throw new TypeError('It is not known who asks the board to send a row again.');
  return by;
}
