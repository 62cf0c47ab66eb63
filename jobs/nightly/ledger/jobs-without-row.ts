import type { FoundSink } from '../../../src/ledger/nightly/checks.ts';
import type { Ask } from '../../../src/ledger/nightly/row-walk.ts';
import type { Portfolios } from '../../../src/ledger/portfolios/portfolios.ts';
import type { Rows } from '../../../src/ledger/rows/rows.ts';
import type { Archives } from '../../../src/ledger/schema/archives.ts';
import { type RowResult, SETTLED_STATES } from '../../../src/ledger/schema/row.ts';
import { type RowId, rowName } from '../../../src/ledger/schema/schema.ts';
import type { Queues } from '../../../src/queue/queues.ts';
import { supplierJob } from '../../rows/step-jobs.ts';
import { rowFacts } from '../row-facts.ts';

type StrayJobDeps = {
  rows: Pick<Rows, 'read'>;
  queues: Queues;
  portfolios: Pick<Portfolios, 'names'>;
  archives: Pick<Archives, 'read'>;
};

/** Rows read at a time. */
const PAGE = 100;

/**
 * In ms. A feeder that read a row just before it was taken up may add its job again after its end. A worker removes such a job
 * within seconds, so younger ones are no findings.
 */
const JUST_ENDED_MS = 60_000;

/**
 * Removes jobs without a row, and waiting jobs of ended rows. Reads the job, then its row, then both again, so that a row that
 * moves meanwhile keeps its job. Jobs of cancelled rows and failed jobs of archived rows are normal and removed without a
 * finding.
 */
export async function removeStrayJobs(
  { rows, queues, portfolios, archives }: StrayJobDeps,
  { sink, ask, signal }: { sink: FoundSink; ask: Ask; signal: AbortSignal },
): Promise<void> {
  const names = new Set(await portfolios.names());
  const isSuppliers = (row: RowId) => row.key === supplierJob(row.portfolio).data.key && names.has(row.portfolio);

  async function look(page: readonly RowId[], isFailed: boolean): Promise<void> {
    const before = await ask(() => rows.read(page));
    for (const [place, row] of page.entries()) {
      const found = before[place];
      if (!needsNone(found, isFailed)) continue;
      if (found && Date.now() - found.updatedMs < JUST_ENDED_MS) continue;
      const isStillThere = isFailed || (await queues.waits(row));
      const [now] = await rows.read([row]);
      if (!isStillThere || now?.state !== found?.state || now?.updatedMs !== found?.updatedMs) continue;
      await queues.forget([row]);
      if (now?.state === 'cancelled' || (!now && (await archives.read(row.portfolio)))) continue;
      const facts = now ? rowFacts(row, now) : row;
      const says = now
        ? 'jobs waited for rows that had ended; they are removed'
        : 'jobs belonged to no row; they are removed';
      await sink.found({ check: 'no row', says, isMended: true, ...(now ? {} : { detail: rowName(row) }), ...facts });
    }
  }

  for (const isFailed of [false, true]) {
    const jobs = await ask(() => (isFailed ? queues.failedRows() : queues.waiting()));
    for (const [portfolio, keys] of jobs) {
      const found = [...keys].map((key): RowId => ({ portfolio, key })).filter((row) => !isSuppliers(row));
      for (let from = 0; from < found.length; from += PAGE) {
        signal.throwIfAborted();
        await look(found.slice(from, from + PAGE), isFailed);
      }
    }
  }
}

/** Failed jobs are kept for people to see whatever the row's state, but not without a row. Waiting jobs need an open row. */
function needsNone(row: RowResult | undefined, isFailed: boolean): boolean {
  return row === undefined || (!isFailed && SETTLED_STATES.includes(row.state));
}
