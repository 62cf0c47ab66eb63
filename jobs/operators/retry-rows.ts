import { z } from 'zod';
import { LimitlineError } from '../../src/errors.ts';
import type { RowId } from '../../src/ledger/row-id.ts';
import { type FeedDeps, feed } from '../rows/feed.ts';
import { supplierJob } from '../rows/step-jobs.ts';
import { type FoundRow, walkRows } from '../rows/walk-rows.ts';
import { GIVEN_UP } from '../steps/create-supplier.ts';
import { rowAtLine, rowByName } from './row-meant.ts';

const payloadSchema = z.object({
  portfolio: z.string(),
  state: z.enum(['refused', 'cancelled']),
  /** One line, or one row by its key or its whole name. */
  line: z.int().optional(),
  row: z.string().optional(),
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

  /**
   * Answers how many rows go again.
   *
   * @throws LimitlineError `USAGE` where a line's number is that of several such rows
   */
  async run({ portfolio, state, line, row: name, error }: RetryPayload, deps: FeedDeps): Promise<number> {
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
    const isOne = line !== undefined || name !== undefined;
    const moved = isOne ? await visitOne() : await walkRows(deps.rows, portfolio, state, visit);
    await feed(deps);
    return moved;

    async function visitOne(): Promise<number> {
      const found = await (name === undefined
        ? rowAtLine(portfolio, { state, line: line ?? 0 }, deps)
        : rowByName(portfolio, name, deps));
      if (typeof found === 'string')
        throw new LimitlineError('USAGE', name === undefined ? `${found} Name one by --row.` : found);
      return found?.result.state === state && (await visit(found)) ? 1 : 0;
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
