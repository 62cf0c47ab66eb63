import { type Command, Option } from 'commander';
import { LimitlineError } from '../../src/errors.ts';
import { STEPS, type Step } from '../../src/ledger/schema/row.ts';
import { canAsk } from '../terminal/terminal.ts';
import { lineNumber } from './durations.ts';

/** Options of `resolve`: which held calls, and what became of them. */
export type ResolveOptions = {
  line?: number;
  row?: string;
  all?: boolean;
  from?: string;
  step?: Step;
  made?: string;
  idIsRight?: boolean;
  resend?: boolean;
  dryRun?: boolean;
  yes?: boolean;
};

export function withResolveOptions(command: Command): Command {
  return command
    .option('--line <n>', 'the held row of this line', lineNumber)
    .option('--row <id>', 'the row with this id (column "row" of the results)')
    .option('--all', 'all held rows; only with --resend')
    .option('--from <file>', 'a CSV with the columns line (or row) and id: an id, or resend, for each held row')
    .addOption(new Option('--step <step>', 'only rows held at this step').choices(STEPS))
    .option('--made <id>', 'the service made what was asked for, and this is its id')
    .option('--id-is-right', 'take an id that looks unlike the other ids of the service')
    .option('--resend', 'nothing was made: send the call again')
    .option('--dry-run', 'say what would be done, and change nothing')
    .option('--yes', 'do not ask first; needed for --all without a terminal');
}

/** Whether to show the effect and ask first: on a terminal, without `--yes`. */
export function asksFirst({ dryRun, yes }: ResolveOptions): boolean {
  return !dryRun && !yes && canAsk();
}

/** @throws LimitlineError `USAGE` where the rows or the answer are missing or given twice */
export function checkResolveOptions(options: ResolveOptions): void {
  const { line, row, all, from, step, made, resend } = options;
  const ways = [line !== undefined, row !== undefined, all === true, from !== undefined].filter(Boolean).length;
  if (ways !== 1) {
    const message =
      'Say which held rows: --line N, --row ID, --all with --resend, or --from FILE. This writes such a file: npx limitline report NAME --state held --like-input --out FILE';
    throw new LimitlineError('USAGE', message);
  }
  if (from !== undefined) {
    if (made === undefined && !resend && step === undefined) return;
    const words = 'The file of --from says what became of each row; leave --made, --resend and --step out.';
    throw new LimitlineError('USAGE', words);
  }
  if (all && made !== undefined) {
    const fault = 'Held rows cannot all have the same id: give --line N or --row ID, or a file by --from.';
    throw new LimitlineError('USAGE', fault);
  }
  if (all && !resend) {
    throw new LimitlineError(
      'USAGE',
      '--all goes with --resend alone: add it to send all held calls again, or say what became of each by --from FILE.',
    );
  }
  if ((made === undefined) === !resend) {
    throw new LimitlineError('USAGE', 'Say what became of the call: --made ID, or --resend.');
  }
}

/** @throws LimitlineError `USAGE` where all held rows would be sent again without anybody's yes */
export function checkYesForAll({ yes }: ResolveOptions): void {
  if (yes || canAsk()) return;
  const message =
    'Nothing was changed: there is no terminal for the question whether to go on. If a limit was made after all, it will be made a second time. Look with --dry-run first, then add --yes.';
  throw new LimitlineError('USAGE', message);
}

/** The warning about an id that looks unlike the others, with the option that accepts it. */
export const unlessRight = (strange: string): string =>
  `${strange} Compare it with what the service says; if it is right, add --id-is-right.`;
