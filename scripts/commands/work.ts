import type { Command } from 'commander';
import { startWorkers } from '../../jobs/workers/workers.ts';
import { accountOf, readSettings } from '../../src/config.ts';
import { type Context, openContext, openService } from '../../src/context.ts';
import { makeLog } from '../../src/log.ts';
import { announceAccount } from '../announce-account.ts';
import { logUsageFaults, speakThroughLog } from '../log-only.ts';
import { findService } from '../service-address.ts';
import { interruptedWords, lookAtOpen } from '../settled.ts';
import { waitForSignal } from '../signals.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { startWorkLog } from '../work-log.ts';
import { mustExist } from './on-portfolio.ts';
import { type WorkEndOptions, waitForWorkEnd, withWorkEndOptions } from './work-end.ts';

/**
 * `limitline work`: workers until SIGTERM, SIGINT or SIGHUP; start as many as you like, on as many machines as you like.
 * Standard error holds its log and nothing else.
 */
export function register(program: Command, terminal: Terminal): void {
  logUsageFaults(withWorkEndOptions(program.command('work')))
    .description('work on all portfolios until SIGTERM or SIGINT; a second one two seconds later stops at once')
    .action(async (options: WorkEndOptions) => {
      const settings = readSettings();
      const log = makeLog({ level: settings.LOG_LEVEL, account: accountOf(settings) });
      speakThroughLog(terminal, log);
      const { signal } = waitForSignal();
      const context = await openContext({ settings, log });
      await checkName(options, context);
      await announceAccount(context, terminal.say);
      // What the stand-in grants is worth nothing, which no level of the log may hide from an operator.
      const address = await findService(settings, log, (text) => log.warn(text.replace(/^limitline: /, '')));
      const waiting = waitForWorkEnd(options, { signal, portfolios: context.portfolios });
      const workLog = await startWorkLog(context, openService(context, address.url));
      const onCommonFault = (error: Error) => {
        log.error({ code: error.message }, 'every row would meet this fault; the line waits until it is mended');
        waiting.onCommonFault(error);
      };
      const workers = await startWorkers(context, workLog.service, onCommonFault, workLog.onRowEnd);
      const way = { service: address.url, ...(address.proxy === undefined ? {} : { proxy: address.proxy }) };
      log.info({ ...way, redis: context.redis.where, process: context.processId }, 'working');
      await sayInterrupted(context);
      waiting.begin();
      const { status, facts, words, fault } = await waiting.end();
      log.info(facts, words);
      await workers.stop();
      await workLog.stop();
      await address.close();
      await context.close();
      log.info('stopped');
      if (fault) throw fault;
      process.exitCode = status;
      if (terminal.json) terminal.print('', { stopped: true });
    });
}

/** Nobody may be told otherwise that lines of a file were never read: the import that read it was killed. */
async function sayInterrupted({ portfolios, log }: Context): Promise<void> {
  // While Redis is away, that is said by others.
  const { interrupted } = await lookAtOpen(undefined, portfolios).catch(() => ({ interrupted: [] }));
  const names = interrupted.map((state) => state.name);
  if (names.length > 0) log.warn({ interrupted: names }, interruptedWords(names));
}

/** A portfolio that is not there would never settle. */
async function checkName({ untilSettled }: WorkEndOptions, context: Context): Promise<void> {
  if (typeof untilSettled !== 'string') return;
  await mustExist(untilSettled, context).catch(async (error) => {
    await context.close();
    throw error;
  });
}
