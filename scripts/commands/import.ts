import type { Command } from 'commander';
import { accountOf, readSettings } from '../../src/config.ts';
import { openContext } from '../../src/context.ts';
import { counted } from '../../src/counted.ts';
import { LimitlineError } from '../../src/errors.ts';
import { makeWordsLog } from '../../src/log.ts';
import { importFile } from '../file/import-file.ts';
import { isToAsk, lookAndAsk, sayNothingDone } from '../look/look.ts';
import { announceAccount } from '../opening/announce-account.ts';
import { type ImportOptions, importPayload, withImportOptions } from '../options/import-options.ts';
import { PROBLEMS_STATUS } from '../process/exit-status.ts';
import { waitForSignal } from '../process/signals.ts';
import { ofAccount, type Progress, startProgress } from '../progress/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** `limitline import FILE`: brings a file into a portfolio; workers do the rest. */
export function register(program: Command, terminal: Terminal): void {
  withImportOptions(program.command('import'))
    .description('import a file into a portfolio; workers do the rest (limitline work)')
    .action(async (file: string, options: ImportOptions) => {
      const settings = readSettings();
      const asks = isToAsk(file, options, accountOf(settings));
      const given = await importPayload(file, options, terminal.say);
      const context = await openContext({
        settings,
        log: makeWordsLog({ level: settings.LOG_LEVEL, account: accountOf(settings) }),
      });
      const stopping = new AbortController();
      const { signal, forget } = waitForSignal();
      signal.then((name) =>
        stopping.abort(new LimitlineError('STOPPED', `Stopped by ${name}; import the same file again to go on.`)),
      );
      let lines = 0;
      let progress: Progress | undefined;
      try {
        await announceAccount(context, terminal.say);
        const payload = asks ? await lookAndAsk(given, { context, terminal, stop: stopping.signal }) : given;
        if (payload === undefined) {
          process.exitCode = sayNothingDone({ account: context.account, portfolio: given.portfolio }, terminal);
          return;
        }
        progress = startProgress(() =>
          ofAccount(context.account, { done: 0, total: undefined, words: `${counted(lines, 'line')} imported` }),
        );
        const { imported, list, read } = await importFile(payload, context, {
          say: terminal.say,
          onLines: (read) => {
            lines = read;
          },
          stopping: stopping.signal,
        });
        progress.stop();
        const { faults, ...counts } = imported;
        const words =
          faults.length > 0
            ? `Nothing was imported: ${file} cannot be used as it is.`
            : `${counted(counts.lines, 'line')} imported into portfolio ${payload.portfolio} of account ${context.account}: ${counted(counts.rows, 'row')}, ${counts.invalid} invalid, ${counts.duplicate} duplicate.`;
        terminal.print(words, {
          account: context.account,
          portfolio: payload.portfolio,
          ...counts,
          problems: list.problems,
          warnings: list.warnings,
          changed: list.changed,
          ...read,
        });
        process.exitCode = list.counts.problems > 0 ? PROBLEMS_STATUS : 0;
      } finally {
        progress?.stop();
        forget();
        await context.close();
      }
    });
}
