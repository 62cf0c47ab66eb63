import { type Command, Option } from 'commander';
import { resolveCalls } from '../../jobs/index.ts';
import { counted } from '../../src/counted.ts';
import { LimitlineError } from '../../src/errors.ts';
import { STEPS } from '../../src/ledger/rows.ts';
import { lineNumber } from '../terminal/numbers.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { onPortfolio } from './on-portfolio.ts';

type ResolveOptions = { line?: number; all?: boolean; step?: string; made?: string; resend?: boolean };

/** `limitline resolve NAME`: a person says what became of a held call. */
export function register(program: Command, terminal: Terminal): void {
  program
    .command('resolve')
    .argument('<name>', 'the portfolio')
    .description('say what became of a held call, so that its row goes on')
    .option('--line <n>', 'the row of this line', lineNumber)
    .option('--all', 'all held rows, only with --resend')
    .addOption(new Option('--step <step>', 'only rows held at this step').choices(STEPS))
    .option('--made <id>', 'the service made it, and this is its id')
    .option('--resend', 'it was not made: send it again')
    .action(async (name: string, options: ResolveOptions) => {
      checkOptions(options);
      const { line, step, made } = options;
      const payload = resolveCalls.parse({ portfolio: name, line, step, made });
      const resolution = await onPortfolio(name, (context) => resolveCalls.run(payload, context));
      const whose = (resolution.of ?? []).map(({ name: buyer, requested_limit }) => `${buyer}, ${requested_limit}`);
      const of =
        whose.length > 0
          ? `${whose.join('; ')}: ${made === undefined ? 'sent again' : `taken as made, ${made}`}. `
          : '';
      terminal.print(
        `${of}${counted(resolution.calls, 'call')} resolved; ${counted(resolution.rows, 'row')} ${resolution.rows === 1 ? 'goes' : 'go'} on, where workers run.`,
        {
          portfolio: name,
          ...resolution,
        },
      );
    });
}

function checkOptions({ line, all, made, resend }: ResolveOptions): void {
  if ((line === undefined) === !all)
    throw new LimitlineError('USAGE', 'Say which row: --line N, or --all with --resend.');
  if ((made === undefined) === !resend)
    throw new LimitlineError('USAGE', 'Say what became of it: --made ID, or --resend.');
  if (all && made !== undefined)
    throw new LimitlineError('USAGE', 'One id cannot be what all held rows made; give --line N.');
}
