import type { QueueName } from '../../../queue/queues.ts';

/** What a queue is for, to those who know rows and steps. */
export const QUEUE_WORDS: Readonly<Record<QueueName, { step: string; does: string }>> = {
  companies: { step: 'Company', does: 'the buyer becomes a company at the service' },
  documents: { step: 'Documents', does: 'its documents are uploaded' },
  'buyer-limits': { step: 'Limit', does: 'the limit is requested' },
};
