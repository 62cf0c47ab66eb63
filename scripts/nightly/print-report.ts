import { readFileSync } from 'node:fs';
import { renderPrintedReport } from '../../src/console/pages/nightly/report-view.ts';
import { joinStyles } from '../../src/console/server/assets.ts';
import type { WholeReport } from '../../src/ledger/nightly/night-report.ts';

const FOLDER = new URL('../../src/console/assets/styles/', import.meta.url);

/** The console's styles that a printed report needs. The others are for screens. */
const FILES = ['2-base', '4-states', '5-boxes', '8-forms', 'page-nightly', 'page-paper'];

/** Renders a report as one page for printing, with the console's styles in light colours. */
export function printReport(whole: WholeReport): Iterable<string> {
  return renderPrintedReport(whole, stylesOnPaper());
}

/** Read when a report is made, once a night. */
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
