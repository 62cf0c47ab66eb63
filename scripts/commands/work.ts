import type { Command } from 'commander';
import { accountOf, readSettings } from '../../src/config.ts';
import { type Context, openContext, openService } from '../../src/context.ts';
import { makeLog } from '../../src/log.ts';
import { announceAccount } from '../announce-account.ts';
import { findService } from '../service-address.ts';
import { waitForSignal } from '../signals.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { startWorkers } from '../workers.ts';
import { mustExist } from './on-portfolio.ts';
import { type WorkEndOptions, waitForWorkEnd, withWorkEndOptions } from './work-end.ts';

/** `limitline work`: workers until SIGTERM or SIGINT; start as many as you like, on as many machines as you like. */
export function register(program: Command, terminal: Terminal): void {
  withWorkEndOptions(program.command('work'))
    .description('work on all portfolios until SIGTERM or SIGINT; a second signal stops at once')
    .action(async (options: WorkEndOptions) => {
      const settings = readSettings();
      const log = makeLog({ level: settings.LOG_LEVEL, account: accountOf(settings) });
      const { signal } = waitForSignal();
      const context = await openContext({ settings, log });
      await checkName(options, context);
      await announceAccount(context, (text) => log.info(text));
      const address = await findService(settings, log, terminal.say);
      const waiting = waitForWorkEnd(options, { signal, portfolios: context.portfolios });
      const workers = await startWorkers(context, openService(context, address.url), (error) => {
        log.error({ code: error.message }, 'every row would meet this fault; the line waits until it is mended');
        waiting.onLineFault(error);
      });
      const way = { service: address.url, ...(address.proxy === undefined ? {} : { proxy: address.proxy }) };
      log.info({ ...way, redis: context.redis.where, process: context.processId }, 'working');
      waiting.begin();
      const { status, facts, words, fault } = await waiting.end();
      log.info(facts, words);
      await workers.stop();
      await address.close();
      await context.close();
      log.info('stopped');
      if (fault) throw fault;
      process.exitCode = status;
      terminal.print('stopped', { stopped: true });
    });
}

/** A portfolio that is not there would never settle. */
async function checkName({ untilSettled }: WorkEndOptions, context: Context): Promise<void> {
  if (typeof untilSettled !== 'string') return;
  await mustExist(untilSettled, context).catch(async (error) => {
    await context.close();
    throw error;
  });
}
