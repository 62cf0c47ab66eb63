import type { Command } from 'commander';
import { startKeepingResults } from '../../jobs/workers/keeping.ts';
import { consoleLink, inTheClear, linkWords, openConsole, printLink, reachOf } from '../console/open-console.ts';
import { keepApprovalRule } from '../opening/keep-approval-rule.ts';
import { announceAccount } from '../opening/on-portfolio.ts';
import { openUntil, sayStopped } from '../opening/open-until.ts';
import { abortedBy, logUsageFaults, speakByLog, waitForSignal } from '../process/long-running.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { endWithParent, sayReady } from '../up/with-parent.ts';

/**
 * `limitline console`: the web console alone, until SIGTERM, SIGINT or SIGHUP. Workers send rows, the console does not.
 * Standard error has only the log.
 */
export function register(program: Command, terminal: Terminal): void {
  logUsageFaults(program.command('console'))
    .option('--link', 'print a link that opens the running console once, as long as it has no users')
    .action(async ({ link: isLinkWanted = false }: { link?: boolean }) => {
      if (isLinkWanted) return printLink(terminal);
      const { settings, log } = speakByLog(terminal);
      // The addresses and certificates are checked first: a faulty setting must end the command before anything is opened.
      const reach = reachOf(settings);
      endWithParent();
      const { signal } = waitForSignal();
      const context = await openUntil(abortedBy(signal), { settings, log });
      if (!context) return sayStopped(log, terminal);
      const keeping = startKeepingResults(context);
      // Each audit entry is logged with its link in the chain, so that a copy of this log elsewhere proves that the entry existed.
      context.audit.onWritten((entry) => log.info({ audit: entry }, 'audited'));
      try {
        // A secret of another installation must be reported before anybody signs in.
        await context.secret.key('sessions');
        for (const words of inTheClear(settings)) log.warn(words);
        await announceAccount(context, terminal.say, true);
        await keepApprovalRule(context);
        const web = await openConsole(context, { reach });
        await web.listen();
        void context.fleet.join('console', undefined, web.url());
        const link = await consoleLink(context, web.url());
        terminal.print(`The console is at ${web.url()}${linkWords(link)}`, { url: web.url(), ...(link && { link }) });
        log.info({ url: web.url(), listens: web.listens(), redis: context.redis.where }, 'the console listens');
        sayReady(web.url(), link);
        await signal;
        await web.close();
        void context.fleet.leave();
      } finally {
        await keeping.stop();
        await context.close();
      }
      log.info('stopped');
    });
}
