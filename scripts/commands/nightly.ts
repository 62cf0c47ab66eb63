import type { Command } from 'commander';
import { inboxOnce, startInbox } from '../../jobs/inbox/watch-inbox.ts';
import { dueNights } from '../../jobs/nightly/due-tasks.ts';
import { startKeepingSchedule } from '../../jobs/nightly/keep-schedule.ts';
import { deliverOnce, startDelivering } from '../../jobs/notices/deliver.ts';
import { startWatching, watchOnce } from '../../jobs/notices/watch.ts';
import { startKeepingResults } from '../../jobs/workers/keeping.ts';
import { accountOf, readSettings } from '../../src/config.ts';
import { type Context, openContext } from '../../src/context.ts';
import { messageOf } from '../../src/errors.ts';
import { type Log, makeLog } from '../../src/log.ts';
import { scheduleOf } from '../../src/schedule/read-schedule.ts';
import { nightWords, statusOf } from '../nightly/night-words.ts';
import { type NightEnd, runNights, startNightWorker } from '../nightly/run-nights.ts';
import { announceAccount } from '../opening/announce-account.ts';
import { FAULT_STATUS } from '../process/exit-status.ts';
import { logUsageFaults, speakThroughLog } from '../process/log-only.ts';
import { letOthersGoFirst } from '../process/low-priority.ts';
import { waitForSignal } from '../process/signals.ts';
import { keepHeapSmall } from '../process/small-heap.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { endWithParent, sayReady } from '../up/with-parent.ts';

/**
 * `limitline nightly`: all that is due, once, and then it ends: for cron and systemd's timers. With `--wait` it stays and runs what is
 * due when it is due. Standard error has its log and nothing else.
 */
export function register(program: Command, terminal: Terminal): void {
  logUsageFaults(program.command('nightly'))
    .description('what the schedule says is due, the drop folder and notices: once, or until SIGTERM with --wait')
    .option('--wait', 'stay, and run everything when it is due, until SIGTERM or SIGINT')
    .action(async ({ wait = false }: { wait?: boolean }) => {
      const settings = readSettings();
      const log = makeLog({ level: settings.LOG_LEVEL, account: accountOf(settings) });
      speakThroughLog(terminal, log);
      endWithParent();
      letOthersGoFirst();
      keepHeapSmall();
      const { signal } = waitForSignal();
      const context = await openContext({ settings, log });
      const keeping = startKeepingResults(context);
      try {
        await announceAccount(context, terminal.say, true);
        // A host with another secret than the installation could write down nothing of what it does.
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
          'on duty: what is due runs when it is due',
        );
        sayReady();
        await signal;
        await duty.stop();
        log.info('stopped');
        if (terminal.json) terminal.print('', { stopped: true });
      } finally {
        await keeping.stop();
        await context.close();
      }
    });
}

/**
 * One pass of all that the night's process does: what is due by the schedule of this process, what somebody asked for in the console,
 * and the other parts once each. A task is due where its latest moment has passed and no run of that night has ended.
 */
export async function doWhatIsDue(
  context: Context,
  { signal, parts = NIGHT_PARTS }: { signal: AbortSignal; parts?: readonly NightPart[] },
): Promise<NightEnd[]> {
  // What a process that is gone has left to be run in its time would be run by this one, though its own schedule is another.
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
 * Runs what is due when it is due, and does what goes on beside it, until it is stopped. Start as many as you like: each run is made
 * once.
 *
 * @param given.parts what goes on beside the schedule; for tests
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
      // What is wrong with one, such as a folder that is not there, is no reason to leave the others undone.
      log.error(
        { part: part.name, reason: messageOf(error) },
        `${part.name} could not begin; the rest of the night does`,
      );
    }
  }
  return {
    /** Ends in good order: what is in the middle of a run is left to others, or to the next start. */
    async stop(): Promise<void> {
      stopping.abort(new Error('this process stops'));
      schedule.stop();
      await Promise.all([worker.stop(), ...started.map((part) => part.stop())]);
      await fleet.leave();
    },
  };
}

/** What the night's process does beside the schedule. */
type NightPart = {
  name: string;
  /** Goes on until it is stopped. Its own faults are its own to log and to try again. */
  start(context: Context, going: { log: Log; signal: AbortSignal }): Started | Promise<Started>;
  /** One pass, for `limitline nightly` by a timer. */
  once(context: Context, going: { signal: AbortSignal }): Promise<unknown>;
};

type Started = { stop(): void | Promise<void> };

/** In the order in which one pass does them: what is told of is delivered in the same pass. */
const NIGHT_PARTS: readonly NightPart[] = [
  { name: 'the drop folder', start: startInbox, once: inboxOnce },
  {
    name: 'the look for notices',
    start: startWatching,
    once: (context, { signal }) => watchOnce(context, { log: context.log, signal }),
  },
  { name: 'the delivery of notices', start: startDelivering, once: deliverOnce },
];
