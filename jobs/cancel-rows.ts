import { z } from 'zod';
import { OPEN_STATES, type Rows } from '../src/ledger/rows.ts';
import { walkRows } from './walk-rows.ts';

const payloadSchema = z.object({ portfolio: z.string() });

export type CancelPayload = z.output<typeof payloadSchema>;

/**
 * Gives up the rows of a portfolio whose limit has not been sent. What is in flight is answered and written down; a
 * cancelled row's job ends by itself, and importing the row's line again brings it back.
 */
export const cancelRows = {
  name: 'cancel-rows',
  parse: (data: unknown): CancelPayload => payloadSchema.parse(data),

  /** Answers how many rows were given up. */
  async run({ portfolio }: CancelPayload, { rows }: { rows: Rows }): Promise<number> {
    let cancelled = 0;
    for (const state of OPEN_STATES) cancelled += await walkRows(rows, portfolio, state, ({ row }) => rows.cancel(row));
    return cancelled;
  },
} as const;
