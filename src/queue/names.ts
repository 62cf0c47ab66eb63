/** The queues of rows, one for each step. */
export const QUEUES = ['companies', 'documents', 'buyer-limits'] as const;
export type QueueName = (typeof QUEUES)[number];

/**
 * The data of a job: its row; everything else is read from the ledger when the job runs. `failed` is the message of a row that failed at
 * this step in an earlier job: then this job fails at its first attempt, and runs when it is retried.
 */
export type JobData = { portfolio: string; key: string; failed?: string };

/** A job's id. `/` is safe in BullMQ's ids; a colon is not, and a bare number would look like one of its own. */
export function jobId({ portfolio, key }: JobData): string {
  return `${portfolio}/${key}`;
}

/** The row in a job's id; a portfolio's name has no `/`. */
export function rowOf(id: string): JobData {
  const end = id.indexOf('/');
  return { portfolio: id.slice(0, end), key: id.slice(end + 1) };
}
