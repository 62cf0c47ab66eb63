import type { ImportPayload } from '../../jobs/import/import-portfolio.ts';
import { keepFile } from '../../jobs/import/open-import.ts';
import { makeDryRun, makeLargest } from '../../jobs/preview/dry-run.ts';
import { openAsImport } from '../../jobs/preview/open-as-import.ts';
import type { Context } from '../../src/context.ts';
import { openDocuments } from '../../src/documents/archive.ts';
import { defaultDocumentsDir } from '../../src/documents/folder.ts';
import { isLimitlineError } from '../../src/errors.ts';
import { knownRate } from '../../src/open-service.ts';
import { makeControlSum } from '../../src/portfolio/control-total.ts';
import { fileRulesOf } from '../../src/portfolio/file-rules.ts';
import { readSupplier } from '../../src/portfolio/supplier.ts';
import { openByPortfolio } from '../ending/open-portfolios.ts';
import { makeProblemList, readAll } from '../file/problems.ts';
import { PROBLEMS_STATUS } from '../process/exit-status.ts';
import { askYesOrNo, type Terminal } from '../terminal/terminal.ts';
import { outlookDepsOf } from './dry-run.ts';
import { type ImportPreview, lookWords, questionOf } from './look-words.ts';

/** `sends`: whether the command sends rows, those of other portfolios among them. */
type LookDeps = { context: Context; terminal: Terminal; stop: AbortSignal; sends: boolean };

/**
 * Shows what an import would request, and asks. First copies the file into the data folder: the preview is of this copy, and
 * the returned payload imports it, even if the file changes meanwhile. Nothing else is stored before the yes.
 *
 * Without anything to request, nobody is asked. An unusable file is left to the import to refuse. Answers nothing after a no,
 * or if `stop` is aborted first.
 */
export async function lookAndAsk(payload: ImportPayload, deps: LookDeps): Promise<ImportPayload | undefined> {
  const { terminal, stop } = deps;
  try {
    const kept = { ...payload, kept: await keepFile(payload.path, deps.context.imports) };
    const look = await takeLook(kept, deps);
    if (look === undefined) return kept;
    for (const line of ['', ...lookWords(look), '']) terminal.say(line);
    if (look.dryRun.limits === 0 && look.others.length === 0) {
      terminal.say('Nothing is left to request, so there is nothing to confirm.');
      return kept;
    }
    return (await askYesOrNo(questionOf(look), stop)) ? kept : undefined;
  } catch (error) {
    if (stop.aborted && isLimitlineError(error, 'STOPPED')) return undefined;
    throw error;
  }
}

/** Reports that the answer was no; answers the exit status. */
export function sayNothingDone(
  { account, portfolio }: { account: string; portfolio: string },
  terminal: Terminal,
): number {
  terminal.print('Nothing was requested, and nothing was imported.', { account, portfolio, imported: false });
  return PROBLEMS_STATUS;
}

/** Reads the copy of the file in the data folder once, as the import will. Answers nothing if the file cannot be used. */
async function takeLook(
  payload: ImportPayload & { kept: string },
  { context, stop, sends }: LookDeps,
): Promise<ImportPreview | undefined> {
  const { path, portfolio, documentsDir, reading, supplierPath, replace, first, total } = payload;
  const { settings, account } = context;
  const supplier = supplierPath === undefined ? undefined : await readSupplier(supplierPath);
  const place = await openDocuments(documentsDir ?? defaultDocumentsDir(path), stop);
  try {
    const { path: copy } = context.imports.open(payload.kept);
    const file = { portfolio, reading, path: copy, givenPath: path };
    const deps = { account, fileRules: fileRulesOf(settings), documents: place, signal: stop };
    const { opened, outlook } = await openAsImport(file, { ...deps, ledger: outlookDepsOf(context) });
    if (opened.problems.length > 0) return undefined;
    const ratePerS = await knownRate(context);
    const largest = makeLargest();
    const dryRun = makeDryRun({ foresees: outlook.foresees, ratePerS, supplier, onWanted: largest.add });
    // Problems are not printed here: the import lists them later.
    const list = makeProblemList(() => {});
    const sum = total === undefined ? undefined : makeControlSum(total);
    const counts = await readAll(opened, list, (batch) => {
      sum?.add(batch);
      return dryRun.add(batch);
    });
    if (sum?.problem()) return undefined;
    // Warnings about the whole file are known only after its last line.
    list.add({ warnings: opened.warnings });
    const result = dryRun.result();
    return {
      account,
      portfolio,
      path,
      supplierPath,
      supplier,
      replace,
      first,
      total,
      opened,
      counts,
      ratePerS,
      warnings: list.counts.warnings,
      dryRun: result,
      currency: opened.currency(),
      largest: largest.result(),
      others: sends
        ? await othersOpen({ portfolio, replace, named: result.open + dryRun.withdrawnOpen() }, context)
        : [],
    };
  } finally {
    await place.close();
  }
}

/**
 * Open rows that the command sends although the file does not name them: of other portfolios, and of this one. `named`: how many
 * open rows of this portfolio the file names, replaces or may correct; with `replace` the others are cancelled.
 */
async function othersOpen(
  { portfolio, replace, named }: { portfolio: string; replace: boolean; named: number },
  context: Context,
): Promise<ImportPreview['others']> {
  return (await openByPortfolio(context))
    .map((open) => (open.portfolio === portfolio ? { ...open, rows: replace ? 0 : open.rows - named } : open))
    .filter(({ rows }) => rows > 0);
}
