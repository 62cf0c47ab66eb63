import { basename } from 'node:path';
import { type Command, Option } from 'commander';
import { takeDecisions } from '../../jobs/operators/take-decisions.ts';
import { columnWords, decisionsWords, foreseenWords, makeKeptColumns } from '../../jobs/operators/upload-decisions.ts';
import { commandLineActor } from '../../src/actor.ts';
import { accountOf, readSettings } from '../../src/config.ts';
import { counted } from '../../src/counted.ts';
import { givenFileDigest } from '../../src/files/disk.ts';
import { type AboutLine, decisionsFacts } from '../../src/ledger/plans/decisions-taken.ts';
import { visible } from '../../src/portfolio/problem.ts';
import { readDecisionsFile } from '../../src/portfolio/results/decisions-file.ts';
import { withContext } from '../opening/on-portfolio.ts';
import { type ReadingOptions, readOptionsOf } from '../options/import-options.ts';
import { PROBLEMS_STATUS } from '../process/exit-status.ts';
import { NOTHING_CHANGED } from '../resolve/resolve-rows.ts';
import type { Terminal } from '../terminal/terminal.ts';

type Options = Pick<ReadingOptions, 'sheet' | 'hiddenRows' | 'decimal' | 'dates'> & {
  dryRun?: boolean;
  map?: string[];
};

/** The most lines of the file that are named on a terminal; `--json` has all. */
const LINES_SHOWN = 20;

/** `limitline decisions FILE`: takes in what the service decided about limits after its first answer. */
export function register(program: Command, terminal: Terminal): void {
  program
    .command('decisions')
    .argument(
      '<file>',
      'a CSV file or workbook with buyer_limit_id (or row), status, total_limit, available_limit, decided_at',
    )
    .option('--sheet <name>', 'the sheet of an Excel workbook (default: the first visible one)')
    .option('--hidden-rows', 'also read rows of a sheet that are hidden, by hand or by a filter')
    .option(
      '--map <column>',
      'a column with another header, as HEADER=COLUMN; may be repeated',
      (one: string, before: string[] = []) => [...before, one],
    )
    .addOption(new Option('--decimal <sign>', 'the decimal mark of its amounts').choices(['point', 'comma']))
    .addOption(
      new Option('--dates <order>', 'whether the day or the month comes first in dates like 05/04/2026').choices([
        'dmy',
        'mdy',
      ]),
    )
    .option('--dry-run', 'say what each decision would change, and change nothing')
    .action(async (path: string, { dryRun = false, map, ...reading }: Options) => {
      const settings = readSettings();
      const columns = makeKeptColumns({ dataDir: settings.LIMITLINE_DATA });
      const options = { ...(await readOptionsOf(reading)), account: accountOf(settings), map, keptOf: columns.find };
      const sha256 = await givenFileDigest(path);
      const file = await readDecisionsFile(path, options);
      await withContext(
        async (context) => {
          if (!dryRun) await columns.keep(file, commandLineActor());
          const taken = await takeDecisions({ ...file, name: basename(path) }, context, { dryRun });
          const { problems, warnings } = taken;
          const words = [
            ...columnWords(file),
            ...linesOf('not taken', problems),
            ...linesOf('warning', warnings),
            `${visible(basename(path))}: ${decisionsWords(taken, dryRun).join('\n')}`,
            ...foreseenWords(taken.would ?? taken.did ?? { rows: [], more: 0 }),
            ...(dryRun ? [NOTHING_CHANGED] : []),
          ];
          const { account } = context;
          terminal.print(words.join('\n'), { account, ...taken, unread: file.unread, dryRun });
          const isEmpty = taken.taken + taken.known + taken.silent === 0;
          if (isEmpty || problems.length + taken.left > 0) process.exitCode = PROBLEMS_STATUS;
          return taken;
        },
        {
          facts: (taken) => ({ sha256, ...decisionsFacts(taken) }),
        },
      );
    });
}

function linesOf(what: string, some: readonly AboutLine[]): string[] {
  const shown = some.slice(0, LINES_SHOWN).map(({ at, message }) => `line ${at}, ${what}: ${visible(message)}`);
  const others = some.length - shown.length;
  return others > 0
    ? [...shown, `${counted(others, 'more line')}, ${what}: --json names ${others === 1 ? 'it' : 'them all'}`]
    : shown;
}
