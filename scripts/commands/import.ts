import type { Command } from 'commander';
import type { ImportPayload } from '../../jobs/import/import-portfolio.ts';
import { accountOf, readSettings } from '../../src/config.ts';
import { type Context, openContext } from '../../src/context.ts';
import { counted } from '../../src/counted.ts';
import { LimitlineError } from '../../src/errors.ts';
import { makeWordsLog } from '../../src/log.ts';
import { sayWaiting } from '../approval/approval-words.ts';
import { importFile } from '../file/import-file.ts';
import { lookAndAsk, sayNothingDone } from '../look/look.ts';
import { announceAccount } from '../opening/on-portfolio.ts';
import { type ImportOptions, importPayload, isToAsk, withImportOptions } from '../options/import-options.ts';
import { PROBLEMS_STATUS } from '../process/exit-status.ts';
import { abortOnSignal } from '../process/long-running.ts';
import { ofAccount, startProgress } from '../progress/progress.ts';
import { noWorkerWords, type Terminal } from '../terminal/terminal.ts';

/** `limitline import FILE`: imports a file into a portfolio. Workers send its rows. */
export function register(program: Command, terminal: Terminal): void {
  withImportOptions(program.command('import')).action(async (file: string, options: ImportOptions) => {
    process.exitCode = await lookAndImport(file, options, terminal);
  });
}

async function lookAndImport(file: string, options: ImportOptions, terminal: Terminal): Promise<number> {
  const settings = readSettings();
  const asks = isToAsk(file, options, accountOf(settings));
  const given = await importPayload(file, options, terminal.say);
  const log = makeWordsLog({ level: settings.LOG_LEVEL, account: accountOf(settings) });
  const context = await openContext({ settings, log, saysOlder: false });
  const { signal: stop, forget } = abortOnSignal(
    (name) => new LimitlineError('STOPPED', `Stopped by ${name}; import the same file again to go on.`),
  );
  try {
    await context.marks.check();
    await announceAccount(context, terminal.say);
    const payload = asks ? await lookAndAsk(given, { context, terminal, stop, sends: false }) : given;
    if (payload !== undefined) return await importAndReport(file, payload, { context, terminal, stop });
    return sayNothingDone({ account: context.account, portfolio: given.portfolio }, terminal);
  } finally {
    forget();
    await context.close();
  }
}

/** Imports with a progress display, prints the result and answers the exit status. */
async function importAndReport(
  file: string,
  payload: ImportPayload,
  { context, terminal, stop }: { context: Context; terminal: Terminal; stop: AbortSignal },
): Promise<number> {
  const { account } = context;
  const { portfolio } = payload;
  let lines = 0;
  const onLines = (read: number): void => {
    lines = read;
  };
  const progress = startProgress(() =>
    ofAccount(account, { done: 0, total: undefined, words: `${counted(lines, 'line')} imported` }),
  );
  const { imported, list, read } = await importFile(payload, context, {
    say: terminal.say,
    onLines,
    stopping: stop,
  }).finally(() => progress.stop());
  const { faults, ...counts } = imported;
  const words =
    faults.length > 0
      ? `Nothing was imported: ${file} cannot be used as it is.`
      : counts.lines === 0
        ? `Nothing was imported: ${file} has a header and no line.`
        : `${counted(counts.lines, 'line')} imported into portfolio ${portfolio} of account ${account}: ${counted(counts.rows, 'row')}, ${counts.invalid} invalid, ${counts.duplicate} duplicate.`;
  const { problems, warnings, changed } = list;
  terminal.print(words, { account, portfolio, ...counts, problems, warnings, changed, ...read });
  if (imported.approval) await sayWaiting(portfolio, context, terminal);
  const noWorker = await noWorkerWords(portfolio, context);
  if (noWorker) terminal.say(`limitline: ${noWorker}`);
  return list.counts.problems > 0 ? PROBLEMS_STATUS : 0;
}
