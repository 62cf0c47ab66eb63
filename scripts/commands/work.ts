import type { Command } from 'commander';
import type { RowEnd } from '../../jobs/steps/step.ts';
import { startWorkers } from '../../jobs/workers/workers.ts';
import type { Context } from '../../src/context.ts';
import { inTime } from '../../src/in-time.ts';
import { serveMachines } from '../../src/metrics/serve-machines.ts';
import { openService, type Service } from '../../src/open-service.ts';
import { interruptedWords, lookAtOpen } from '../ending/open-portfolios.ts';
import { signalStatus, type WorkEndOptions, waitForWorkEnd, withWorkEndOptions } from '../ending/work-end.ts';
import { openMachines } from '../machines/open-machines.ts';
import { keepApprovalRule } from '../opening/keep-approval-rule.ts';
import { announceAccount, findService, mustExist } from '../opening/on-portfolio.ts';
import { openUntil, sayStopped } from '../opening/open-until.ts';
import { startTimeLimit } from '../options/durations.ts';
import { DEADLINE_STATUS } from '../process/exit-status.ts';
import { logUsageFaults, sayCutOff, speakByLog, waitForSignal } from '../process/long-running.ts';
import {
  countCalls,
  makeSayingFaults,
  startRowTally,
  startSayingFinished,
  startSayingMinutes,
} from '../progress/say-work.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { endWithParent, sayReady } from '../up/with-parent.ts';

/**
 * `limitline work`: workers until SIGTERM, SIGINT or SIGHUP. Any number may run, on any number of machines. Standard error has
 * only the log.
 */
export function register(program: Command, terminal: Terminal): void {
  logUsageFaults(withWorkEndOptions(program.command('work'))).action(async (options: WorkEndOptions) => {
    const { settings, log } = speakByLog(terminal);
    endWithParent();
    const { signal } = waitForSignal(() => sayCutOff(terminal));
    const ending = new AbortController();
    void signal.then(() => ending.abort());
    const limit = startTimeLimit(options.deadline, () => ending.abort());
    const context = await openUntil(ending.signal, { settings, log, saysOlder: false });
    limit.forget();
    if (!context) {
      process.exitCode = limit.isOver() ? DEADLINE_STATUS : signalStatus(options);
      return sayStopped(log, terminal);
    }
    try {
      await context.marks.check();
      // The command would wait forever for a portfolio that does not exist.
      if (typeof options.untilSettled === 'string') await mustExist(options.untilSettled, context);
      await announceAccount(context, terminal.say, true);
      await keepApprovalRule(context);
    } catch (error) {
      await context.close();
      throw error;
    }
    // A warning at every log level: limits of the stand-in are not real.
    const address = await findService(settings, log, (text) => log.warn(text.replace(/^limitline: /, '')));
    const { portfolios, approvals, queues } = context;
    const waiting = waitForWorkEnd(options, { signal, portfolios, approvals, queues });
    let isWorking = () => false;
    const serving = serveWork(context, openService(context, address.url), () => isWorking());
    const served = await serving.catch(async (error) => {
      await address.close();
      await context.close();
      throw error;
    });
    const faults = makeSayingFaults(log);
    const workLog = await startWorkLog(context, served.service, faults.accepted);
    const onRowEnd = (end: RowEnd) => {
      workLog.onRowEnd(end);
      served.onRowEnd(end);
    };
    const onCommonFault = (error: Error) => {
      faults.meets(error);
      waiting.onCommonFault(error);
    };
    const workers = await startWorkers(context, workLog.service, onCommonFault, onRowEnd);
    isWorking = () => workers.now().state === 'works';
    // As in Sidekiq, a process to be stopped later finishes its rows. Suspending it would lose the responses to its calls.
    process.on('SIGTSTP', () => void workers.quiet(true));
    process.on('SIGCONT', () => void workers.quiet(false));
    const way = { service: address.url, ...(address.proxy === undefined ? {} : { proxy: address.proxy }) };
    log.info({ ...way, redis: context.redis.where, process: context.processId }, 'working');
    await sayInterrupted(context);
    sayReady();
    waiting.begin();
    const { status, facts, words, fault } = await waiting.end();
    log.info(facts, words);
    isWorking = () => false;
    await workers.stop();
    await workLog.stop();
    await served.close();
    await address.close();
    await context.close();
    if (fault) {
      log.info('stopped');
      throw fault;
    }
    process.exitCode = status;
    sayStopped(log, terminal);
  });
}

/** Warns of interrupted imports: their unread lines are in no count. */
async function sayInterrupted({ portfolios, approvals, log }: Context): Promise<void> {
  // Without Redis, no warning is given: src/redis/connect.ts logs the lost connection.
  const { interrupted } = await lookAtOpen(undefined, { portfolios, approvals }).catch(() => ({ interrupted: [] }));
  const names = interrupted.map((state) => state.name);
  if (names.length > 0) log.warn({ interrupted: names }, interruptedWords(names));
}

/** How long the last log lines may wait for Redis. */
const LAST_LOOK_MS = 1_000;

/** Logs what an operator needs: finished portfolios, refused and held rows with causes, and counts each minute. */
async function startWorkLog(context: Context, given: Service, onAccepted: () => void) {
  const { log, queues } = context;
  const { service, sent } = countCalls(given, onAccepted);
  const tally = startRowTally({ log });
  const minutes = startSayingMinutes({ service, queues, counts: tally.counts, callsSent: sent, log });
  const finished = await startSayingFinished(context);
  return {
    /** The service, with its calls counted. */
    service,
    onRowEnd: tally.ended,
    /** Logs the rows and portfolios that ended since the last log entries, and stops logging. */
    async stop(): Promise<void> {
      minutes.stop();
      tally.stop();
      await inTime(finished.stop(), LAST_LOOK_MS, () => {});
    },
  };
}

/**
 * Serves health and metrics of a worker process at METRICS_HOST and METRICS_PORT; nothing without a port.
 *
 * @returns the service whose calls are counted, the handler for ended rows, and how to stop serving
 */
export async function serveWork(context: Context, service: Service, isWorking: () => boolean) {
  const { METRICS_HOST: host, METRICS_PORT: port } = context.settings;
  if (port === undefined) return { service, onRowEnd: () => {}, close: async () => {} };
  const machines = openMachines(context, { role: 'work', isWorking });
  const { log } = context;
  const server = await serveMachines({ host, port, answer: machines.answer, log });
  log.info({ metrics: `${server.url}/metrics` }, 'health and metrics are served');
  return {
    ...machines.count(service),
    close: async (): Promise<void> => {
      machines.close();
      await server.close();
    },
  };
}
