import { readFileSync } from 'node:fs';
import { renderPrintedReport } from '../../src/console/pages/nightly/report-view.ts';
import { joinStyles } from '../../src/console/server/assets.ts';
import { counted, grouped, moneyText } from '../../src/counted.ts';
import {
  CHECKS,
  type CheckName,
  type NightReport,
  type ReportFinding,
  type ReportGroup,
  SECTIONS,
  type WholeReport,
} from '../../src/ledger/nightly/checks.ts';
import { changeWords, NO_MORE_WORDS, reportWords, SECTION_WORDS } from '../../src/ledger/nightly/compare-reports.ts';
import { visible } from '../../src/portfolio/problem.ts';
import { minuteText } from '../../src/utc-text.ts';
import { foldedText } from '../terminal/width.ts';

/** The most findings of one check that are listed; the files and `--json` have all. */
const SHOWN_OF_A_CHECK = 10;

/** The width of the column with the number of rows, before a finding's text. */
const WORDS_FROM = 16;

/**
 * A report as text: result, changes, findings by check, and the paths of its files.
 *
 * @param here this host's name: another host's files are named with their host
 */
export function reportTable(report: NightReport, findings: readonly ReportFinding[], here: string): string {
  const lines = foldedText(`${reportWords(report)} ${sinceWords(report)}`.trimEnd());
  for (const section of SECTIONS) {
    const groups = report.groups.filter((group) => group.section === section);
    if (groups.length === 0) continue;
    lines.push('', SECTION_WORDS[section].title.toUpperCase());
    for (const group of groups) lines.push(...groupLines(group, findings));
  }
  lines.push('', ...[NO_MORE_WORDS, ...(report.looked.notes ?? [])].flatMap((words) => foldedText(words)));
  if (report.files) {
    const { folder, items, page, host } = report.files;
    lines.push('', `All items: ${folder}/${items}`);
    if (page !== undefined) lines.push(`To print:  ${folder}/${page}`);
    if (host !== here) lines.push(`These files are on the host ${host}.`);
  }
  if (report.fault !== undefined) lines.push('', ...foldedText(`No files were left: ${report.fault}`));
  return lines.join('\n');
}

const FOLDER = new URL('../../src/console/assets/styles/', import.meta.url);

/** The console's styles that a printed report needs. The others are for screens. */
const FILES = ['2-base', '2-parts', '4-states', '5-boxes', '8-forms', 'page-nightly', 'page-paper'];

/** Renders a report as one page for printing, with the console's styles in light colours. */
export function printReport(whole: WholeReport): Iterable<string> {
  return renderPrintedReport(whole, stylesOnPaper());
}

function sinceWords(report: NightReport): string {
  const words = changeWords(report);
  if (!report.before || words === '') return '';
  return `Since the report of ${minuteText(report.before.madeMs)}: ${words}.`;
}

function groupLines(group: ReportGroup, findings: readonly ReportFinding[]): string[] {
  const { check, from, findings: count, rows, sum, currency } = group;
  const total = `${counted(rows, 'row')}${sum === undefined ? '' : `, ${askedWord(check)}${moneyText(sum, currency)}`}`;
  const shown = findings.slice(from, from + Math.min(count, SHOWN_OF_A_CHECK));
  const rest = count - shown.length;
  return [
    '',
    ...foldedText(`${CHECKS[check].title} (${total})`, 2),
    ...shown.flatMap(findingLines),
    ...(rest > 0
      ? [`${' '.repeat(WORDS_FROM)}… and ${counted(rest, 'more finding')}, which --json and the files have`]
      : []),
  ];
}

/** A word before a finding's sum that tells requested from granted, if the finding has both; else ''. */
const askedWord = (check: CheckName) => (check === 'granted below' ? 'requested ' : '');

function findingLines(given: ReportFinding): string[] {
  const { rows, portfolio, finding, change, rowsBefore, sum, granted, currency, sinceMs, commands } = given;
  const count = change === 'gone' ? (rowsBefore ?? 0) : rows;
  const changed =
    change === undefined || change === 'gone'
      ? ''
      : ` [${change === 'sums' ? 'other sums' : change}${rowsBefore !== undefined && rowsBefore !== rows ? `, ${grouped(rowsBefore)} before` : ''}]`;
  const since =
    sinceMs === undefined ? '' : `, ${rows === 1 ? 'since' : 'the oldest since'} ${minuteText(sinceMs).slice(0, 10)}`;
  const money = sum === undefined ? '' : `, ${askedWord(given.check)}${moneyText(sum, currency)}`;
  const isBelow = given.check === 'granted below' && granted !== undefined;
  const below = isBelow ? `, granted ${moneyText(granted, currency)}` : '';
  const text = `${portfolio || 'All portfolios'}: ${finding}${money}${below}${since}${changed}`;
  const [first = '', ...more] = foldedText(visible(text), WORDS_FROM);
  const head = `${grouped(count).padStart(WORDS_FROM - 2)}  ${first.trimStart()}`;
  const ways = commands.slice(0, 1).map((command) => `${' '.repeat(WORDS_FROM)}npx limitline ${visible(command)}`);
  return [head, ...more, ...ways, ...(commands.length > 1 ? [`${' '.repeat(WORDS_FROM)}${OTHER_WAYS}`] : [])];
}

/** The note below a finding's first command if there are several, so that nobody takes the command for all rows. */
const OTHER_WAYS = 'is for the first of these rows; each row has its own command';

/** The console's styles for a printed report, read when one is made, once a night. */
function stylesOnPaper(): string {
  const colours = textOf('1-tokens').replace('light dark', 'light');
  const files = FILES.map((name) => ({ name: `${name}.css`, text: textOf(name) }));
  return joinStyles([{ name: 'colours.css', text: colours }, ...files])
    .map(({ text }) => text)
    .join('');
}

const textOf = (name: string): string => readFileSync(new URL(`${name}.css`, FOLDER), 'utf8');
