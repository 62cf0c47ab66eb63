import type { Command } from 'commander';
import { accountOf, readSettings } from '../../src/config.ts';
import { openContext } from '../../src/context.ts';
import { makeLog } from '../../src/log.ts';
import { announceAccount } from '../opening/announce-account.ts';
import { logUsageFaults, speakThroughLog } from '../process/log-only.ts';
import { letOthersGoFirst } from '../process/low-priority.ts';
import { waitForSignal } from '../process/signals.ts';
import { keepHeapSmall } from '../process/small-heap.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { endWithParent, sayReady } from '../up/with-parent.ts';
import { openListener, whereEvents } from './open-listener.ts';

/**
 * `limitline events listen`: takes what the service posts, until SIGTERM, SIGINT or SIGHUP. It changes nothing of what is requested.
 * Standard error has its log and nothing else.
 */
export function addListen(events: Command, terminal: Terminal): void {
  logUsageFaults(events.command('listen'))
    .description('keep what the service posts at EVENTS_PORT, until SIGTERM or SIGINT')
    .action(async () => {
      const settings = readSettings();
      const log = makeLog({ level: settings.LOG_LEVEL, account: accountOf(settings) });
      speakThroughLog(terminal, log);
      // Before anything else is opened.
      const where = whereEvents(settings);
      endWithParent();
      letOthersGoFirst();
      keepHeapSmall();
      const { signal } = waitForSignal();
      const context = await openContext({ settings, log });
      try {
        await announceAccount(context, terminal.say);
        const listener = await openListener(context, where, context.events.keep);
        terminal.print(`Events are listened for at ${listener.url}, where EVENTS_SECRET stands for the dots.`, {
          url: listener.url,
        });
        log.info({ url: listener.url, redis: context.redis.where }, 'events are listened for');
        sayReady(listener.url);
        await signal;
        await listener.close();
      } finally {
        await context.close();
      }
      log.info('stopped');
    });
}
