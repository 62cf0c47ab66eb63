import type { RowEnd } from '../../jobs/steps/step.ts';
import type { Context } from '../../src/context.ts';
import { messageOf } from '../../src/errors.ts';
import { makeFinished } from '../../src/ledger/rows/finished.ts';
import { GRANTED_STATES, is, ROW_STATES, type RowState, type Step, statesThat } from '../../src/ledger/schema/row.ts';
import type { Log } from '../../src/log.ts';
import { onceAtATime } from '../../src/once-at-a-time.ts';
import type { Service } from '../../src/open-service.ts';
import { describePace } from '../../src/pace/pace-words.ts';
import type { Queues } from '../../src/queue/queues.ts';

const MINUTE_MS = 60_000;

/** The states that are logged: made and failed. */
const ENDS = [...GRANTED_STATES, ...statesThat('isFailed')];

type Counts = Readonly<Partial<Record<RowState, number>>>;

/**
 * Logs once a minute what this process has done and what its calls wait for; nothing while there is no work.
 *
 * @param counts rows that ended in this process so far, by state
 * @param callsSent calls sent by this process so far
 */
export function startSayingMinutes({
  service: { slots, paceNow },
  queues,
  counts,
  callsSent,
  log,
  everyMs = MINUTE_MS,
}: {
  service: Pick<Service, 'paceNow'> & { slots: Pick<Service['slots'], 'inFlight'> };
  queues: Pick<Queues, 'depth'>;
  counts: () => Counts;
  callsSent: () => number;
  log: Log;
  everyMs?: number;
}) {
  let before = { counts: { ...counts() }, calls: callsSent(), atMs: performance.now() };

  const say = async (): Promise<void> => {
    const now = { counts: { ...counts() }, calls: callsSent(), atMs: performance.now() };
    const since = (state: RowState) => (now.counts[state] ?? 0) - (before.counts[state] ?? 0);
    const seconds = (now.atMs - before.atMs) / 1_000;
    const rows = Object.fromEntries(ENDS.map((state) => [state, since(state)]));
    const calls = now.calls - before.calls;
    before = now;
    const [inFlight, waiting] = [slots.inFlight(), await queues.depth()];
    const moved = Object.values(rows).some((count) => count > 0);
    if (!moved && calls === 0 && inFlight === 0 && waiting === 0) return;
    const callsPerS = Math.round((calls / seconds) * 10) / 10;
    const why = describePace(paceNow());
    const ended = Object.entries(rows).flatMap(([state, count]) => (count > 0 ? [`${count} ${state}`] : []));
    const words = [
      `in ${Math.round(seconds)} s: ${ended.join(', ') || 'no row ended'}`,
      `${callsPerS} calls/s, ${inFlight} in flight, ${waiting} jobs waiting`,
      ...(why === '' ? [] : [why]),
    ];
    log.info({ ...rows, calls, callsPerS, inFlight, waiting, ...(why === '' ? {} : { why }) }, words.join('; '));
  };
  // Faults are ignored: the lost connection to Redis is logged by src/redis/connect.ts.
  const timer = setInterval(() => void say().catch(() => {}), everyMs).unref();
  return { stop: (): void => clearInterval(timer) };
}

/** A service whose calls are counted. @param onAccepted called for each call that the service accepted */
export function countCalls(service: Service, onAccepted = () => {}): { service: Service; sent: () => number } {
  let count = 0;
  const counted = <Args extends unknown[], Answer extends { is: string }>(call: (...args: Args) => Promise<Answer>) => {
    return async (...args: Args): Promise<Answer> => {
      count += 1;
      const answer = await call(...args);
      if (ACCEPTED.has(answer.is)) onAccepted();
      return answer;
    };
  };
  const { createCompany, requestLimit, uploadDocument } = service.client;
  const client = {
    ...service.client,
    createCompany: counted(createCompany),
    requestLimit: counted(requestLimit),
    uploadDocument: counted(uploadDocument),
  };
  return { service: { ...service, client }, sent: () => count };
}

/** How often ended rows are logged: often enough for an observer, and seldom enough for an outage in which all rows end alike. */
const SAY_EVERY_MS = 5_000;

/** A group of rows that ended alike, and their number. */
type Kind = { state: RowState; step: Step; status: number | undefined; rows: number };

/**
 * Counts rows that end in this process, and logs every few seconds how many were refused or held, by step and status. An outage
 * may end thousands, so they are not logged one by one.
 */
export function startRowTally({ log, everyMs = SAY_EVERY_MS }: { log: Log; everyMs?: number }) {
  const counts: Partial<Record<RowState, number>> = {};
  let kinds = new Map<string, Kind>();

  const say = (): void => {
    const said = kinds;
    kinds = new Map();
    for (const { state, step, status, rows } of said.values()) {
      const because = status === undefined ? '' : `, status ${status}`;
      log.warn(
        { state, step, ...(status === undefined ? {} : { status }), rows },
        `${rows} ${rows === 1 ? 'row' : 'rows'} ${state} at the step ${step}${because}`,
      );
    }
  };
  const timer = setInterval(say, everyMs).unref();

  return {
    ended({ state, step, problem }: RowEnd): void {
      counts[state] = (counts[state] ?? 0) + 1;
      if (!is('isFailed', state)) return;
      const status = problem?.status ?? heldStatus(problem?.message ?? '');
      const name = `${state} ${step} ${status}`;
      const kind = kinds.get(name) ?? { state, step, status, rows: 0 };
      kinds.set(name, { ...kind, rows: kind.rows + 1 });
    },
    /** Rows that ended in this process so far, by state. */
    counts: (): Readonly<Partial<Record<RowState, number>>> => counts,
    /** Logs the rows that ended since the last log entry, and stops. */
    stop(): void {
      clearInterval(timer);
      say();
    },
  };
}

/** Settings and secret files are read at the start alone, so a process with a wrong one never sends, however right the file is by then. */
const MET_BY_ALL =
  'every row would meet this fault; this process sends nothing until it is mended; start it again after a change of settings or secrets';

/** The interval of one fault's log entries, because each waiting call meets the fault every few seconds. */
const SAY_FAULTS_EVERY_MS = 60_000;

/** The most different faults that are logged in a minute: a quoted response may have its own number each time. */
const MOST_A_MINUTE = 5;

/** How long after a fault a success does not end it: a call that was sent before the fault may be accepted shortly after. */
const OVER_AFTER_MS = 2_000;

/** Logs faults that every row would meet, once a minute each, with the number of calls; and when they are over. */
export function makeSayingFaults(log: Log) {
  const said = new Set<string>();
  let [calls, minuteMs] = [0, Number.NEGATIVE_INFINITY];
  let lastMs: number | undefined;
  return {
    meets({ message: reason }: Error): void {
      calls += 1;
      const nowMs = performance.now();
      lastMs = nowMs;
      if (nowMs - minuteMs >= SAY_FAULTS_EVERY_MS) {
        said.clear();
        minuteMs = nowMs;
      }
      if (said.has(reason) || said.size === MOST_A_MINUTE) return;
      said.add(reason);
      log.error({ reason, calls }, MET_BY_ALL);
      calls = 0;
    },

    /** Called when the service accepts a call of this process. */
    accepted(): void {
      if (lastMs === undefined || performance.now() - lastMs < OVER_AFTER_MS) return;
      lastMs = undefined;
      said.clear();
      log.info({ calls }, 'the fault that every row met is over: this process sends again');
      calls = 0;
    },
  };
}

/** How often finished portfolios are looked for: short for a person who waits, and next to nothing for Redis. */
const LOOK_EVERY_MS = 2_000;

/** Logs when a portfolio is finished, with its counts. One process of the fleet logs it, once each time. */
export async function startSayingFinished(
  context: Pick<Context, 'ledger' | 'keys' | 'portfolios' | 'processId' | 'log'>,
) {
  const { ledger, keys, portfolios, processId, log } = context;
  const [seconds] = await ledger.time();
  const finished = makeFinished({ connection: ledger, keys, processId, sinceMs: Number(seconds) * 1_000 });

  const look = async (): Promise<void> => {
    for (const name of await finished.news()) {
      const { states, statuses, invalid, duplicate } = await portfolios.read(name);
      const there = ROW_STATES.filter((state) => states[state] > 0);
      const words = there.map((state) => `${states[state].toLocaleString('en')} ${state}`).join(', ');
      const counts = Object.fromEntries(there.map((state) => [state, states[state]]));
      log.info(
        { portfolio: name, states: counts, statuses, invalid, duplicate },
        `portfolio ${name} ${states.held > 0 ? 'needs an answer' : 'is finished'}: ${words || 'no rows'}`,
      );
    }
  };
  // Faults are logged at `debug` alone: the lost connection to Redis is logged by src/redis/connect.ts.
  const again = onceAtATime(() =>
    look().catch((error) => log.debug({ reason: messageOf(error) }, 'could not look which portfolios are finished')),
  );
  const timer = setInterval(again, LOOK_EVERY_MS).unref();
  return {
    /** Logs what has finished so far and stops. */
    async stop(): Promise<void> {
      clearInterval(timer);
      if (ledger.status === 'ready') await again().then(again);
    },
  };
}

/** Answers by which the service accepted the call, whatever it decided. */
const ACCEPTED: ReadonlySet<string> = new Set(['made', 'refused', 'not ours']);

/** The status in a held row's problem, as `rowProblemOf` writes it (jobs/steps/row-problem.ts). Ignores the response's body. */
function heldStatus(message: string): number | undefined {
  const status = /(?:, then|was made:) status (\d{3})\b/.exec(message)?.[1];
  return status === undefined ? undefined : Number(status);
}
