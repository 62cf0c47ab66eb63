import type { Command } from 'commander';
import { accountOf, readSettings } from '../../src/config.ts';
import { openContext, openService } from '../../src/context.ts';
import { makeLog } from '../../src/log.ts';
import { announceAccount } from '../announce-account.ts';
import { findService } from '../service-address.ts';
import { waitForSignal } from '../signals.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { startWorkers } from '../workers.ts';

/** `limitline work`: workers until SIGTERM or SIGINT; start as many as you like, on as many machines as you like. */
export function register(program: Command, terminal: Terminal): void {
  program
    .command('work')
    .description('work on all portfolios until SIGTERM or SIGINT; a second signal stops at once')
    .action(async () => {
      const settings = readSettings();
      const log = makeLog({ level: settings.LOG_LEVEL, account: accountOf(settings) });
      const { signal } = waitForSignal();
      const context = await openContext({ settings, log });
      await announceAccount(context, (text) => log.info(text));
      const address = await findService(settings, log, terminal.say);
      const workers = await startWorkers(context, openService(context, address.url), (error) => {
        log.error({ code: error.message }, 'every row would meet this fault; the line waits until it is mended');
      });
      const way = { service: address.url, ...(address.proxy === undefined ? {} : { proxy: address.proxy }) };
      log.info({ ...way, redis: context.redis.where, process: context.processId }, 'working');
      log.info({ signal: await signal }, 'stopping: no new rows; calls in flight get up to 20 s');
      await workers.stop();
      await address.close();
      await context.close();
      log.info('stopped');
      terminal.print('stopped', { stopped: true });
    });
}
