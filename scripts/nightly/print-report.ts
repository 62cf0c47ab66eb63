import { readFileSync } from 'node:fs';
import { renderPrintedReport } from '../../src/console/pages/nightly/report-view.ts';
import { joinStyles } from '../../src/console/server/assets.ts';
import type { WholeReport } from '../../src/ledger/nightly/night-report.ts';

const FOLDER = new URL('../../src/console/assets/styles/', import.meta.url);

/** What the report has in common with the console's pages. What is not named here is for what no paper has. */
const FILES = ['2-base', '4-states', '5-boxes', '8-forms', 'page-nightly', 'page-paper'];

/** A report as one file to be printed, with the console's styles in it, in its light colours. */
export function printReport(whole: WholeReport): Iterable<string> {
  return renderPrintedReport(whole, stylesOnPaper());
}

/** Read where a report is made, once a night. */
function stylesOnPaper(): string {
  const [colours = ''] = textOf('1-tokens').split('@media (prefers-color-scheme: dark)');
  const files = FILES.map((name) => ({ name: `${name}.css`, text: textOf(name) }));
  return joinStyles([{ name: 'colours.css', text: colours.replace('light dark', 'light') }, ...files])
    .map(({ text }) => text)
    .join('');
}

function textOf(name: string): string {
  return readFileSync(new URL(`${name}.css`, FOLDER), 'utf8');
}
