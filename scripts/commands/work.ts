import type { Command } from 'commander';
import { accountOf, readSettings } from '../../src/config.ts';
import { openContext, openService } from '../../src/context.ts';
import { makeLog } from '../../src/log.ts';
import { announceAccount } from '../announce-account.ts';
import { logUsageFaults, speakThroughLog } from '../log-only.ts';
import { findService } from '../service-address.ts';
import { waitForSignal } from '../signals.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { startWorkLog } from '../work-log.ts';
import { startWorkers } from '../workers.ts';

/**
 * `limitline work`: workers until SIGTERM, SIGINT or SIGHUP; start as many as you like, on as many machines as you like.
 * Standard error holds its log and nothing else.
 */
export function register(program: Command, terminal: Terminal): void {
  logUsageFaults(program.command('work'))
    .description('work on all portfolios until SIGTERM or SIGINT; a second one two seconds later stops at once')
    .action(async () => {
      // A fault of the settings is a line of the log, too.
      speakThroughLog(terminal, makeLog({ level: 'info' }));
      const settings = readSettings();
      const log = makeLog({ level: settings.LOG_LEVEL, account: accountOf(settings) });
      speakThroughLog(terminal, log);
      const { signal } = waitForSignal();
      terminal.stay();
      const context = await openContext({ settings, log });
      await announceAccount(context, terminal.say);
      // What the stand-in grants is worth nothing, which no level of the log may hide from an operator.
      const address = await findService(settings, log, (text) => log.warn(text.replace(/^limitline: /, '')));
      const workLog = await startWorkLog(context, openService(context, address.url));
      const onLineFault = (error: Error) => {
        log.error({ code: error.message }, 'every row would meet this fault; the line waits until it is mended');
      };
      const workers = await startWorkers(context, workLog.service, onLineFault, workLog.onRowEnd);
      const way = { service: address.url, ...(address.proxy === undefined ? {} : { proxy: address.proxy }) };
      log.info({ ...way, redis: context.redis.where, process: context.processId }, 'working');
      log.info({ signal: await signal }, 'stopping: no new rows; calls in flight get up to 20 s');
      await workers.stop();
      await workLog.stop();
      await address.close();
      await context.close();
      log.info('stopped');
      if (terminal.json) terminal.print('', { stopped: true });
    });
}
