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

export type StrayJobDeps = {
  rows: Pick<Rows, 'read'>;
  queues: Queues;
  portfolios: Pick<Portfolios, 'names'>;
  archives: Pick<Archives, 'read'>;
};

/** Rows of jobs read at a time. */
const PAGE = 100;

/**
 * A feeder that read a row before it was taken up may add its job once more behind its end. A worker comes by that within seconds and
 * does nothing, so it is no finding until a row has ended for so long.
 */
const JUST_ENDED_MS = 60_000;

/**
 * Removes jobs that nobody needs: of rows that there are not, and those that wait for rows that have ended. Each is looked at, then its
 * row, then both again, so that a row that goes on meanwhile keeps its job; and one that was sent again at the same moment is fed.
 * That jobs of rows that were given up still wait, and that failed ones of archived rows are still kept, is as it should be, and is
 * tidied up without a word.
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

/** A failed job is kept with its row for people to see, whatever that is now; it belongs to nobody where there is no row. */
function needsNone(row: RowResult | undefined, isFailed: boolean): boolean {
  return row === undefined || (!isFailed && SETTLED_STATES.includes(row.state));
}
