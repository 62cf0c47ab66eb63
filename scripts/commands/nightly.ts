import type { Command } from 'commander';
import { inboxOnce, startInbox } from '../../jobs/inbox/watch-inbox.ts';
import { dueNights, startKeepingSchedule } from '../../jobs/nightly/keep-schedule.ts';
import { deliverOnce, startDelivering } from '../../jobs/notices/deliver.ts';
import { startWatching, watchOnce } from '../../jobs/notices/watch.ts';
import { startKeepingResults } from '../../jobs/workers/keeping.ts';
import { type Context, openContext } from '../../src/context.ts';
import { messageOf } from '../../src/errors.ts';
import type { Log } from '../../src/log.ts';
import { scheduleOf } from '../../src/schedule/read-schedule.ts';
import { type NightEnd, nightWords, runNights, startNightWorker, statusOf } from '../nightly/run-nights.ts';
import { announceAccount } from '../opening/on-portfolio.ts';
import { openUntil, sayStopped } from '../opening/open-until.ts';
import { FAULT_STATUS } from '../process/exit-status.ts';
import { abortedBy, logUsageFaults, speakByLog, waitForSignal } from '../process/long-running.ts';
import { keepHeapSmall, letOthersGoFirst } from '../process/resources.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { endWithParent, sayReady } from '../up/with-parent.ts';

/**
 * `limitline nightly`: runs everything that is due once and ends, for cron and systemd timers. With `--wait`, it stays and runs
 * tasks when they are due. Standard error has only the log.
 */
export function register(program: Command, terminal: Terminal): void {
  logUsageFaults(program.command('nightly'))
    .option('--wait', 'stay, and run everything when it is due, until SIGTERM or SIGINT')
    .action(async ({ wait = false }: { wait?: boolean }) => {
      const { settings, log } = speakByLog(terminal);
      endWithParent();
      letOthersGoFirst();
      keepHeapSmall();
      const { signal } = waitForSignal();
      const context = wait
        ? await openUntil(abortedBy(signal), { settings, log })
        : await openContext({ settings, log, awaitsData: abortedBy(signal) });
      if (!context) return sayStopped(log, terminal);
      const keeping = startKeepingResults(context);
      try {
        await announceAccount(context, terminal.say, true);
        // A host with another installation's secret cannot write audit entries, so it must not begin.
        await context.secret.key('audit');
        if (!wait) {
          const stopping = new AbortController();
          void signal.then(() => stopping.abort(new Error('this process stops')));
          const ends = await doWhatIsDue(context, { signal: stopping.signal });
          terminal.print(nightWords(ends), { runs: ends });
          process.exitCode = (await context.marks.older()) ? FAULT_STATUS : statusOf(ends);
          return;
        }
        const duty = await stayOnDuty(context);
        log.info(
          { redis: context.redis.where, process: context.processId },
          'on duty: each task of the schedule runs at its time',
        );
        sayReady();
        await signal;
        await duty.stop();
        sayStopped(log, terminal);
      } finally {
        await keeping.stop();
        await context.close();
      }
    });
}

/**
 * One pass of nightly work: tasks due by this process's schedule, tasks that somebody requested in the console, and each other
 * part once. A task is due if its last scheduled time has passed without a completed run.
 */
export async function doWhatIsDue(
  context: Context,
  { signal, parts = NIGHT_PARTS }: { signal: AbortSignal; parts?: readonly NightPart[] },
): Promise<NightEnd[]> {
  // If no process is on duty, the planned runs are those of a process that vanished, with its own schedule. They are removed.
  if ((await context.fleet.onDuty()).length === 0) await context.maintenance().keep([]);
  const entries = scheduleOf(context.settings.LIMITLINE_SCHEDULE);
  const due = await dueNights(entries, { runs: context.nightlyRuns, nowMs: Date.now() });
  const asked = (await context.maintenance().asked()).map(({ task, dueMs, by }) => {
    return { task, id: new Date(dueMs).toISOString(), atMs: dueMs, by };
  });
  const ends = await runNights([...due, ...asked], context, { signal });
  for (const part of parts) {
    if (signal.aborted) break;
    try {
      await part.once(context, { signal });
    } catch (error) {
      context.log.error({ part: part.name, reason: messageOf(error) }, `${part.name} could not be done`);
      ends.push({ task: part.name, night: '', end: undefined });
    }
  }
  return ends;
}

/**
 * Runs tasks when they are due, and the other nightly parts, until stopped. Any number of processes may do so: each run happens once.
 *
 * @param given.parts the other nightly parts; for tests
 */
export async function stayOnDuty(context: Context, { parts = NIGHT_PARTS }: { parts?: readonly NightPart[] } = {}) {
  const { fleet, log, nightlyRuns: runs, settings } = context;
  const stopping = new AbortController();
  await fleet.join('nightly');
  const entries = scheduleOf(settings.LIMITLINE_SCHEDULE);
  const maintenance = context.maintenance();
  const schedule = await startKeepingSchedule(entries, { runs, maintenance, onDuty: fleet.onDuty, log });
  const worker = startNightWorker(context);
  const started: Started[] = [];
  for (const part of parts) {
    try {
      started.push(await part.start(context, { log, signal: stopping.signal }));
    } catch (error) {
      // A fault of one part, such as a missing folder, must not stop the others.
      log.error(
        { part: part.name, reason: messageOf(error) },
        `${part.name} could not begin; the other nightly parts do`,
      );
    }
  }
  return {
    /** Stops properly: interrupted runs are left to other processes or the next start. */
    async stop(): Promise<void> {
      stopping.abort(new Error('this process stops'));
      schedule.stop();
      await Promise.all([worker.stop(), ...started.map((part) => part.stop())]);
      await fleet.leave();
    },
  };
}

/** Nightly work besides the schedule. */
type NightPart = {
  name: string;
  /** Runs until stopped. Logs and retries its own faults. */
  start(context: Context, going: { log: Log; signal: AbortSignal }): Started | Promise<Started>;
  /** Does the part once and ends, for `limitline nightly` from a timer. */
  once(context: Context, going: { signal: AbortSignal }): Promise<unknown>;
};

type Started = { stop(): void | Promise<void> };

/** The parts in the order of one pass: notices come last, so that they are delivered in the pass that finds them. */
const NIGHT_PARTS: readonly NightPart[] = [
  { name: 'the drop folder', start: startInbox, once: inboxOnce },
  {
    name: 'the look for notices',
    start: startWatching,
    once: (context, { signal }) => watchOnce(context, { log: context.log, signal }),
  },
  { name: 'the delivery of notices', start: startDelivering, once: deliverOnce },
];
