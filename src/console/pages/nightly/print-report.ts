import { type ReportGroup, SECTIONS, type WholeReport } from '../../../ledger/nightly/night-report.ts';
import { escapeHtml, html } from '../../html/html.ts';
import { nightTitle, reportHead, reportSections } from './report-view.ts';

/** Findings of one check on paper; the file of all items beside it has the rest. */
const FINDINGS_ON_PAPER = 200;

/**
 * A report as a page of its own, to be printed or sent on: it loads nothing, runs nothing, and is light, since it is for paper.
 * Piece by piece, a part of the report each.
 *
 * @param styles what it looks like
 */
export function* printReport({ report, findings }: WholeReport, styles: string): Generator<string> {
  const title = `Nightly report of ${nightTitle(report)}`;
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${styles}</style>
</head>
<body class="paper">
<main>
`;
  yield html`<h1>${title}</h1><p class="lead">Account <bdi>${report.account}</bdi>, made by <bdi>${report.by}</bdi></p>${reportHead(report)}<h2>What was found</h2>`
    .markup;
  for (const section of SECTIONS) {
    const groups = report.groups.filter((group) => group.section === section);
    const shown = groups.map((group) => ({ ...group, shown: firstOf(group, findings) }));
    yield reportSections({ report, groups: shown }, 'paper').markup;
  }
  yield '</main>\n</body>\n</html>\n';
}

function firstOf({ from, findings: count }: ReportGroup, findings: WholeReport['findings']): WholeReport['findings'] {
  return findings.slice(from, from + Math.min(count, FINDINGS_ON_PAPER));
}
