import { failedRows } from '../../jobs/operators/failed-rows.ts';
import { retryRow } from '../../jobs/operators/retry-row.ts';
import { STEP_JOBS } from '../../jobs/rows/feed.ts';
import { failureReason } from '../../jobs/steps/row-problem.ts';
import type { BoardFunctions } from '../../src/console/board/board-queue.ts';
import type { QueuesPageFunctions } from '../../src/console/pages/queues/queues-routes.ts';
import type { Context } from '../../src/context.ts';
import { makeRowTotals } from '../../src/ledger/counts/sums.ts';
import { type RowId, rowIdOf, rowName } from '../../src/ledger/schema/schema.ts';
import { onceAtATime } from '../../src/once-at-a-time.ts';
import { makeSampleReader } from '../../src/pace/samples.ts';

/** The most portfolios with failed rows that are listed and searched. */
const MOST_FAILING = 50;

export function queuesPageFunctions(context: Context): QueuesPageFunctions {
  const { queues, rows, portfolios, failing: findFailing, ledger: connection, keys } = context;
  const readSamples = makeSampleReader(context.paceSamples);
  const totalsOf = makeRowTotals({ connection, keys });
  // Shared, because a page asks twice and several pages may ask together: ten thousand portfolios cost Redis some 20 ms.
  const failing = onceAtATime(() => findFailing(MOST_FAILING));
  return {
    async look() {
      const [found, samples, { toSend }] = await Promise.all([queues.counts(), readSamples(), totalsOf()]);
      return { queues: found, samples, toSend, nowMs: Date.now() };
    },
    hasBoard: context.settings.QUEUE_BOARD === 'on',
    failing,
    failed: (search, count) => failedRows(search, { count }, { rows, failing }),
    causes: (name) => portfolios.causes(name),
    async retry(row, by, seenMs) {
      const [found] = seenMs !== undefined && isRowId(row) ? await rows.read([row]) : [];
      return found && found.state === 'refused' && !Object.is(found.sinceMs, seenMs)
        ? { is: 'changed' }
        : retryOf(context)(row, by);
    },
    pause: queues.pauseQueue,
    resume: queues.resumeQueue,
  };
}

/** The functions of BullMQ's board: the queues, and the ledger's view of their jobs' rows. */
export function boardFunctions(context: Context): BoardFunctions {
  const { queues, rows, log, settings } = context;
  return {
    isOn: settings.QUEUE_BOARD === 'on',
    queues,
    async row(row) {
      const [found] = isRowId(row) ? await rows.read([row]) : [];
      if (!found) return undefined;
      const { state, step, sinceMs } = found;
      const { queue, name } = STEP_JOBS[step];
      const reason = state === 'refused' || state === 'held' ? failureReason(state, found, row.portfolio) : undefined;
      return { queue, job: name, state, reason, sinceMs };
    },
    retry: retryOf(context),
    onFault: (error) => log.error({ err: error }, 'the board could not answer a request'),
  };
}

function retryOf(context: Context) {
  return async (row: RowId, by: string) => (isRowId(row) ? retryRow(row, by, context) : { is: 'unknown' as const });
}

/** Whether input from outside is a valid row id. Unchecked input must not become part of a key. */
const isRowId = (row: RowId): boolean => rowIdOf(rowName(row)) !== undefined;
