import { z } from 'zod';
import type { Step } from '../../src/ledger/schema/row.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import type { NewJob, QueueName } from '../../src/queue/queues.ts';

/** The queue and the job name of each step. */
export const STEP_JOBS = {
  company: { queue: 'companies', name: 'create-company' },
  documents: { queue: 'documents', name: 'upload-documents' },
  limit: { queue: 'buyer-limits', name: 'submit-buyer-limit' },
} as const satisfies Record<Step, { queue: QueueName; name: string }>;

/** A supplier's job runs in the companies' queue, before the rows of its portfolio. */
export const SUPPLIER_JOB = { queue: 'companies', name: 'create-supplier' } as const;

/** The job of a portfolio's supplier. `supplier` takes the place of a row's key. */
export function supplierJob(portfolio: string): NewJob {
  return { ...SUPPLIER_JOB, data: { portfolio, key: 'supplier' } };
}

const payloadSchema = z.object({ portfolio: z.string().min(1), key: z.string().min(1) });

/** Parses a job's payload: the row, or the supplier, that the job is for. */
export function parseRowPayload(data: unknown): RowId {
  return payloadSchema.parse(data);
}
