import type { Command } from 'commander';
import type { ArchiveProgress } from '../../jobs/archive/archive-deps.ts';
import { type Archived, archivePortfolio, mayBeArchived } from '../../jobs/archive/archive-portfolio.ts';
import { commandLineActor } from '../../src/actor.ts';
import type { Context } from '../../src/context.ts';
import { counted, moneyText, sizeWords } from '../../src/counted.ts';
import { onlyCurrency } from '../../src/ledger/counts/money.ts';
import { type Summary, summarize } from '../../src/ledger/portfolios/summary.ts';
import { auditCommand } from '../audit/audit-command.ts';
import { onPortfolio } from '../opening/on-portfolio.ts';
import { PROBLEMS_STATUS } from '../process/exit-status.ts';
import { abortOnSignal } from '../process/long-running.ts';
import { keepHeapSmall } from '../process/resources.ts';
import { withProgress } from '../progress/progress.ts';
import { askYesOrNo, canAsk, type Terminal } from '../terminal/terminal.ts';

type ArchiveOptions = { yes?: true };

/** `limitline archive NAME`: moves a finished portfolio from Redis into files, which are read back and compared first. */
export function register(program: Command, terminal: Terminal): void {
  program
    .command('archive')
    .argument('<name>', 'the portfolio')
    .option('--yes', 'do not ask (without a terminal nobody is asked anyway)')
    .action(async (name: string, options: ArchiveOptions) => {
      keepHeapSmall();
      process.exitCode = await onPortfolio(name, (context) => archiveIt(name, options, context, terminal), {
        alsoArchived: true,
      });
    });
}

async function archiveIt(name: string, { yes }: ArchiveOptions, context: Context, terminal: Terminal): Promise<number> {
  const { signal, forget } = abortOnSignal();
  try {
    await mayBeArchived(context, name);
    const isGoingOn = (await context.archives.read(name)) !== undefined;
    const summary = await summarize(name, context);
    if (summary && !isGoingOn && !yes && canAsk()) {
      terminal.say(`limitline: ${planWords(summary, context)}`);
      if (!(await askYesOrNo('Archive it? [y/N] ', signal))) {
        terminal.print('Nothing was changed.', { portfolio: name, archived: false });
        return PROBLEMS_STATUS;
      }
    }
    const say = (sentence: string) => terminal.say(`limitline: ${sentence}`);
    const options = { by: commandLineActor(), signal };
    const archived = await auditCommand(context, () =>
      withProgress(FIRST, stepWords, (onProgress) =>
        archivePortfolio({ ...context, say }, name, { ...options, onProgress }),
      ),
    );
    terminal.print(archivedWords(archived), { account: context.account, archived: true, ...archived });
    return 0;
  } finally {
    forget();
  }
}

const FIRST: ArchiveProgress = { step: 'begun', rows: 0, total: 0 };

function stepWords({ step, rows, total }: ArchiveProgress): string {
  const of = `${rows.toLocaleString('en')} of ${counted(total, 'row')}`;
  const words: Partial<Record<ArchiveProgress['step'], string>> = {
    writing: `${of} written`,
    comparing: `${of} read back and compared`,
    'taking rows out': `${of} taken out of Redis`,
    'taking the rest out': 'taking indexes out of Redis',
  };
  return words[step] ?? 'archiving';
}

function planWords({ portfolio, rows, requested, money }: Summary, { settings }: Context): string {
  return [
    `${portfolio} has ${counted(rows, 'row')}, ${moneyText(requested, onlyCurrency(money))} requested in total. They are written`,
    `to files below ${settings.LIMITLINE_DATA}/archive (some ${sizeWords(rows * ROW_BYTES)}), read back and compared,`,
    'and then leave Redis. Nothing of it can be requested twice meanwhile or later.',
  ].join('\n');
}

/** Bytes of an ordinary row in the three files of an archived portfolio, compressed; measured. */
const ROW_BYTES = 400;

function archivedWords({ portfolio, rows, folder, sizeBytes, resumed }: Archived): string {
  const left = `${counted(rows, 'row')} ${rows === 1 ? 'has' : 'have'} left Redis`;
  return [
    resumed
      ? `${portfolio} is archived. This completed an archive that was interrupted before.`
      : `${portfolio} is archived.`,
    `  ${left}. The files (${sizeWords(sizeBytes)}) are in`,
    `  ${folder}`,
    '  The file for people to read is results.csv.gz. Keep the folder as safe as backups.',
    '  What prevents that anything is requested twice stays in Redis: what was made,',
    '  and for which buyers.',
    `  To bring it back: npx limitline restore "${portfolio}"`,
  ].join('\n');
}
