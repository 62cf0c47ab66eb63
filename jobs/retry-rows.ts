import { z } from 'zod';
import type { RowId } from '../src/ledger/row-id.ts';
import { GIVEN_UP } from './create-supplier.ts';
import { type FeedDeps, feed } from './feed.ts';
import { supplierJob } from './step.ts';
import { type FoundRow, rowsOfLine, walkRows } from './walk-rows.ts';

const payloadSchema = z.object({
  portfolio: z.string(),
  state: z.enum(['refused', 'cancelled']),
  line: z.int().optional(),
  /** Text that the problem must contain, in any case. */
  error: z.string().optional(),
});

export type RetryPayload = z.output<typeof payloadSchema>;

/**
 * Sends refused (or cancelled) rows again, from the step that refused them: the steps before it have their ids in the
 * ledger. They go through the queues like any others, so at the line's pace.
 */
export const retryRows = {
  name: 'retry-rows',
  parse: (data: unknown): RetryPayload => payloadSchema.parse(data),

  /** Answers how many rows go again. */
  async run({ portfolio, state, line, error }: RetryPayload, deps: FeedDeps): Promise<number> {
    const wanted = error?.toLowerCase();
    const visit = async ({ row, result }: FoundRow): Promise<boolean> => {
      const problem = `${result.problem?.message ?? ''} ${result.problem?.body ?? ''}`.toLowerCase();
      if (wanted !== undefined && !problem.includes(wanted)) return false;
      return sendAgain(row, state, deps);
    };
    const { supplier } = await deps.portfolios.read(portfolio);
    if (state === 'cancelled' && supplier?.problem === GIVEN_UP) {
      await deps.queues.forget([supplierJob(portfolio).data]);
      await deps.portfolios.reviveSupplier(portfolio, supplier);
    }
    const moved = line === undefined ? await walkRows(deps.rows, portfolio, state, visit) : await visitLine(line);
    await feed(deps);
    return moved;

    async function visitLine(number: number): Promise<number> {
      const found = await rowsOfLine(deps, portfolio, state, number);
      return (await Promise.all(found.map(visit))).filter(Boolean).length;
    }
  },
} as const;

/** Puts a row back to its step. Its ended job goes first: an add with an id that BullMQ still knows is ignored. */
export async function sendAgain(
  row: RowId,
  state: 'refused' | 'cancelled' | 'held',
  deps: FeedDeps,
  meant = true,
): Promise<boolean> {
  await deps.queues.forget([row]);
  return deps.rows.requeue(row, state, meant);
}
