import { type Command, Option } from 'commander';
import { retryRows } from '../../jobs/index.ts';
import { counted } from '../../src/counted.ts';
import { lineNumber } from '../terminal/numbers.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { onPortfolio } from './on-portfolio.ts';

type RetryOptions = { state: 'refused' | 'cancelled'; line?: number; error?: string };

/** `limitline retry NAME`: sends refused rows again, from the step that refused them. */
export function register(program: Command, terminal: Terminal): void {
  program
    .command('retry')
    .argument('<name>', 'the portfolio')
    .description('send refused rows again, from the step that refused them')
    .addOption(new Option('--state <state>', 'rows in this state').choices(['refused', 'cancelled']).default('refused'))
    .option('--line <n>', 'only the row of this line', lineNumber)
    .option('--error <text>', 'only rows whose problem contains this')
    .action(async (name: string, options: RetryOptions) => {
      const payload = retryRows.parse({ portfolio: name, ...options });
      const rows = await onPortfolio(name, (context) => retryRows.run(payload, context));
      terminal.print(
        `${counted(rows, 'row')} of portfolio ${name} ${rows === 1 ? 'goes' : 'go'} again, where workers run.`,
        {
          portfolio: name,
          retried: rows,
        },
      );
    });
}
