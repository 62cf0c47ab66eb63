import { basename } from 'node:path';
import { durationWords } from '../../src/console/pages/new/words.ts';
import { allBeforeWords, counted, earlierRows, moneyText } from '../../src/counted.ts';
import { agreesWords } from '../../src/portfolio/control-total.ts';
import type { Opened } from '../../src/portfolio/open-portfolio.ts';
import type { DryRun, LargeRequest } from '../../src/portfolio/preview.ts';
import { visible } from '../../src/portfolio/problem.ts';
import { type Supplier, unsentWords } from '../../src/portfolio/supplier.ts';
import { type OpenRows, othersWords } from '../ending/open-portfolios.ts';
import { understoodWords } from '../file/understanding.ts';

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
  largest: readonly LargeRequest[];
  /** Rows that the command sends though the file does not name them. */
  others: readonly OpenRows[];
  /** Calls per second to be expected; undefined if unknown. */
  ratePerS: number | undefined;
};

/** The preview as lines of text: about ten, more if many columns have other names. */
export function lookWords(look: ImportPreview): string[] {
  const { account, portfolio, supplierPath, supplier, replace, opened, largest } = look;
  const amounts = largest.map(({ requested }) => moneyText(requested));
  const width = Math.max(...amounts.map(({ length }) => length));
  return [
    ...fact('Account', `${account}, portfolio ${portfolio}`),
    ...fact('File', ...fileWords(look), ...understoodWords(opened).split('\n')),
    ...fact('Total', ...opened.misstated.map(({ line, value, message }) => `line ${line}, ${value}: ${message}`)),
    ...fact('Control', ...(look.total === undefined ? [] : [agreesWords(look.total)])),
    ...fact('Requests', requestsWords(look)),
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
    ...fact('Cancels', ...(replace ? ['rows of earlier imports that are not in this file and were not sent'] : [])),
    ...(look.first === undefined ? [] : fact('First', firstWords(look.first))),
    ...(look.dryRun.limits > 0 ? fact('Takes', timeWords(look)) : []),
    ...fact('Sends too', ...othersWords(look.others)),
  ];
}

export function questionOf(look: ImportPreview): string {
  const { limits } = look.dryRun;
  if (limits === 0) return 'Send these rows? [y/N] ';
  return `Request ${limits === 1 ? 'this limit' : `these ${limits.toLocaleString('en')} limits`}? [y/N] `;
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

/** Good lines that are not requested again, and why. */
function replacesWords({ dryRun: { replaced } }: ImportPreview): string[] {
  return replaced > 0 ? [`${earlierRows(replaced)} that this file corrects`] : [];
}

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
  return `${created}; ${counted(documents, 'document')} to upload, ${megabytes(uploadBytes)} MB`;
}

/** Megabytes, rounded up, so that a small upload is not shown as none. */
function megabytes(bytes: number): string {
  return (Math.ceil(bytes / 100_000) / 10).toFixed(1);
}

function timeWords({ dryRun: { durationS }, ratePerS }: ImportPreview): string {
  if (durationS === null || ratePerS === undefined) return "not known yet: the service's pace is found out on the way";
  const perS = ratePerS < 10 ? ratePerS.toFixed(1) : ratePerS.toFixed(0);
  return `about ${durationWords(durationS)}, at ${perS} calls a second`;
}
