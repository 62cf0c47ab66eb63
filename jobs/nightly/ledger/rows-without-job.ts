import type { FoundSink } from '../../../src/ledger/nightly/checks.ts';
import type { Ask } from '../../../src/ledger/nightly/row-walk.ts';
import type { Rows } from '../../../src/ledger/rows/rows.ts';
import { isStep, STEPS } from '../../../src/ledger/schema/row.ts';
import type { RowId } from '../../../src/ledger/schema/schema.ts';
import type { NewJob, Queues } from '../../../src/queue/queues.ts';
import { STEP_JOBS } from '../../rows/step-jobs.ts';
import { foundPages } from '../../rows/walk-rows.ts';
import { rowFacts } from '../row-facts.ts';
import type { StoredRowCheck } from '../walk-ledger.ts';

type JobDeps = { rows: Rows; queues: Queues };

const PAGE = 500;

/**
 * Gives a job to each row in progress that has none. Queued rows get jobs from the feeder; here only remains of their lost jobs
 * are removed.
 *
 * @param wasMended whether a portfolio's indexes were mended: then its rows in progress are listed again
 */
export function makeRowsWithoutJob(
  { rows, queues }: JobDeps,
  { sink, ask, wasMended }: { sink: FoundSink; ask: Ask; wasMended: (portfolio: string) => boolean },
): StoredRowCheck {
  let inProgress: RowId[] = [];
  let waiting: NewJob[] = [];

  /** Checks the job before the row: if the job was handed on meanwhile, the row has changed. */
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
    for (let from = 0; from < without.length; from += PAGE) {
      const page = without.slice(from, from + PAGE);
      const before = await ask(() => rows.read(page));
      for (const [place, row] of page.entries()) await ask(() => restore(row, before[place]?.updatedMs ?? 0));
    }
  }

  return {
    row({ row, field, result }) {
      if (isStep(field('state'))) inProgress.push(row);
      if (field('state') !== 'queued') return undefined;
      waiting.push({ ...STEP_JOBS[result.step], data: row });
      return waiting.length < PAGE ? undefined : sweepWaiting();
    },
    async endPortfolio(portfolio) {
      if (waiting.length > 0) await sweepWaiting();
      await restoreAll(portfolio);
    },
  };
}

const SAYS = 'rows in progress had no job; they have one again';
