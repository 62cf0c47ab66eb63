import { basename } from 'node:path';
import { durationWords } from '../../src/console/pages/new/words.ts';
import { allBeforeWords, counted } from '../../src/counted.ts';
import { moneyText } from '../../src/money-text.ts';
import type { Opened } from '../../src/portfolio/open-portfolio.ts';
import type { DryRun, LargeRequest } from '../../src/portfolio/preview.ts';
import { visible } from '../../src/portfolio/problem.ts';
import { understoodWords } from '../file/understanding.ts';

/** What a person is shown before the yes. */
export type ImportPreview = {
  account: string;
  portfolio: string;
  /** The file as it was named, and the supplier's. */
  path: string;
  supplierPath: string | undefined;
  /** Whether rows that the file lacks are cancelled. */
  replace: boolean;
  /** So many rows go first; nothing where all go. */
  first: number | undefined;
  opened: Pick<Opened, 'dialect' | 'columns' | 'headerLine' | 'above'>;
  counts: { lines: number; rows: number; invalid: number; duplicate: number };
  warnings: number;
  dryRun: DryRun;
  largest: readonly LargeRequest[];
  /** Calls a second that can be counted on; nothing where none is known. */
  ratePerS: number | undefined;
};

/** The look as lines of a terminal: some ten of them, and more where many columns are named otherwise. */
export function lookWords(look: ImportPreview): string[] {
  const { account, portfolio, supplierPath, replace, opened, largest } = look;
  const amounts = largest.map(({ requested }) => moneyText(requested));
  const width = Math.max(...amounts.map(({ length }) => length));
  return [
    ...fact('Account', `${account}, portfolio ${portfolio}`),
    ...fact('File', ...fileWords(look), ...understoodWords(opened).split('\n')),
    ...fact('Requests', requestsWords(look)),
    ...fact('Of these', ...besidesWords(look)),
    ...fact('Skips', ...skippedWords(look)),
    ...fact(
      'Largest',
      ...largest.map((one, at) => `${amounts[at]?.padStart(width)}  line ${one.line}, ${nameWords(one)}`),
    ),
    ...(look.dryRun.limits > 0 ? fact('Creates', createsWords(look)) : []),
    ...fact('Supplier', ...(supplierPath === undefined ? [] : [visible(basename(supplierPath))])),
    ...fact('Cancels', ...(replace ? ['rows of earlier imports that are not in this file and were not sent'] : [])),
    ...(look.first === undefined ? [] : fact('First', firstWords(look.first))),
    ...(look.dryRun.limits > 0 ? fact('Takes', timeWords(look)) : []),
  ];
}

/** The one question, which names the number that it is about. */
export function questionOf(look: ImportPreview): string {
  const { limits } = look.dryRun;
  return `Request ${limits === 1 ? 'this limit' : `these ${limits.toLocaleString('en')} limits`}? [y/N] `;
}

/** The facts have a column of their own, below each other. */
const FACTS_AT = 10;

function fact(name: string, ...lines: string[]): string[] {
  return lines.map((line, at) => `${(at === 0 ? name : '').padEnd(FACTS_AT)}${line}`);
}

function firstWords(first: number): string {
  return `${counted(first, 'row is', 'rows are')} sent, then it pauses; npx limitline resume sends the rest`;
}

function fileWords({ path, counts, warnings }: ImportPreview): string[] {
  const { lines, rows, invalid, duplicate } = counts;
  const [good, bad, twice] = [rows, invalid, duplicate].map((number) => number.toLocaleString('en'));
  const found = `${good} good, ${bad} invalid, ${twice} duplicate, ${counted(warnings, 'warning')}`;
  const named = invalid + duplicate + warnings === 0 ? [] : ['(npx limitline check lists them)'];
  return [`${visible(basename(path))}: ${counted(lines, 'line')}; ${found}`, ...named];
}

function requestsWords({ counts, dryRun: { limits, requested, open, before } }: ImportPreview): string {
  const waiting = open > 0 ? `; ${counted(open, 'of them waits', 'of them wait')} already` : '';
  const all = allBeforeWords(counts.rows, before?.limits);
  return all ?? `${counted(limits, 'limit')}, ${moneyText(requested)} in total${waiting}`;
}

/** What of it is asked for although its buyer has a limit, or will have one. */
function besidesWords({ dryRun: { besides } }: ImportPreview): string[] {
  if (besides.limits === 0) return [];
  const whose = besides.limits === 1 ? 'is for a buyer that has another' : 'are for buyers that have another';
  return [`${besides.limits.toLocaleString('en')} ${whose} (${moneyText(besides.requested)})`];
}

/** What of the file is not requested, and why. */
function skippedWords({ dryRun: { before } }: ImportPreview): string[] {
  const { limits, held } = before ?? { limits: 0, held: 0 };
  return [
    ...(limits > 0 ? [`${limits.toLocaleString('en')} requested before`] : []),
    ...(held > 0 ? [`${held.toLocaleString('en')} held or under way (npx limitline report NAME --state held)`] : []),
  ];
}

/** As much of a name as leaves the line below 80 columns with the largest amounts. */
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

/** Rounded up, since something goes up. */
function megabytes(bytes: number): string {
  return (Math.ceil(bytes / 100_000) / 10).toFixed(1);
}

function timeWords({ dryRun: { durationS }, ratePerS }: ImportPreview): string {
  if (durationS === null || ratePerS === undefined) return "not known yet: the service's pace is found out on the way";
  const perS = ratePerS < 10 ? ratePerS.toFixed(1) : ratePerS.toFixed(0);
  return `about ${durationWords(durationS)}, at ${perS} calls a second`;
}
