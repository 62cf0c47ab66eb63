import { z } from 'zod';
import type { Calls } from '../../src/ledger/calls.ts';
import { OPEN_STATES, ROW_STATES } from '../../src/ledger/rows.ts';
import type { FeedDeps } from '../rows/feed.ts';
import { STEP_JOBS } from '../rows/step-jobs.ts';
import { walkRows } from '../rows/walk-rows.ts';

const payloadSchema = z.object({});

export type ReconcileDeps = FeedDeps & { calls: Calls };

/** Something that was not as it should be, and what was done about it. */
export type Finding = { portfolio: string; finding: string; rows: number };

/**
 * Compares the queues with the ledger, which is the truth: an open row without a job gets one, so that the line goes on
 * even when all that BullMQ knew is gone; and a row that stands in another state than its index says is told.
 */
export const reconcile = {
  name: 'reconcile',
  parse: (data: unknown) => payloadSchema.parse(data ?? {}),

  async run(_payload: z.output<typeof payloadSchema>, deps: ReconcileDeps): Promise<Finding[]> {
    const findings: Finding[] = [];
    for (const { kind, id, again, row } of await deps.calls.madeTwice()) {
      findings.push({
        portfolio: row.split('/')[0] ?? '',
        finding: `a ${kind} was made twice: ${id} and ${again}`,
        rows: 1,
      });
    }
    for (const portfolio of await deps.portfolios.names()) {
      const lost = await restoreJobs(portfolio, deps);
      if (lost > 0)
        findings.push({ portfolio, finding: 'rows in progress had no job; they have one again', rows: lost });
      const astray = await countAstray(portfolio, deps);
      if (astray > 0)
        findings.push({ portfolio, finding: 'rows stand in another state than they are counted in', rows: astray });
    }
    return findings;
  },
} as const;

/**
 * Gives a job to each row in progress that has none. Rows that are still queued are the feeder's: most of them have no
 * job yet and need none, but nothing that is left of a lost one may stand in its way. Answers how many had none.
 */
async function restoreJobs(portfolio: string, { rows, queues }: FeedDeps): Promise<number> {
  let lost = 0;
  for (const state of OPEN_STATES) {
    await walkRows(rows, portfolio, state, async ({ row, result }) => {
      if (state === 'queued') {
        await queues.sweep(row);
        return false;
      }
      if (await queues.restore({ ...STEP_JOBS[result.step], data: row })) lost += 1;
      return false;
    });
  }
  return lost;
}

async function countAstray(portfolio: string, { rows }: FeedDeps): Promise<number> {
  let astray = 0;
  for (const state of ROW_STATES) {
    await walkRows(rows, portfolio, state, async ({ row, result }) => {
      // A row that has just moved on is no longer in the index; only one that still is stands astray.
      if (result.state !== state && (await rows.isIn(row, state))) astray += 1;
      return false;
    });
  }
  return astray;
}
