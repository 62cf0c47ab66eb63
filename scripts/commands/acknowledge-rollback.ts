import type { Command } from 'commander';
import { withContext } from '../opening/on-portfolio.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** `limitline acknowledge-rollback`: a person's word that nothing was requested which Redis does not know. */
export function register(program: Command, terminal: Terminal): void {
  program
    .command('acknowledge-rollback')
    .description('say that a Redis which is older than what was sent lacks no request, so that work goes on')
    .action(async () => {
      const older = await withContext(async ({ marks }) => {
        const found = await marks.older();
        if (found) await marks.accept();
        return found !== undefined;
      });
      const words = older
        ? 'Taken as it is. What Redis does not know counts as never requested; start the workers again.'
        : 'Redis is not older than what was sent, so there is nothing to acknowledge.';
      terminal.print(words, { older });
    });
}
