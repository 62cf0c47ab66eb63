import type { Command } from 'commander';
import type { Restored, RestoreProgress, RestoreStep } from '../../jobs/archive/restore-portfolio.ts';
import { restorePortfolio } from '../../jobs/archive/restore-portfolio.ts';
import type { Context } from '../../src/context.ts';
import { counted } from '../../src/counted.ts';
import { onPortfolio } from '../opening/on-portfolio.ts';
import { abortOnSignal } from '../process/long-running.ts';
import { keepHeapSmall } from '../process/resources.ts';
import { withProgress } from '../progress/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** `limitline restore NAME`: puts an archived portfolio back into Redis. */
export function register(program: Command, terminal: Terminal): void {
  program
    .command('restore')
    .argument('<name>', 'the portfolio')
    .action(async (name: string) => {
      keepHeapSmall();
      const { signal, forget } = abortOnSignal();
      try {
        const restore = async (context: Context) => ({
          account: context.account,
          ...(await withProgress(FIRST, stepWords, (onProgress) =>
            restorePortfolio(context, name, { signal, onProgress }),
          )),
        });
        const restored = await onPortfolio(name, restore, { alsoArchived: true });
        terminal.print(restoredWords(restored), { restored: true, ...restored });
      } finally {
        forget();
      }
    });
}

const FIRST: RestoreProgress = { step: 'checking', rows: 0, total: 0 };

function stepWords({ step, rows, total }: RestoreProgress): string {
  const words: Partial<Record<RestoreStep, string>> = {
    checking: 'reading the files, and comparing them with what was written',
    rows: `${rows.toLocaleString('en')} of ${counted(total, 'row')} put back`,
    rest: 'putting indexes back',
  };
  return words[step] ?? 'restoring';
}

function restoredWords({ portfolio, rows, states, folder, resumed }: Restored): string {
  const back = `${counted(rows, 'row')} ${rows === 1 ? 'is' : 'are'} back in Redis`;
  return [
    resumed
      ? `${portfolio} is restored. This completed a restore that was interrupted before.`
      : `${portfolio} is restored.`,
    `  ${back}, as ${rows === 1 ? 'it was when it' : 'they were when they'} left.`,
    ...(states.refused ? NO_RULE : []),
    '  The archive files stay until the portfolio is archived again, in',
    `  ${folder}`,
  ].join('\n');
}

const NO_RULE = [
  '  The rules for nightly retries leave its refused rows alone. To send these,',
  '  make a rule for this portfolio (limitline rule add --portfolio).',
];
