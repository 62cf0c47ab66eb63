import { Gauge, type Registry } from 'prom-client';
import { CALL_KINDS } from '../call-kind.ts';
import type { RowTotals } from '../ledger/counts/row-totals.ts';
import { ROW_STATES } from '../ledger/row.ts';
import type { PaceState } from '../pace/pace-state.ts';
import { BLOCK_REASONS, blockedNow } from './block-reasons.ts';
import { inTime, makeKept } from './kept.ts';

/** One queue, as it is exported. */
type QueueFigures = {
  name: string;
  waiting: number;
  active: number;
  delayed: number;
  failed: number;
  oldestMs: number | undefined;
  isPaused: boolean;
};

/** What all processes of an account have in common, as it stands in Redis. */
export type AccountPicture = {
  totals: RowTotals;
  /** Portfolios that are archived or forgotten, which none of the totals has. */
  archived: number;
  queues: readonly QueueFigures[];
  /** None where no call was made yet. */
  pace: PaceState | undefined;
  /** Worker processes that gave a sign of life lately. */
  workers: number;
  /** Notices that wait, by the way on which they go, and how many came to which end so far. */
  notices: { waiting: Readonly<Record<string, number>>; delivered: number; undelivered: number };
};

/** Several scrapers, and a person who looks besides, cost one look. */
const KEPT_MS = 5_000;

/** A scraper gives up after ten seconds as a rule; that Redis is away is better said than not. */
const LIMIT_MS = 3_000;

/**
 * What is true of the account, whichever process is asked: rows, queues, pace, workers, notices. Every process exports it, so a
 * dashboard takes the greatest of a label and not the sum.
 *
 * @returns a function that looks again where that is due, to be called before the figures are read; it never rejects
 */
export function makeAccountGauges(
  registry: Registry,
  { account, look }: { account: string; look: () => Promise<AccountPicture> },
): () => Promise<void> {
  const gauge = (name: string, help: string, labelNames: readonly string[] = []) => {
    const made = new Gauge({
      name: `limitline_${name}`,
      help,
      labelNames: ['account', ...labelNames],
      registers: [registry],
    });
    return {
      reset: () => made.reset(),
      set: (value: number, labels: Record<string, string> = {}) => made.set({ account, ...labels }, value),
    };
  };
  const redisUp = gauge('redis_up', '1 where Redis answers this process within three seconds, else 0.');
  const gauges = accountGauges(gauge);
  const kept = makeKept(() => inTime(look(), LIMIT_MS), KEPT_MS);
  return async () => {
    const picture = await kept().catch(() => undefined);
    redisUp.set(picture ? 1 : 0);
    // What was true before Redis went away is not known to be true now.
    for (const one of Object.values(gauges)) one.reset();
    if (picture) show(picture, gauges);
  };
}

type MakeGauge = (
  name: string,
  help: string,
  labelNames?: readonly string[],
) => { reset: () => void; set: (value: number, labels?: Record<string, string>) => void };

type AccountGauges = ReturnType<typeof accountGauges>;

function accountGauges(gauge: MakeGauge) {
  return {
    rows: gauge('rows', 'Rows of all portfolios of the account, by state.', ['state']),
    portfolios: gauge('portfolios', 'Portfolios of the account.'),
    open: gauge('portfolios_open', 'Portfolios with something still to be done.'),
    paused: gauge('portfolios_paused', 'Portfolios that stand still until somebody resumes them.'),
    archived: gauge('portfolios_archived', 'Portfolios that are archived or forgotten: none of the others has them.'),
    workers: gauge('workers', 'Worker processes that gave a sign of life within the last six seconds.'),
    jobs: gauge('queue_jobs', 'Jobs in a queue, by state; failed ones are kept up to ten thousand a queue.', [
      'queue',
      'state',
    ]),
    queuePaused: gauge('queue_paused', '1 where a person has paused the queue, else 0.', ['queue']),
    oldest: gauge('queue_oldest_seconds', 'How long ago the job was added that is taken up next.', ['queue']),
    rate: gauge('pace_rate_per_second', 'Calls a second that may leave, all processes together.'),
    flow: gauge('pace_flow_per_second', 'Calls a second that the service accepted lately.'),
    limit: gauge('pace_limit_per_second', 'The limit of the service as it was found; absent until it was met.'),
    isLimiting: gauge('pace_limiting', '1 where the pace is what limits the calls, else 0.'),
    blocked: gauge('blocked', '1 where no call leaves for a while, by reason.', ['reason']),
    noticesWaiting: gauge('notices_waiting', 'Notices that are not delivered yet, by the way on which they go.', [
      'way',
    ]),
    noticesEnded: gauge(
      'notices_ended',
      'Notices that were delivered or given up on a way, since there is this ledger.',
      ['how'],
    ),
    doors: gauge('door_shut', '1 where calls of this kind do not leave since the outcome of the last is unknown.', [
      'kind',
    ]),
  };
}

function show({ totals, archived, queues, pace, workers, notices }: AccountPicture, gauges: AccountGauges): void {
  for (const state of ROW_STATES) gauges.rows.set(totals.rows[state], { state });
  gauges.portfolios.set(totals.portfolios);
  gauges.open.set(totals.open);
  gauges.paused.set(totals.paused);
  gauges.archived.set(archived);
  gauges.workers.set(workers);
  for (const [way, waiting] of Object.entries(notices.waiting)) gauges.noticesWaiting.set(waiting, { way });
  for (const how of ['delivered', 'undelivered'] as const) gauges.noticesEnded.set(notices[how], { how });
  for (const { name, waiting, active, delayed, failed, oldestMs, isPaused } of queues) {
    for (const [state, jobs] of Object.entries({ waiting, active, delayed, failed })) {
      gauges.jobs.set(jobs, { queue: name, state });
    }
    gauges.queuePaused.set(isPaused ? 1 : 0, { queue: name });
    gauges.oldest.set(oldestMs === undefined ? 0 : Math.max(0, Date.now() - oldestMs) / 1_000, { queue: name });
  }
  showPace(pace, gauges);
}

function showPace(pace: PaceState | undefined, gauges: AccountGauges): void {
  const waits = pace && blockedNow(pace);
  for (const reason of BLOCK_REASONS) gauges.blocked.set(waits?.has(reason) ? 1 : 0, { reason });
  for (const kind of CALL_KINDS) gauges.doors.set(pace?.shut?.some((one) => one.kind === kind) ? 1 : 0, { kind });
  if (!pace) return;
  gauges.rate.set(pace.ratePerS);
  gauges.flow.set(pace.flowPerS);
  gauges.isLimiting.set(pace.isLimiting ? 1 : 0);
  if (pace.phase !== 'start') gauges.limit.set(pace.ratePerS);
}
