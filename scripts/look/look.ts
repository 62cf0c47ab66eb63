import { basename } from 'node:path';
import type { ImportPayload } from '../../jobs/import/import-portfolio.ts';
import { CUT_OFF } from '../../jobs/import/lacking-rows.ts';
import { keepFile } from '../../jobs/import/open-import.ts';
import { makeDryRun, makeLargest } from '../../jobs/preview/dry-run.ts';
import { openAsImport } from '../../jobs/preview/open-as-import.ts';
import { durationWords, otherCurrencyWords } from '../../src/console/pages/new/words.ts';
import type { Context } from '../../src/context.ts';
import { allBeforeWords, counted, earlierRows, moneyText, sizeWords } from '../../src/counted.ts';
import { openDocuments } from '../../src/documents/archive.ts';
import { defaultDocumentsDir } from '../../src/documents/folder.ts';
import { isLimitlineError } from '../../src/errors.ts';
import { knownRate } from '../../src/open-service.ts';
import { agreesWords, makeControlSum } from '../../src/portfolio/control-total.ts';
import { fileRulesOf } from '../../src/portfolio/file-rules.ts';
import type { Opened } from '../../src/portfolio/open-portfolio.ts';
import type { DryRun, LargeRequest } from '../../src/portfolio/preview.ts';
import { visible } from '../../src/portfolio/problem.ts';
import { readSupplier, type Supplier, unsentWords } from '../../src/portfolio/supplier.ts';
import { type OpenRows, openByPortfolio, othersWords } from '../ending/open-portfolios.ts';
import { makeProblemList, readAll } from '../file/problems.ts';
import { understoodWords } from '../file/understanding.ts';
import { PROBLEMS_STATUS } from '../process/exit-status.ts';
import { askYesOrNo, type Terminal } from '../terminal/terminal.ts';
import { approvalOutlook } from './approval-outlook.ts';
import { outlookDepsOf } from './dry-run.ts';

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
    await dryRun.countLacking({ header: opened.header, rows: counts.rows }, context.rows);
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
      otherCurrency: otherCurrencyWords(opened.currency(), (await context.portfolios.read(portfolio)).currencies),
      approval: await approvalOutlook({ portfolio, dryRun: result, left: dryRun.left() }, { settings, context }),
      largest: largest.result(),
      others: sends
        ? await othersOpen(
            portfolio,
            result.open + dryRun.withdrawnOpen() + (replace ? dryRun.lackingOpen() : 0),
            context,
          )
        : [],
    };
  } finally {
    await place.close();
  }
}

/**
 * Open rows that the command sends although the file does not name them: of other portfolios, and of this one. `named`: how many
 * open rows of this portfolio the file names, or its import cancels.
 */
async function othersOpen(portfolio: string, named: number, context: Context): Promise<ImportPreview['others']> {
  return (await openByPortfolio(context))
    .map((open) =>
      open.portfolio === portfolio && named > 0 ? { ...open, rows: open.rows - named, amount: undefined } : open,
    )
    .filter(({ rows }) => rows > 0);
}

/** The preview of an import, which a person sees before saying yes. */
export type ImportPreview = {
  account: string;
  portfolio: string;
  /** The file's path as given, and the supplier's. */
  path: string;
  supplierPath: string | undefined;
  supplier?: Supplier | undefined;
  /** Whether to cancel rows that the file lacks. */
  replace: boolean;
  /** The number of rows to send first; undefined for all. */
  first: number | undefined;
  /** The control total, which agrees with the file; undefined for none. */
  total: string | undefined;
  opened: Pick<Opened, 'dialect' | 'columns' | 'headerLine' | 'above' | 'misstated'>;
  counts: { lines: number; rows: number; invalid: number; duplicate: number };
  warnings: number;
  dryRun: DryRun;
  currency?: string | undefined;
  /** That the portfolio's other files have another currency, in words. */
  otherCurrency?: string;
  /** That another person must approve it, or may have to, in words. */
  approval?: string | undefined;
  largest: readonly LargeRequest[];
  /** Rows that the command sends though the file does not name them. */
  others: readonly OpenRows[];
  /** Calls per second to be expected; undefined if unknown. */
  ratePerS: number | undefined;
};

/** The preview as lines of text: about ten, more if many columns have other names. */
export function lookWords(look: ImportPreview): string[] {
  const { account, portfolio, supplierPath, supplier, opened, largest } = look;
  const amounts = largest.map(({ requested }) => moneyText(requested));
  const width = Math.max(...amounts.map(({ length }) => length));
  return [
    ...fact('Account', `${account}, portfolio ${portfolio}`),
    ...fact('File', ...fileWords(look), ...understoodWords(opened).split('\n')),
    ...fact('Total', ...opened.misstated.map(({ line, value, message }) => `line ${line}, ${value}: ${message}`)),
    ...fact('Control', ...(look.total === undefined ? [] : [agreesWords(look.total)])),
    ...fact('Requests', requestsWords(look)),
    ...(look.otherCurrency ? fact('Currency', look.otherCurrency) : []),
    ...fact('Of these', ...besidesWords(look)),
    ...fact('Replaces', ...replacesWords(look)),
    ...fact('Skips', ...skippedWords(look)),
    ...fact(
      'Largest',
      ...largest.map((one, at) => `${amounts[at]?.padStart(width)}  line ${one.line}, ${nameWords(one)}`),
    ),
    ...(look.dryRun.limits > 0 ? fact('Creates', createsWords(look)) : []),
    ...fact(
      'Supplier',
      ...(supplierPath === undefined ? [] : [visible(basename(supplierPath)), ...unsentWords(supplier?.unsent)]),
    ),
    ...lackingFacts(look),
    ...(look.approval === undefined ? [] : fact('Approval', look.approval)),
    ...(look.first === undefined ? [] : fact('First', firstWords(look.first))),
    ...(look.dryRun.limits > 0 ? fact('Takes', timeWords(look)) : []),
    ...fact('Sends too', ...othersWords(look.others)),
  ];
}

export function questionOf({ dryRun: { limits }, first = limits }: ImportPreview): string {
  if (limits === 0) return 'Send these rows? [y/N] ';
  const now = first < limits ? `, ${first.toLocaleString('en')} of them now` : '';
  return `Request ${limits === 1 ? 'this limit' : `these ${limits.toLocaleString('en')} limits`}${now}? [y/N] `;
}

/** The column, counted in characters, at which the texts of facts begin. */
const FACTS_AT = 10;

function fact(name: string, ...lines: string[]): string[] {
  return lines.map((line, at) => `${(at === 0 ? name : '').padEnd(FACTS_AT)}${line}`);
}

function firstWords(first: number): string {
  return `${counted(first, 'row is', 'rows are')} sent, then the portfolio pauses; npx limitline resume sends the rest`;
}

function fileWords({ path, counts, warnings }: ImportPreview): string[] {
  const { lines, rows, invalid, duplicate } = counts;
  const [good, bad, twice] = [rows, invalid, duplicate].map((number) => number.toLocaleString('en'));
  const found = `${good} good, ${bad} invalid, ${twice} duplicate, ${counted(warnings, 'warning')}`;
  const named = invalid + duplicate + warnings === 0 ? [] : ['(npx limitline check lists them)'];
  return [`${visible(basename(path))}: ${counted(lines, 'line')}; ${found}`, ...named];
}

function requestsWords({ counts, currency, dryRun: { limits, requested, open, before } }: ImportPreview): string {
  const waiting = open > 0 ? `; ${counted(open, 'of them waits', 'of them wait')} already` : '';
  const all = allBeforeWords(counts.rows, before?.limits);
  return all ?? `${counted(limits, 'limit')}, ${moneyText(requested, currency)} in total${waiting}`;
}

/** Lines about limits that the file requests although their buyers have a limit already, or will have or may have one. */
function besidesWords({ currency, dryRun: { besides, alike = 0 } }: ImportPreview): string[] {
  const others = counted(
    besides.limits,
    'is for a buyer that has another limit',
    'are for buyers that have another limit',
  );
  const known = counted(alike, 'is for a buyer', 'are for buyers');
  return [
    ...(besides.limits > 0 ? [`${others} (${moneyText(besides.requested, currency)})`] : []),
    ...(alike > 0 ? [`${known} that may be known under another identifier`] : []),
  ];
}

/** Which rows of earlier imports the file lacks, by what becomes of them. */
function lackingFacts({ replace, dryRun: { lacking = 0, lackingSent = 0, isCut } }: ImportPreview): string[] {
  const [cancelled, kept] = replace && !isCut ? [lacking, lackingSent] : [0, lacking + lackingSent];
  const words = (count: number) => `${earlierRows(count)} that ${count === 1 ? 'is' : 'are'} not in this file`;
  return [
    ...fact(
      'Cancels',
      ...(cancelled > 0 ? [`${words(cancelled)} and ${cancelled === 1 ? 'was' : 'were'} not sent`] : []),
    ),
    ...fact('Keeps', ...(kept > 0 ? [words(kept)] : []), ...(kept > 0 && replace && isCut ? [`${CUT_OFF}.`] : [])),
  ];
}

function replacesWords({ dryRun: { replaced } }: ImportPreview): string[] {
  return replaced > 0 ? [`${earlierRows(replaced)} that this file corrects`] : [];
}

/** Good lines that are not requested again, and why. */
function skippedWords({ dryRun: { before } }: ImportPreview): string[] {
  const { limits = 0, held = 0, needAnswer = 0, heldIn } = before ?? {};
  const portfolio = heldIn === undefined ? 'NAME' : `"${heldIn}"`;
  const underWay = held - needAnswer;
  return [
    ...(limits > 0 ? [`${limits.toLocaleString('en')} requested before`] : []),
    ...(underWay > 0 ? [`${underWay.toLocaleString('en')} under way`] : []),
    ...(needAnswer > 0
      ? [`${needAnswer.toLocaleString('en')} held (npx limitline report ${portfolio} --state held)`]
      : []),
  ];
}

/** The most characters of a buyer's name that are shown, so that a line with the largest amounts stays below 80. */
const MOST_OF_NAME = 40;

function nameWords({ name }: LargeRequest): string {
  const text = visible(name);
  return text.length > MOST_OF_NAME ? `${text.slice(0, MOST_OF_NAME - 1)}…` : text;
}

function createsWords({ dryRun: { companies, documents, uploadBytes } }: ImportPreview): string {
  const created = counted(companies, 'company', 'companies');
  if (documents === 0) return `${created}; no documents`;
  return `${created}; ${counted(documents, 'document')} to upload, ${sizeWords(uploadBytes)}`;
}

function timeWords({ dryRun: { durationS }, ratePerS }: ImportPreview): string {
  if (durationS === null || ratePerS === undefined) return "not known yet: the service's pace is found out on the way";
  const perS = ratePerS < 10 ? ratePerS.toFixed(1) : ratePerS.toFixed(0);
  return `about ${durationWords(durationS)}, at ${perS} calls a second`;
}
