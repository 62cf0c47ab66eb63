import { type Command, Option } from 'commander';
import { resolveCalls } from '../../jobs/operators/resolve-calls.ts';
import { counted } from '../../src/counted.ts';
import { LimitlineError } from '../../src/errors.ts';
import { countLiving } from '../../src/ledger/presence.ts';
import { STEPS, type Step } from '../../src/ledger/rows.ts';
import { goingOn } from '../terminal/going-on.ts';
import { lineNumber } from '../terminal/numbers.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { onPortfolio } from './on-portfolio.ts';
import { resolveAll } from './resolve-all.ts';
import { resolveFile } from './resolve-file.ts';
import { NOTHING_CHANGED, resolvedWords } from './resolved-words.ts';

export type ResolveOptions = {
  line?: number;
  row?: string;
  all?: boolean;
  from?: string;
  step?: Step;
  made?: string;
  resend?: boolean;
  dryRun?: boolean;
  yes?: boolean;
};

/** `limitline resolve NAME`: a person says what became of held calls. */
export function register(program: Command, terminal: Terminal): void {
  program
    .command('resolve')
    .argument('<name>', 'the portfolio')
    .description('say what became of held calls, so that their rows go on')
    .option('--line <n>', 'the row of this line', lineNumber)
    .option('--row <id>', 'the row with this id, of the column row in results')
    .option('--all', 'all held rows, only with --resend')
    .option('--from <file>', 'a CSV with the columns line (or row) and id: an id, or resend, for each held row')
    .addOption(new Option('--step <step>', 'only rows held at this step').choices(STEPS))
    .option('--made <id>', 'the service made it, and this is its id')
    .option('--resend', 'it was not made: send it again')
    .option('--dry-run', 'say what would be done, and change nothing')
    .option('--yes', 'do not ask (without a terminal nothing is asked anyway)')
    .action(async (name: string, options: ResolveOptions) => {
      checkOptions(options);
      if (options.from !== undefined) process.exitCode = await resolveFile(name, options.from, options, terminal);
      else if (options.all) process.exitCode = await resolveAll(name, options, terminal);
      else await resolveLine(name, options, terminal);
    });
}

async function resolveLine(name: string, { line, row, step, made, dryRun }: ResolveOptions, terminal: Terminal) {
  const payload = { portfolio: name, line, row, step, made, dryRun };
  const { workers, ...resolution } = await onPortfolio(name, async (context) => ({
    ...(await resolveCalls(payload, context)),
    workers: await countLiving({ connection: context.ledger, keys: context.keys }),
  }));
  const of = (resolution.of ?? []).map((one) => resolvedWords(one, dryRun));
  const last = dryRun
    ? NOTHING_CHANGED
    : `${counted(resolution.calls, 'call')} resolved; ${goingOn(resolution.rows, workers)}`;
  terminal.print([...of, last].join('\n'), { portfolio: name, ...resolution, workers });
}

function checkOptions({ line, row, all, from, step, made, resend }: ResolveOptions): void {
  const ways = [line !== undefined, row !== undefined, all === true, from !== undefined].filter(Boolean).length;
  if (ways !== 1) {
    throw new LimitlineError(
      'USAGE',
      'Say which row: --line N or --row ID, or --all with --resend, or a file by --from.',
    );
  }
  if (from !== undefined) {
    if (made === undefined && !resend && step === undefined) return;
    throw new LimitlineError(
      'USAGE',
      'What became of each row stands in the file of --from; leave --made, --resend and --step out.',
    );
  }
  if ((made === undefined) === !resend) {
    throw new LimitlineError('USAGE', 'Say what became of it: --made ID, or --resend.');
  }
  if (all && made !== undefined) {
    throw new LimitlineError(
      'USAGE',
      'One id cannot be what all held rows made; give --line N or --row ID, or a file by --from.',
    );
  }
}
