import type { FoundSink } from '../../../src/ledger/nightly/checks.ts';
import type { Ask } from '../../../src/ledger/nightly/row-walk.ts';
import type { Portfolios } from '../../../src/ledger/portfolios/portfolios.ts';
import type { Rows } from '../../../src/ledger/rows/rows.ts';
import type { Archives } from '../../../src/ledger/schema/archives.ts';
import { isStep, type RowResult, SETTLED_STATES, STEPS } from '../../../src/ledger/schema/row.ts';
import { type RowId, rowName } from '../../../src/ledger/schema/schema.ts';
import type { NewJob, Queues } from '../../../src/queue/queues.ts';
import { STEP_JOBS, supplierJob } from '../../rows/feed.ts';
import { foundPages } from '../../rows/walk-rows.ts';
import { rowFacts, type StoredRowCheck } from '../walk-ledger.ts';

type JobDeps = { rows: Rows; queues: Queues };

const REQUEUED_AT_ONCE = 500;

/**
 * Gives a job to each row in progress that has none. Queued rows get jobs from the feeder; this check only removes the remains of their
 * lost jobs.
 *
 * @param wasMended whether a portfolio's indexes were mended: then its rows in progress are listed again
 */
export function makeRowsWithoutJob(
  { rows, queues }: JobDeps,
  { sink, ask, wasMended }: { sink: FoundSink; ask: Ask; wasMended: (portfolio: string) => boolean },
): StoredRowCheck {
  let inProgress: RowId[] = [];
  let waiting: NewJob[] = [];

  /**
   * Gives a row a new job, if it still has none and has not changed since `before`. If a worker meanwhile handed the row's job on to
   * another queue, the row has changed.
   */
  async function restore(row: RowId, before: number): Promise<void> {
    if (await queues.hasJob(row)) return;
    const [now] = await rows.read([row]);
    if (!now || !isStep(now.state) || now.updatedMs !== before) return;
    if (!(await queues.restore({ ...STEP_JOBS[now.step], data: row }))) return;
    await sink.found({ check: 'no job', says: SAYS, isMended: true, sinceMs: now.updatedMs, ...rowFacts(row, now) });
  }

  async function sweepWaiting(): Promise<void> {
    const known = await ask(() => queues.known(waiting));
    waiting = [];
    for (const { data } of known) await ask(() => queues.sweep(data));
  }

  async function restoreAll(portfolio: string): Promise<void> {
    if (wasMended(portfolio)) {
      for (const state of STEPS) {
        for await (const page of foundPages(rows, portfolio, state)) inProgress.push(...page.map(({ row }) => row));
      }
    }
    const found = inProgress;
    inProgress = [];
    if (found.length === 0) return;
    const alive = (await ask(() => queues.alive())).get(portfolio);
    const without = [...new Map(found.map((row) => [row.key, row])).values()].filter(({ key }) => !alive?.has(key));
    for (let from = 0; from < without.length; from += REQUEUED_AT_ONCE) {
      const page = without.slice(from, from + REQUEUED_AT_ONCE);
      const before = await ask(() => rows.read(page));
      for (const [place, row] of page.entries()) await ask(() => restore(row, before[place]?.updatedMs ?? 0));
    }
  }

  return {
    row({ row, field, result }) {
      if (isStep(field('state'))) inProgress.push(row);
      if (field('state') !== 'queued') return undefined;
      waiting.push({ ...STEP_JOBS[result.step], data: row });
      return waiting.length < REQUEUED_AT_ONCE ? undefined : sweepWaiting();
    },
    async endPortfolio(portfolio) {
      if (waiting.length > 0) await sweepWaiting();
      await restoreAll(portfolio);
    },
  };
}

type StrayJobDeps = {
  rows: Pick<Rows, 'read'>;
  queues: Queues;
  portfolios: Pick<Portfolios, 'names'>;
  archives: Pick<Archives, 'read'>;
};

/** Rows read at a time. */
const PAGE = 100;

/**
 * The age, in ms, from which a job of an ended row is a finding. A feeder that read the row just before it was taken up may add the job
 * again after the row's end. A worker removes such a job within seconds.
 */
const JUST_ENDED_MS = 60_000;

/**
 * Removes jobs without a row, and waiting jobs of ended rows. Reads the job, then its row, then both again, so that a row that moves
 * meanwhile keeps its job. Jobs of cancelled rows and failed jobs of archived rows are normal and removed without a finding.
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
      if (found && Date.now() - found.sinceMs < JUST_ENDED_MS) continue;
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

const SAYS = 'rows in progress had no job; they have one again';

/** Failed jobs are kept for people to see whatever the row's state, but not without a row. Waiting jobs need an open row. */
function needsNone(row: RowResult | undefined, isFailed: boolean): boolean {
  return row === undefined || (!isFailed && SETTLED_STATES.includes(row.state));
}
