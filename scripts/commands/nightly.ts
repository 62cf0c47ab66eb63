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
 * `limitline nightly`: runs everything that is due, once, and ends; for cron and systemd's timers. With `--wait` it stays and runs each
 * task when it is due. Standard error has its log and nothing else.
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
        // A host with another secret than the installation could not record anything that it does.
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
 * One pass of everything that the nightly process does: tasks that are due by this process's schedule, tasks requested in the console, and
 * each of the other parts once. A task is due when its latest moment has passed and no run of that night has ended.
 */
export async function doWhatIsDue(
  context: Context,
  { signal, parts = NIGHT_PARTS }: { signal: AbortSignal; parts?: readonly NightPart[] },
): Promise<NightEnd[]> {
  // Otherwise this process would run tasks that a vanished process had scheduled, although its own schedule differs.
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
 * Runs scheduled tasks when they are due, and the other nightly parts beside them, until it is stopped. Any number of processes may
 * call this: each run happens once.
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
      // A part that cannot start, for example without its folder, must not stop the others.
      log.error(
        { part: part.name, reason: messageOf(error) },
        `${part.name} could not begin; the rest of the night does`,
      );
    }
  }
  return {
    /** Stops cleanly: an unfinished run is left to another process, or to the next start. */
    async stop(): Promise<void> {
      stopping.abort(new Error('this process stops'));
      schedule.stop();
      await Promise.all([worker.stop(), ...started.map((part) => part.stop())]);
      await fleet.leave();
    },
  };
}

/** What the nightly process does besides the schedule. */
type NightPart = {
  name: string;
  /** Runs until it is stopped. It logs and retries its own faults. */
  start(context: Context, going: { log: Log; signal: AbortSignal }): Started | Promise<Started>;
  /** One pass, for `limitline nightly` started by a timer. */
  once(context: Context, going: { signal: AbortSignal }): Promise<unknown>;
};

type Started = { stop(): void | Promise<void> };

/** In the order of one pass: a notice that arises is delivered in the same pass. */
const NIGHT_PARTS: readonly NightPart[] = [
  { name: 'the drop folder', start: startInbox, once: inboxOnce },
  {
    name: 'the look for notices',
    start: startWatching,
    once: (context, { signal }) => watchOnce(context, { log: context.log, signal }),
  },
  { name: 'the delivery of notices', start: startDelivering, once: deliverOnce },
];
