import { basename } from 'node:path';
import { type Command, Option } from 'commander';
import { type AboutLine, type DecisionsTaken, takeDecisions } from '../../jobs/operators/take-decisions.ts';
import { counted, grouped } from '../../src/counted.ts';
import { visible } from '../../src/portfolio/problem.ts';
import { readDecisionsFile } from '../../src/portfolio/results/decisions-file.ts';
import type { Decimal } from '../../src/portfolio/values/amounts.ts';
import { withContext } from '../opening/on-portfolio.ts';
import { PROBLEMS_STATUS } from '../process/exit-status.ts';
import { NOTHING_CHANGED } from '../resolve/resolve-rows.ts';
import type { Terminal } from '../terminal/terminal.ts';

type Options = { decimal?: Decimal; dryRun?: boolean };

/** Lines named on a terminal; `--json` has all. */
const LINES_SHOWN = 20;

/** `limitline decisions FILE`: what the service said of limits after its answer. */
export function register(program: Command, terminal: Terminal): void {
  program
    .command('decisions')
    .argument(
      '<file>',
      'a CSV file or workbook with buyer_limit_id (or row), status, total_limit, available_limit, decided_at',
    )
    .addOption(new Option('--decimal <sign>', 'the decimal separator of its amounts').choices(['.', ',']))
    .option('--dry-run', 'say what would become of them, and change nothing')
    .description('take in what the service decided later about limits that were under review')
    .action(async (path: string, { decimal, dryRun = false }: Options) => {
      const file = await readDecisionsFile(path, { decimal });
      await withContext(
        async (context) => {
          const taken = await takeDecisions({ ...file, name: basename(path) }, context, { dryRun });
          terminal.print(takenWords(basename(path), taken, dryRun), { account: context.account, ...taken, dryRun });
          if (taken.problems.length > 0) process.exitCode = PROBLEMS_STATUS;
          return taken;
        },
        { facts: ({ taken, known, rows, problems }) => ({ taken, known, rows, notTaken: problems.length }) },
      );
    });
}

function takenWords(name: string, taken: DecisionsTaken, dryRun: boolean): string {
  const { known, silent, rows, statuses, problems, warnings } = taken;
  const by = Object.entries(statuses).map(([status, count]) => `${grouped(count)} ${visible(status)}`);
  const of = by.length > 0 ? ` (${by.join(', ')}) for ${counted(rows, 'row')}` : '';
  return [
    ...linesOf('not taken', problems),
    ...linesOf('warning', warnings),
    `${visible(name)}: ${counted(taken.taken, 'decision')} ${dryRun ? 'would be taken' : 'taken'}${of}, ${grouped(known)} known already, ${grouped(problems.length)} not taken.`,
    ...(silent > 0 ? [`${counted(silent, 'line')} without a status ${silent === 1 ? 'says' : 'say'} nothing.`] : []),
    ...(dryRun ? [NOTHING_CHANGED] : []),
  ].join('\n');
}

function linesOf(what: string, some: readonly AboutLine[]): string[] {
  const shown = some.slice(0, LINES_SHOWN).map(({ at, message }) => `line ${at}, ${what}: ${visible(message)}`);
  const others = some.length - shown.length;
  return others > 0 ? [...shown, `${grouped(others)} more lines, ${what}: --json names them all`] : shown;
}
