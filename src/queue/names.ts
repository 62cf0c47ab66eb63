/** The queues that a row goes along, one a step. */
export const QUEUES = ['companies', 'documents', 'buyer-limits'] as const;
export type QueueName = (typeof QUEUES)[number];

/**
 * What a job carries: whom it is for. Everything else is read from the ledger when the job runs. `failed` says why its row failed at
 * this step already, by the job of an earlier one: then this one fails at its first attempt, and runs when it is sent again.
 */
export type JobData = { portfolio: string; key: string; failed?: string };

/** `/` is safe in BullMQ's ids; a colon is not, and a bare number is taken for one of its own. */
export function jobId({ portfolio, key }: JobData): string {
  return `${portfolio}/${key}`;
}

/** The row that a job's id names; there is no `/` in a portfolio's name. */
export function rowOf(id: string): JobData {
  const end = id.indexOf('/');
  return { portfolio: id.slice(0, end), key: id.slice(end + 1) };
}
