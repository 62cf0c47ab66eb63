import type { Command } from 'commander';
import { logUsageFaults } from '../process/log-only.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { runUp } from '../up/run-up.ts';

/**
 * `limitline up`: workers, console and nightly tasks until SIGTERM, SIGINT or SIGHUP, with a Redis of its own if none is given.
 */
export function register(program: Command, terminal: Terminal): void {
  logUsageFaults(program.command('up'))
    .description(
      'everything at once, until Ctrl-C: Redis (if none is given), workers, the web console, nightly checks, and the listener for events where EVENTS_PORT is set',
    )
    .action(async () => {
      process.exitCode = await runUp(terminal);
    });
}
