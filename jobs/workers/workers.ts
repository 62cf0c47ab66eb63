import type { Context } from '../../src/context.ts';
import { isLimitlineError, messageOf } from '../../src/errors.ts';
import { startPresence } from '../../src/ledger/calls/fleet.ts';
import type { Log } from '../../src/log.ts';
import { onceAtATime } from '../../src/once-at-a-time.ts';
import type { Service } from '../../src/open-service.ts';
import { describePace } from '../../src/pace/pace-words.ts';
import { type PaceSamples, SAMPLE_EVERY_MS } from '../../src/pace/samples.ts';
import { QUEUES, type Queues } from '../../src/queue/queues.ts';
import { makeRunner, type RunnableJob } from '../../src/queue/runner.ts';
import { JOBS } from '../index.ts';
import { makeFreeing } from '../operators/free-held.ts';
import type { GoDeps } from '../steps/go-on.ts';
import type { RowEnd } from '../steps/step.ts';
import { within } from './deadline.ts';
import { startFeeder } from './feeder.ts';
import { startKeepingResults } from './keeping.ts';
import { startRest } from './rest.ts';

/**
 * Calls in flight get this long to be answered and written down when the process stops; what is still open then is left as
 * claimed. Containers are killed after 30 s: with {@link GOODBYE_MS}, what closing the connections takes where Redis is gone
 * (2 s, src/redis/connections.ts; 1 s more where it is our own and hangs) and a second for the end of the process, it is 25 s
 * at the most.
 */
export const STOP_DEADLINE_MS = 20_000;

/** Redis takes our name off its list at once. Where it does not, we count as vanished some seconds later. */
const GOODBYE_MS = 1_000;

/** The mark of what is sent is no older than this (src/ledger/calls/send-marks.ts). */
const MARK_EVERY_MS = 1_000;

export type Workers = Awaited<ReturnType<typeof startWorkers>>;

/**
 * Starts this process's workers on all queues.
 *
 * @param onCommonFault hears of a fault that every row would meet; all calls wait for its end, and go on by themselves
 * @param onRowEnd hears of each row that ends here
 */
export async function startWorkers(
  context: Context,
  service: Service,
  onCommonFault: (error: Error) => void = () => {},
  onRowEnd?: (end: RowEnd) => void,
) {
  const { log, queues, rows, portfolios, calls } = context;
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
    doors: service.doors,
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
    lookAtDoors: service.doors.look,
    onFault: (error) => log.debug({ reason: messageOf(error) }, 'could not feed'),
  });
  const jobs = runnableJobs(deps);
  const runners = QUEUES.map((queue) =>
    makeRunner({
      connection: context.redis.connect('worker'),
      queue,
      prefix: context.keys.queuePrefix(queue),
      concurrency: rowsInHand(context.settings.SERVICE_CONCURRENCY),
      jobs: jobs.filter((job) => job.queue === queue),
      onDrained: feeder.drained,
      log,
    }),
  );
  const now = () => {
    const inHand = runners.reduce((sum, runner) => sum + runner.inHand(), 0);
    return { state: rest.isQuiet() ? (inHand > 0 ? 'quiet' : 'drained') : 'works', inHand } as const;
  };
  const quiet = async (wish: boolean): Promise<void> => {
    if (wish === rest.isQuiet() || stopping.signal.aborted) return;
    await rest.quiet(wish);
    log.info(now(), wish ? 'quiet: no new row is taken up, and rows in hand are finished' : 'rows are taken up again');
  };
  // Nobody waits for it: what a person is shown of this process keeps no row waiting.
  void context.fleet.join('work', { now, onWish: quiet });
  const sayingPace = startSayingPace({ service, queues, log });
  const samplingPace = startSamplingPace(context.paceSamples);
  const keeping = startKeepingResults(context);
  // Whoever sends nothing just now notices an older Redis too, and tells those that would.
  const marking = setInterval(() => {
    context.marks.look().catch((error) => {
      if (isLimitlineError(error, 'OLDER')) onCommonFault(error);
    });
  }, MARK_EVERY_MS);

  return {
    /** Whether it takes up rows, and how many it has in hand. */
    now,
    /** Takes up no new row from now on and finishes what it has; or takes up rows again. */
    quiet,
    /**
     * Takes up no new row from now on, gives calls in flight {@link STOP_DEADLINE_MS} to be answered and written down,
     * and leaves. Rows that were only waiting go back to their queue.
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
      const allEnded = Promise.all(runners.map((runner) => runner.close(false)));
      if (!(await within(STOP_DEADLINE_MS, allEnded))) {
        const unanswered = service.client.unanswered();
        if (unanswered > 0) log.warn({ unanswered }, 'stopped with calls still unanswered; their rows will be held');
        else log.warn('stopped with unfinished rows, but with no call unanswered; another worker continues them');
      }
      await keeping.stop(STOP_DEADLINE_MS - (performance.now() - beganMs));
      const left = [presence.stop(), context.fleet.leave()];
      // The last calls get a mark behind them.
      const marked = context.marks.look().catch(() => {});
      if (context.ledger.status === 'ready') await within(GOODBYE_MS, Promise.all([...left, marked]));
      await service.client.close();
    },
  };
}

/**
 * Rows that a queue’s worker has in hand for so many calls in flight: nearly as many again are on their way to the ledger and back, and
 * use up no slot meanwhile.
 */
export function rowsInHand(callsInFlight: number): number {
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

/** The log says this often what the pace is. */
const SAY_EVERY_MS = 10_000;

/**
 * Says in the log now and then what holds calls back, as it is at that moment: where anything has left this process, a door
 * is shut or a queue is paused, and only while there is something to do.
 */
export function startSayingPace({
  service: { pace, doors, slots, paceNow },
  queues,
  log,
  everyMs = SAY_EVERY_MS,
}: {
  service: Pick<Service, 'paceNow'> & {
    pace: Pick<Service['pace'], 'state' | 'look'>;
    doors: Pick<Service['doors'], 'shut' | 'look'>;
    slots: Pick<Service['slots'], 'inFlight'>;
  };
  queues: Pick<Queues, 'areIdle'>;
  log: Log;
  everyMs?: number;
}) {
  let said = pace.state();
  const say = async (): Promise<void> => {
    // Calls that wait at shut doors ask for no turn, so the pace stays as it was.
    const isKnown = pace.state() === said && (paceNow().paused ?? []).length === 0;
    if (isKnown && doors.shut().length === 0) return;
    const isIdle = slots.inFlight() === 0 && (await queues.areIdle());
    if (!isIdle) {
      await Promise.all([pace.look(), doors.look()]);
      const words = describePace(paceNow());
      // That credentials are refused is said as a fault (onCommonFault), once a minute.
      const isSaid = pace.state().blocked?.because === 'credentials';
      if (words !== '' && !isSaid)
        log.info({ callsPerS: Math.round(pace.state().flowPerS), inFlight: slots.inFlight() }, words);
    }
    said = pace.state();
  };
  // While Redis is away, that is said by others.
  const timer = setInterval(() => void say().catch(() => {}), everyMs).unref();
  return { stop: (): void => clearInterval(timer) };
}

/** Until an account has its first sample, one is tried for more often: what was accepted before it has no time. */
const FIRST_EVERY_MS = 250;

/**
 * Notes every two seconds how the fleet's pace stands, for charts and for the time left. Each process asks; one of them writes, so
 * that a sample costs Redis some microseconds however many there are.
 */
export function startSamplingPace(samples: Pick<PaceSamples, 'add'>) {
  let [isFirst, isStopped] = [true, false];
  // While Redis is away, that is said by others, and a chart has a gap.
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
