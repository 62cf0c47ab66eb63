import { type Command, Option } from 'commander';
import { explainEmptyRetry } from '../../jobs/operators/explain-rows.ts';
import { retryRows } from '../../jobs/operators/retry-rows.ts';
import { LimitlineError } from '../../src/errors.ts';
import { countLiving } from '../../src/ledger/presence.ts';
import { onPortfolio } from '../opening/on-portfolio.ts';
import { lineNumber } from '../options/numbers.ts';
import { goingOn } from '../terminal/going-on.ts';
import type { Terminal } from '../terminal/terminal.ts';

type RetryOptions = { state: 'refused' | 'cancelled'; line?: number; row?: string; error?: string };

/** `limitline retry NAME`: sends refused rows again, from the step that refused them. */
export function register(program: Command, terminal: Terminal): void {
  program
    .command('retry')
    .argument('<name>', 'the portfolio')
    .description('send refused rows again, from the step that refused them')
    .addOption(new Option('--state <state>', 'rows in this state').choices(['refused', 'cancelled']).default('refused'))
    .option('--line <n>', 'only the row of this line', lineNumber)
    .option('--row <id>', 'only the row with this id (column "row" of the results)')
    .option('--error <text>', 'only rows whose problem contains this text')
    .action(async (name: string, options: RetryOptions) => {
      if (options.line !== undefined && options.row !== undefined) {
        throw new LimitlineError('USAGE', 'Name the row by --line N or by --row ID, not by both.');
      }
      const payload = { portfolio: name, ...options };
      const { rows, workers, why } = await onPortfolio(name, async (context) => {
        const moved = await retryRows(payload, context);
        return {
          rows: moved,
          workers: await countLiving({ connection: context.ledger, keys: context.keys }),
          why: moved === 0 ? await explainEmptyRetry(payload, context) : '',
        };
      });
      // Who names a line, a row or a text means a row that is not there; who means all refused rows may find none.
      if (rows === 0 && (options.line ?? options.row ?? options.error) !== undefined) {
        throw new LimitlineError('NOT_FOUND', why);
      }
      terminal.print(rows === 0 ? why : `Portfolio ${name}: ${goingOn(rows, workers)}`, {
        portfolio: name,
        retried: rows,
        workers,
        ...(rows === 0 ? { why } : {}),
      });
    });
}
