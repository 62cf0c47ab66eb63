import { setTimeout as sleep } from 'node:timers/promises';
import { feed, makeHealer } from '../jobs/feed.ts';
import { createCompany, createSupplier, submitBuyerLimit, uploadDocuments } from '../jobs/index.ts';
import type { UploadDeps } from '../jobs/upload-documents.ts';
import type { Context, Service } from '../src/context.ts';
import { messageOf } from '../src/errors.ts';
import { startPresence } from '../src/ledger/presence.ts';
import { describePace } from '../src/pace/pace-words.ts';
import { QUEUES } from '../src/queue/queues.ts';
import { makeRunner, type RunnableJob } from '../src/queue/runner.ts';

/** Calls in flight get this long to be answered when the process stops; what is still open then is left as claimed. */
const STOP_DEADLINE_MS = 20_000;

/** How often a worker looks whether the ledger has rows for queues that have run low. */
const FEED_EVERY_MS = 1_000;

/** The log says this often what the pace is, where anything has left. */
const SAY_PACE_EVERY_MS = 10_000;

export type Workers = Awaited<ReturnType<typeof startWorkers>>;

/**
 * Starts this process's workers on all queues.
 *
 * @param onLineFault hears of a fault that every row would meet; the line waits and goes on by itself
 */
export async function startWorkers(context: Context, service: Service, onLineFault: (error: Error) => void = () => {}) {
  const { log, queues, rows, portfolios, calls } = context;
  const stopping = new AbortController();
  const presence = await startPresence({
    connection: context.ledger,
    keys: context.keys,
    processId: context.processId,
    onDisputes: (disputes) => void context.attempts.answer(disputes, calls.disown),
    log,
  });
  const deps: UploadDeps = {
    ...{ rows, portfolios, queues, log, onLineFault },
    once: context.once,
    probe: context.probe,
    service: service.client,
    pace: service.pace,
    slots: service.slots,
    onUnknown: service.onUnknown,
    stopping: stopping.signal,
    openDocument: (sha256) => context.documents.open(sha256),
  };
  const heal = makeHealer({ rows, portfolios, queues });
  const feeder = makeFeeder(
    async () => {
      await feed({ rows, portfolios, queues });
      await heal();
    },
    (reason) => log.debug({ reason }, 'could not feed'),
  );
  const jobs = runnableJobs(deps);
  const runners = QUEUES.map((queue) =>
    makeRunner({
      connection: context.redis.connect('worker'),
      queue,
      prefix: context.keys.queuePrefix(queue),
      concurrency: context.settings.SERVICE_CONCURRENCY,
      jobs: jobs.filter((job) => job.queue === queue),
      onDrained: feeder.look,
      log,
    }),
  );
  let said = service.pace.state();
  const sayingPace = setInterval(() => {
    const state = service.pace.state();
    const words = describePace(state);
    if (state !== said && words !== '')
      log.info({ callsPerS: Math.round(state.flowPerS), inFlight: service.slots.inFlight() }, words);
    said = state;
  }, SAY_PACE_EVERY_MS).unref();

  return {
    /**
     * Takes up no new row from now on, gives calls in flight {@link STOP_DEADLINE_MS} to be answered and written down,
     * and leaves. Rows that were only waiting go back to their queue.
     */
    async stop(): Promise<void> {
      stopping.abort();
      feeder.stop();
      clearInterval(sayingPace);
      await Promise.all(runners.map((runner) => runner.pause()));
      const deadline = new AbortController();
      const allEnded = Promise.all(runners.map((runner) => runner.close(false)));
      const inTime = await Promise.race([
        allEnded.then(() => true),
        sleep(STOP_DEADLINE_MS, false, { signal: deadline.signal }).catch(() => true),
      ]);
      deadline.abort();
      if (!inTime)
        log.warn(
          { inFlight: service.slots.inFlight() },
          'stopped with calls still unanswered; their rows will be held',
        );
      await presence.stop();
      await service.client.close();
    },
  };
}

function runnableJobs(deps: UploadDeps): (RunnableJob & { queue: string })[] {
  return [createSupplier, createCompany, uploadDocuments, submitBuyerLimit].map((job) => ({
    name: job.name,
    queue: job.queue,
    run: (data) => job.run(job.parse(data), deps),
    giveUp: (data, error) => job.giveUp(job.parse(data), error, deps),
  }));
}

/** Feeds now and then, at once when a queue has run empty, and never twice at a time. */
function makeFeeder(run: () => Promise<void>, onFault: (reason: string) => void) {
  let busy = false;
  let again = false;
  const look = (): void => {
    again = busy;
    if (busy) return;
    busy = true;
    run()
      .catch((error) => onFault(messageOf(error)))
      .finally(() => {
        busy = false;
        if (again) look();
      });
  };
  const timer = setInterval(look, FEED_EVERY_MS);
  look();
  return { look, stop: () => clearInterval(timer) };
}
