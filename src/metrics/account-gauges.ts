import { Gauge, type Registry } from '@prometheus-io/client';
import { CALL_KINDS } from '../call-kind.ts';
import { inTime } from '../in-time.ts';
import type { FleetProcess } from '../ledger/calls/fleet.ts';
import type { RowTotals } from '../ledger/counts/sums.ts';
import type { TaskRuns } from '../ledger/nightly/nightly-runs.ts';
import { ROW_STATES } from '../ledger/schema/row.ts';
import type { PaceState } from '../pace/pace-words.ts';
import { BLOCK_REASONS, blockedNow } from './process-metrics.ts';

/** The exported figures of one queue. */
type QueueFigures = {
  name: string;
  waiting: number;
  active: number;
  delayed: number;
  failed: number;
  oldestMs: number | undefined;
  isPaused: boolean;
};

/** Figures of an account that all its processes share in Redis, and what this process sees of the folders. */
export type AccountPicture = {
  totals: RowTotals;
  /** How many portfolios were archived or forgotten; `totals` does not contain their rows. */
  archived: number;
  queues: readonly QueueFigures[];
  /** The account's pace; undefined before its first call. */
  pace: PaceState | undefined;
  /** Whether Redis is older than what was sent: its data was restored from a copy that lacks later calls. */
  isOlder: boolean;
  /** How many worker processes sent a heartbeat within the last seconds. */
  workers: number;
  processes: readonly Pick<FleetProcess, 'role' | 'version' | 'state'>[];
  /** How many notices wait, by channel, and how many were delivered and not delivered in all. */
  notices: { waiting: Readonly<Record<string, number>>; delivered: number; undelivered: number };
  tasks: Readonly<Record<string, TaskRuns>>;
  /** The memory of that Redis server which is fullest; undefined if unknown. */
  memory: { usedBytes: number; mostBytes: number } | undefined;
  /** The free and all bytes of the data folder's disk; undefined if unknown. */
  disk: { freeBytes: number; totalBytes: number } | undefined;
  /** How many files in the drop folder wait, and how many were rejected; undefined without a drop folder, and if it cannot be read. */
  inbox: { waiting: number; rejected: number } | undefined;
};

/** How long the account's figures are kept after they were read, in ms. Several scrapers, and people who look at pages, share one reading. */
const KEPT_MS = 5_000;

/**
 * Time limit for reading the account's figures, in ms. A scraper usually gives up after ten seconds, and must learn before that Redis is
 * away.
 */
const LIMIT_MS = 3_000;

/**
 * Gauges of the account: rows, queues, pace, workers, notices, nightly tasks, space. Every process exports the same, so a dashboard takes the
 * maximum of a label and not the sum.
 *
 * @returns a function that refreshes the gauges if that is due, to be called before they are read; it never rejects
 */
export function makeAccountGauges(
  registry: Registry,
  { account, look }: { account: string; look: () => Promise<AccountPicture> },
): () => Promise<void> {
  const gauge = (name: string, help: string) =>
    new Gauge({ name: `limitline_${name}`, help, labelNames: ['account', ...LABELS], registers: [registry] });
  const redisUp = gauge('redis_up', '1 where Redis answers this process within three seconds, else 0.');
  const gauges = Object.entries(HELP).map(([name, help]) => ({ name: name as FigureName, made: gauge(name, help) }));
  const kept = makeKept(() => inTime(look(), LIMIT_MS, noAnswer), KEPT_MS);
  return async () => {
    const picture = await kept().catch(() => undefined);
    redisUp.set({ account }, picture ? 1 : 0);
    const figures = picture && figuresOf(picture);
    for (const { name, made } of gauges) {
      // The values of the last reading are removed: without Redis they may no longer be true.
      made.reset();
      const found = figures?.[name];
      if (typeof found === 'number') made.set({ account }, found);
      else for (const [value, labels] of found ?? []) made.set({ account, ...labels }, value);
    }
  };
}

function noAnswer(): never {
  throw new Error(`no answer within ${LIMIT_MS} ms`);
}

/**
 * Makes a function that answers the last result of `look`, or calls it again if that is older than `keptMs`; once, however many callers
 * wait. Errors are not kept.
 */
function makeKept<Found>(look: () => Promise<Found>, keptMs: number): () => Promise<Found> {
  let kept: { found: Promise<Found>; atMs: number } | undefined;
  return () => {
    if (kept && performance.now() - kept.atMs < keptMs) return kept.found;
    const looking = { found: look(), atMs: performance.now() };
    looking.found.catch(() => {
      if (kept === looking) kept = undefined;
    });
    kept = looking;
    return looking.found;
  };
}

/** The names of all labels of the gauges, besides that of the account; each gauge has some of them. */
const LABELS = ['state', 'queue', 'reason', 'kind', 'way', 'how', 'task', 'role', 'version'] as const;

type FigureName = keyof typeof HELP;

/** The value of a figure, or one value for each set of labels; none if unknown. */
type Samples = number | undefined | readonly (readonly [value: number, labels: Readonly<Record<string, string>>])[];

const HELP = {
  rows: 'Rows of all portfolios of the account, by state.',
  rows_to_send: 'Rows that wait to be sent or are under way, in portfolios that are not paused.',
  portfolios: 'Portfolios of the account.',
  portfolios_open: 'Portfolios that are being imported or sent, or wait for approval. Held rows alone do not count.',
  portfolios_paused: 'Portfolios that stand still until somebody resumes them.',
  portfolios_archived: 'Portfolios that are archived or forgotten. The other counts of portfolios leave them out.',
  workers: 'Worker processes that gave a sign of life within the last six seconds.',
  processes: 'Processes that run, by what they do, their version, and whether a worker takes up rows.',
  queue_jobs: 'Jobs in a queue, by state; failed ones are kept up to ten thousand a queue.',
  queue_paused: '1 where a person has paused the queue, else 0.',
  queue_oldest_seconds: 'How long ago the job was added that is taken up next.',
  pace_rate_per_second: 'Calls a second that may leave, all processes together.',
  pace_flow_per_second: 'Calls a second that the service accepted lately.',
  pace_limit_per_second: "The service's rate limit, as its answers told it; absent until it is known.",
  pace_limiting: '1 where the pace is what limits the calls, else 0.',
  blocked: '1 while all calls are stopped for a time, by reason.',
  door_shut: '1 while calls of this kind are stopped, because the outcomes of the last ones are unknown.',
  notices_waiting: 'Notices that are not delivered yet, by channel.',
  notices_ended: 'Notices that were delivered or given up, on all channels, since the ledger began.',
  on_duty: 'Processes that run the nightly tasks.',
  task_success_timestamp_seconds:
    'When a task of the night came to its end last, with findings or without; 0 for never.',
  task_failure_timestamp_seconds: 'When a task of the night failed last; 0 for never.',
  inbox_files: 'Files of buyers that wait in the drop folder, and that were rejected and lie there still.',
  redis_memory_used_bytes: 'Memory that Redis uses; of several servers, of the one that is fullest.',
  redis_memory_max_bytes: 'Memory that the fullest Redis server may use: its maxmemory, or all that its machine has.',
  data_free_bytes: 'Free room on the disk of the data folder.',
  data_size_bytes: 'Size of the disk of the data folder.',
} as const;

function figuresOf(picture: AccountPicture): Record<FigureName, Samples> {
  const { totals, processes, queues, pace, notices, tasks, memory, disk } = picture;
  const inbox: Readonly<Record<string, number>> = picture.inbox ?? {};
  const waits = new Set<string>(pace && blockedNow(pace));
  if (picture.isOlder) waits.add('older');
  const ends = (which: 'lastWell' | 'lastFailed') =>
    Object.entries(tasks).map(([task, runs]) => [(runs[which]?.endedMs ?? 0) / 1_000, { task }] as const);
  const now = Date.now();
  return {
    rows: ROW_STATES.map((state) => [totals.rows[state], { state }]),
    rows_to_send: totals.toSend,
    portfolios: totals.portfolios,
    portfolios_open: totals.open,
    portfolios_paused: totals.paused,
    portfolios_archived: picture.archived,
    workers: picture.workers,
    processes: countAlike(processes),
    queue_jobs: queues.flatMap(({ name: queue, waiting, active, delayed, failed }) =>
      Object.entries({ waiting, active, delayed, failed }).map(([state, jobs]) => [jobs, { queue, state }] as const),
    ),
    queue_paused: queues.map(({ name: queue, isPaused }) => [Number(isPaused), { queue }]),
    queue_oldest_seconds: queues.map(({ name: queue, oldestMs = now }) => {
      return [Math.max(0, now - oldestMs) / 1_000, { queue }];
    }),
    pace_rate_per_second: pace?.ratePerS,
    pace_flow_per_second: pace?.flowPerS,
    pace_limit_per_second: pace?.phase === 'start' ? undefined : pace?.ratePerS,
    pace_limiting: pace && Number(pace.isLimiting),
    blocked: BLOCK_REASONS.map((reason) => [Number(waits.has(reason)), { reason }]),
    door_shut: CALL_KINDS.map((kind) => [pace?.tripped?.some((one) => one.kind === kind) ? 1 : 0, { kind }]),
    notices_waiting: Object.entries(notices.waiting).map(([way, waiting]) => [waiting, { way }]),
    notices_ended: (['delivered', 'undelivered'] as const).map((how) => [notices[how], { how }]),
    on_duty: processes.filter(({ role }) => role === 'nightly').length,
    task_success_timestamp_seconds: ends('lastWell'),
    task_failure_timestamp_seconds: ends('lastFailed'),
    inbox_files: Object.entries(inbox).map(([state, files]) => [files, { state }]),
    redis_memory_used_bytes: memory?.usedBytes,
    redis_memory_max_bytes: memory?.mostBytes,
    data_free_bytes: disk?.freeBytes,
    data_size_bytes: disk?.totalBytes,
  };
}

/** Counts processes by role, version and state. */
function countAlike(processes: AccountPicture['processes']): Samples {
  const alike = Object.groupBy(processes, ({ role, version, state }) => `${role}\n${version}\n${state}`);
  return Object.entries(alike).map(([text, of = []]) => {
    const [role = '', version = '', state = ''] = text.split('\n');
    return [of.length, { role, version, state }];
  });
}
