import type { Context } from '../../src/context.ts';
import { isLimitlineError, messageOf } from '../../src/errors.ts';
import { inTime } from '../../src/in-time.ts';
import { startPresence } from '../../src/ledger/calls/fleet.ts';
import type { Step } from '../../src/ledger/schema/row.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import type { Log } from '../../src/log.ts';
import { onceAtATime } from '../../src/once-at-a-time.ts';
import type { Service } from '../../src/open-service.ts';
import { describePace } from '../../src/pace/pace-words.ts';
import { type PaceSamples, SAMPLE_EVERY_MS } from '../../src/pace/samples.ts';
import { QUEUES, type Queues } from '../../src/queue/queues.ts';
import { makeRunner, type RunnableJob } from '../../src/queue/runner.ts';
import { makeFreeing } from '../operators/free-held.ts';
import { parseRowPayload, STEP_JOBS } from '../rows/feed.ts';
import { type GoDeps, goOn } from '../steps/go-on.ts';
import { startSessions } from '../steps/make-sessions.ts';
import { createSupplier, giveUpRow, type RowEnd } from '../steps/step.ts';
import { startFeeder } from './feeder.ts';
import { startKeepingResults } from './keeping.ts';
import { startRest } from './rest.ts';

/**
 * How long calls in flight may take when the process stops; calls still open then stay claimed. Containers are killed after 30
 * s. The whole stop takes 25 s at most: this, {@link GOODBYE_MS}, 2 s to close connections where Redis is gone
 * (src/redis/connect.ts; 3 s if it is our own and hangs), and a second for the process to end.
 */
export const STOP_DEADLINE_MS = 20_000;

/** How long a stopping process may take to tell the fleet that it leaves. Otherwise, it counts as vanished some seconds later. */
const GOODBYE_MS = 1_000;

/** How often it is checked whether Redis still knows of all sent calls, by the mark of src/ledger/calls/send-marks.ts. */
const MARK_EVERY_MS = 1_000;

export type Workers = Awaited<ReturnType<typeof startWorkers>>;

/**
 * Starts this process's workers on all queues.
 *
 * @param onCommonFault called with a fault that every row would meet; all calls wait until it is over, then go on
 * @param onRowEnd called for each row that ends in this process
 */
export async function startWorkers(
  context: Context,
  service: Service,
  onCommonFault: (error: Error) => void = () => {},
  onRowEnd?: (end: RowEnd) => void,
) {
  const { log, queues, rows, portfolios, calls, statusMeanings } = context;
  const stopping = new AbortController();
  const presence = await startPresence({
    connection: context.ledger,
    keys: context.keys,
    processId: context.processId,
    onDisputes: (disputes) => void context.attempts.answer(disputes, calls.disown),
    log,
  });
  const rest = startRest({
    pace: service.pace,
    runners: () => runners,
    stopping: stopping.signal,
    onFault: (error) => log.debug({ reason: messageOf(error) }, 'could not rest'),
  });
  const deps: GoDeps = {
    rows,
    portfolios,
    queues,
    log,
    onCommonFault,
    restAlone: rest.alone,
    onRowEnd,
    suspects: new Map(),
    freeHeld: makeFreeing({ rows, portfolios, queues, calls, stories: context.stories }),
    atMostOnce: context.atMostOnce,
    service: service.client,
    pace: service.pace,
    breakers: service.breakers,
    slots: service.slots,
    onUnknown: service.onUnknown,
    get stopping() {
      return rest.signal();
    },
    openDocument: context.documents.open,
  };
  const feeder = startFeeder({
    deps: { rows, portfolios, queues, calls, stories: context.stories, approvals: context.approvals },
    paceNow: service.paceNow,
    lookAtBreakers: service.breakers.look,
    onFault: (error) => log.debug({ reason: messageOf(error) }, 'could not feed'),
  });
  const jobs = runnableJobs(deps);
  const runners = QUEUES.map((queue) =>
    makeRunner({
      connection: context.redis.connect('worker'),
      queue,
      prefix: context.keys.queuePrefix(queue),
      concurrency: workerConcurrency(context.settings.SERVICE_CONCURRENCY),
      jobs: jobs.filter((job) => job.queue === queue),
      onDrained: feeder.drained,
      log,
    }),
  );
  const now = () => {
    const inHand = runners.reduce((sum, runner) => sum + runner.active(), 0);
    return { state: rest.isQuiet() ? (inHand > 0 ? 'quiet' : 'drained') : 'works', inHand } as const;
  };
  const quiet = async (shallBeQuiet: boolean): Promise<void> => {
    if (shallBeQuiet === rest.isQuiet() || stopping.signal.aborted) return;
    await rest.quiet(shallBeQuiet);
    log.info(
      now(),
      shallBeQuiet ? 'quiet: no new row is taken up, and rows in hand are finished' : 'rows are taken up again',
    );
  };
  // The fleet's answer is not awaited: reporting this process to people must not delay rows.
  void context.fleet.join('work', { now, onInstruction: quiet });
  const session = service.session;
  const rests = () => rest.isQuiet() || rest.signal().aborted;
  const makingSessions =
    session && startSessions({ ...deps, session, sessions: calls.sessions, statusMeanings, rests });
  const sayingPace = startSayingPace({ service, queues, log });
  const samplingPace = startSamplingPace(context.paceSamples);
  const keeping = startKeepingResults(context);
  // A process that sends nothing also notices that Redis is older than what was sent.
  const marking = setInterval(() => {
    context.marks.look().catch((error) => {
      if (isLimitlineError(error, 'OLDER')) onCommonFault(error);
    });
  }, MARK_EVERY_MS);

  return {
    /** Whether this process takes up rows, and how many it has in hand. */
    now,
    quiet,
    /**
     * Takes up no new row, and gives calls in flight {@link STOP_DEADLINE_MS} to be answered and recorded. Rows that only wait go back to
     * their queue. At last the process takes itself off the list of workers.
     */
    async stop(): Promise<void> {
      const beganMs = performance.now();
      stopping.abort();
      rest.stop();
      feeder.stop();
      sayingPace.stop();
      samplingPace.stop();
      clearInterval(marking);
      await Promise.all(runners.map((runner) => runner.pause()));
      const allEnded = Promise.all([makingSessions?.stop(), ...runners.map((runner) => runner.close(false))]);
      await inTime(allEnded, STOP_DEADLINE_MS, () => {
        const isRedisAway = context.ledger.status !== 'ready';
        sayLate({ unanswered: service.client.unanswered(), inHand: now().inHand, isRedisAway, log });
      });
      await keeping.stop(STOP_DEADLINE_MS - (performance.now() - beganMs));
      const left = [presence.stop(), context.fleet.leave()];
      // After the last calls, a new mark is written to Redis if a call left under the last mark (src/ledger/calls/send-marks.ts).
      const marked = context.marks.look().catch(() => {});
      if (context.ledger.status === 'ready') await inTime(Promise.all([...left, marked]), GOODBYE_MS, () => {});
      await service.client.close();
    },
  };
}

type Late = { unanswered: number; inHand: number; isRedisAway: boolean; log: Log };

/** Says what a worker leaves behind that did not end in time. Without a row in hand only a connection to Redis is late, which matters to nobody. */
export function sayLate({ unanswered, inHand, isRedisAway, log }: Late): void {
  if (unanswered > 0) log.warn({ unanswered }, 'stopped with calls still unanswered; their rows will be held');
  else if (inHand > 0 && isRedisAway)
    log.warn({ inHand }, 'stopped while Redis is away; rows whose answer it could not take any more will be held');
  else if (inHand > 0)
    log.warn('stopped with unfinished rows, but with no call unanswered; another worker continues them');
  else log.debug('stopped while a connection to Redis was still being closed');
}

/** How many rows a queue's worker has in hand. Nearly half of them are reading or writing the ledger and use no slot. */
export function workerConcurrency(callsInFlight: number): number {
  return 2 * callsInFlight - 1;
}

function runnableJobs(deps: GoDeps): (RunnableJob & { queue: string })[] {
  return JOBS.map((job) => ({
    name: job.name,
    queue: job.queue,
    run: (data) => job.run(job.parse(data), deps),
    giveUp: (data, error) => job.giveUp(job.parse(data), error, deps),
  }));
}

/** How often the pace is logged. */
const SAY_EVERY_MS = 10_000;

/** Logs the pace at intervals while there is work: if this process has sent something, a breaker is open or a queue is paused. */
export function startSayingPace({
  service: { pace, breakers, slots, paceNow },
  queues,
  log,
  everyMs = SAY_EVERY_MS,
}: {
  service: Pick<Service, 'paceNow'> & {
    pace: Pick<Service['pace'], 'state' | 'look'>;
    breakers: Pick<Service['breakers'], 'tripped' | 'look'>;
    slots: Pick<Service['slots'], 'inFlight'>;
  };
  queues: Pick<Queues, 'areIdle'>;
  log: Log;
  everyMs?: number;
}) {
  let said = pace.state();
  const say = async (): Promise<void> => {
    // Calls behind tripped breakers ask for no permit, so the pace does not change.
    const isKnown = pace.state() === said && (paceNow().paused ?? []).length === 0;
    if (isKnown && breakers.tripped().length === 0) return;
    const isIdle = slots.inFlight() === 0 && (await queues.areIdle());
    if (!isIdle) {
      await Promise.all([pace.look(), breakers.look()]);
      const words = describePace(paceNow());
      // Refused credentials are reported by onCommonFault, once a minute.
      const isSaid = pace.state().blocked?.because === 'credentials';
      if (words !== '' && !isSaid)
        log.info({ callsPerS: Math.round(pace.state().flowPerS), inFlight: slots.inFlight() }, words);
    }
    said = pace.state();
  };
  // The lost connection to Redis is logged by src/redis/connect.ts.
  const timer = setInterval(() => void say().catch(() => {}), everyMs).unref();
  return { stop: (): void => clearInterval(timer) };
}

/** How often a process tries until the account has its first sample: earlier accepted calls would be missing in charts. */
const FIRST_EVERY_MS = 250;

/**
 * Samples the fleet's pace every two seconds, for charts and for the estimated time left. Each process tries and one writes, so
 * a sample costs Redis microseconds, however large the fleet.
 */
export function startSamplingPace(samples: Pick<PaceSamples, 'add'>) {
  let [isFirst, isStopped] = [true, false];
  // The lost connection to Redis is logged by src/redis/connect.ts; the chart has a gap.
  const sample = onceAtATime(() => samples.add().then(startAnew, () => {}));
  let timer = setInterval(sample, FIRST_EVERY_MS).unref();
  const startAnew = (noted: boolean): void => {
    if (!noted || !isFirst || isStopped) return;
    isFirst = false;
    clearInterval(timer);
    timer = setInterval(sample, SAMPLE_EVERY_MS).unref();
  };
  return {
    stop(): void {
      isStopped = true;
      clearInterval(timer);
    },
  };
}

/** The job of a step. A row whose request does not need a step (it names a company_id, or no documents) never enters that step's queue. */
const jobOf = <S extends Step>(step: S) => ({
  ...STEP_JOBS[step],
  parse: parseRowPayload,
  run: (row: RowId, deps: GoDeps) => goOn(row, step, deps),
  giveUp: (row: RowId, error: unknown, deps: GoDeps) => giveUpRow(row, step, error, deps),
});

/** All jobs, in the order in which a row meets them. Workers run no other jobs. */
const JOBS = [createSupplier, jobOf('company'), jobOf('documents'), jobOf('limit')] as const;
