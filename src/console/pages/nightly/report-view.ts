import { grouped, moneyText } from '../../../counted.ts';
import type { NightReport, ReportGroup, SectionName, WholeReport } from '../../../ledger/nightly/checks.ts';
import { CHANGES, CHECKS, SECTIONS } from '../../../ledger/nightly/checks.ts';
import {
  changeWords,
  countFindings,
  NO_MORE_WORDS,
  reportWords,
  SECTION_WORDS,
} from '../../../ledger/nightly/compare-reports.ts';
import { secondText } from '../../../utc-text.ts';
import { countWords, escapeHtml, type Html, html, t, translated } from '../../html/html.ts';
import { emptyState, notice, pager, table } from '../../parts/blocks.ts';
import { stats } from '../../parts/figures.ts';
import { commandLine, moment, theirWords, withNumbers } from '../../parts/text.ts';
import { nightlyAddress, reportAddress } from '../addresses.ts';
import { CHANGE_WORDS, changeMark, findingView, type Medium, type ShownFinding } from './finding-view.ts';

/** The findings of one check in one section of a report; `shown` may be a part of them. */
export type ShownGroup = ReportGroup & { shown: readonly ShownFinding[] };

export type ShownReport = { report: NightReport; groups: readonly ShownGroup[] };

/** The summary of a report: a sentence, figures, and changes since the report before. */
export function reportHead(report: Omit<NightReport, 'files'>, medium: Medium = 'page'): Html {
  const { before, looked, findings, beganMs, madeMs } = report;
  const person = countFindings(report, 'person');
  const kind = person > 0 ? 'warn' : findings > 0 ? 'info' : 'good';
  const changed = changeWords(report);
  return html`${notice(kind, html`${withNumbers(reportWords(report))}${before && changed !== '' && html` Since the report of ${moment(before.madeMs)}: ${withNumbers(changed)}.`}`)}
    ${
      findings > 0 &&
      stats([
        {
          label: t`Need an answer`,
          value: grouped(person),
          hint: countWords(countFindings(report, 'person', 'rows'), 'row'),
          ...(person > 0 ? { kind: 'warn' as const } : {}),
        },
        { label: t`For finance`, value: grouped(countFindings(report, 'finance')) },
        { label: t`Corrected`, value: grouped(countFindings(report, 'mended')) },
        { label: t`No more found`, value: before ? grouped(countFindings(report, 'gone')) : '–' },
      ])
    }
    <p class="quiet">Made ${moment(madeMs)} in ${seconds(madeMs - beganMs)}, over ${withNumbers(countWords(looked.portfolios, 'portfolio'))}${looked.rows !== undefined && html` and ${withNumbers(countWords(looked.rows, 'row'))}`}. ${NO_MORE_WORDS}</p>
    ${(looked.notes ?? []).map((words) => html`<p class="quiet">${words}</p>`)}
    ${report.crowded.length > 0 && html`<p class="quiet">More was found than is listed here; the CSV file has all of it.</p>`}
    ${report.fault !== undefined && notice('warn', html`An operator can see why. ${medium === 'page' && commandLine('npx limitline reconcile --last')}`, { title: t`The files of this report could not be written.` })}`;
}

/** All sections of a report that have findings, each check collapsible. */
export function reportSections(
  { report, groups }: Omit<ShownReport, 'report'> & { report: Pick<NightReport, 'id'> },
  medium: Medium,
): Html {
  return html`${SECTIONS.map((section) => {
    const own = groups.filter((group) => group.section === section);
    return own.length > 0 && sectionView(section, own, report.id, medium);
  })}`;
}

function sectionView(section: SectionName, groups: readonly ShownGroup[], id: string, medium: Medium): Html {
  const { title, lead } = SECTION_WORDS[section];
  return html`<section class="report-part" aria-labelledby="part-${section}">
    <h3 id="part-${section}">${translated(title)}</h3><p class="quiet">${translated(lead)}</p>
    ${groups.map((group) => groupView(group, id, medium))}
  </section>`;
}

/**
 * The most findings with which a check in the section for finance is unfolded. In the section for a person checks are always
 * unfolded, and those with mended or gone findings are always folded.
 */
const OPEN_UP_TO = 3;

function groupView(group: ShownGroup, id: string, medium: Medium): Html {
  const { section, check, findings, shown } = group;
  const rest = findings - shown.length;
  const list = html`<ul class="findings">${shown.map((finding) => findingView(finding, medium))}</ul>
    ${
      rest > 0 &&
      (medium === 'page'
        ? html`<p><a href="${reportAddress(id, { section, check })}">All ${withNumbers(countWords(findings, 'finding'))}</a></p>`
        : html`<p class="quiet">${withNumbers(countWords(rest, 'more finding'))} in the CSV file.</p>`)
    }`;
  if (medium === 'paper') return html`<div class="check"><h4>${groupTitle(group)}</h4>${list}</div>`;
  const isOpen = section === 'person' || (section === 'finance' && findings <= OPEN_UP_TO);
  return html`<details class="check" open="${isOpen}"><summary>${groupTitle(group)}</summary>${list}</details>`;
}

/** The heading of a check: `A person must say … · 3 rows in 2 findings · 3,000.00 · 1 new`. */
export function groupTitle({ section, check, rows, findings, sum, currency, changes }: ReportGroup): Html {
  const told = CHANGES.filter((change) => change !== 'gone' && change !== 'same' && changes[change]);
  const figures = `${countWords(rows, 'row')}${findings > 1 ? t` in ${countWords(findings, 'finding')}` : ''}`;
  return html`<span class="check-title">${translated(CHECKS[check].title)}</span> <span class="check-figures">${withNumbers(figures)}${sum !== undefined && section !== 'gone' && withNumbers(` · ${check === 'granted below' ? t`requested ` : ''}${moneyText(sum, currency)}`)}</span>${told.map((change) => html` ${changeMark(change, `${grouped(changes[change] ?? 0)} ${CHANGE_WORDS[change]}`)}`)}`;
}

/** A duration: `3.2 s`, `4 min 10 s`. */
function seconds(ms: number): string {
  const whole = Math.max(0, ms) / 1_000;
  if (whole < 60) return t`${whole.toFixed(1)} s`;
  return t`${Math.floor(whole / 60)} min ${Math.round(whole % 60)} s`;
}

/** The time of a night as a title: `2026-11-22 01:30:00 UTC`. */
export function nightTitle({ atMs }: Pick<NightReport, 'atMs'>): string {
  return secondText(atMs);
}

/** The most findings of a check on paper; the file of all items has the rest. */
const FINDINGS_ON_PAPER = 200;

/**
 * A report as a printable page, yielded in pieces. It loads nothing, runs nothing, and is light, for paper.
 *
 * @param styles the page's CSS
 */
export function* renderPrintedReport({ report, findings }: WholeReport, styles: string): Generator<string> {
  const title = t`Nightly report of ${nightTitle(report)}`;
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
  yield html`<h1>${title}</h1><p class="lead">Account <bdi>${report.account}</bdi>, made by <bdi>${report.by}</bdi></p>${reportHead(report, 'paper')}<h2>What was found</h2>`
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

/** The last reports, or those before `beforeMs`, the newest first. `next` is the `beforeMs` of the next page. */
export type ReportsPage = { reports: readonly NightReport[]; beforeMs?: number; next?: number };

export function reportsList({ reports, beforeMs, next }: ReportsPage): Html {
  return html`${table({
    caption: t`Reports, the newest first`,
    rows: reports,
    empty: emptyState({ title: t`No report yet.`, words: t`The first one is made in the coming night.` }),
    columns: [
      {
        head: t`Made`,
        names: true,
        cell: ({ id, madeMs }) => html`<a href="${reportAddress(id)}">${moment(madeMs)}</a>`,
      },
      { head: t`By`, cell: ({ by }) => theirWords(by) },
      { head: t`Need an answer`, kind: 'number', cell: (report) => figure(countFindings(report, 'person')) },
      { head: t`For finance`, kind: 'number', cell: (report) => figure(countFindings(report, 'finance')) },
      { head: t`Corrected`, kind: 'number', cell: (report) => figure(countFindings(report, 'mended')) },
      { head: t`Change`, cell: (report) => changeWords(report) || '–' },
    ],
  })}
  ${
    (beforeMs !== undefined || next !== undefined) &&
    pager({
      words: '',
      first: beforeMs === undefined ? undefined : nightlyAddress(),
      next: next === undefined ? undefined : nightlyAddress(next),
    })
  }`;
}

/** A count; zero is a quiet dash, so that nights with findings stand out. */
function figure(count: number): Html {
  return count === 0 ? html`<span class="quiet">–</span>` : html`${withNumbers(grouped(count))}`;
}
