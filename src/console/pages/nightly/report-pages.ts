import { grouped } from '../../../counted.ts';
import { CHECKS } from '../../../ledger/nightly/checks.ts';
import { SECTION_WORDS } from '../../../ledger/nightly/report-words.ts';
import type { Rights } from '../../access/access.ts';
import { type Html, html } from '../../html/html.ts';
import { pageHead, panel } from '../../parts/page-head.ts';
import { pager } from '../../parts/pager.ts';
import { findingView } from './finding-view.ts';
import { nightlyAddress, reportAddress } from './nightly-address.ts';
import type { ReportPlace } from './nightly-functions.ts';
import {
  groupTitle,
  nightTitle,
  reportHead,
  reportSections,
  type ShownGroup,
  type ShownReport,
} from './report-view.ts';
import { fileButtons } from './sections.ts';

const UP = { href: nightlyAddress(), words: 'Nightly' };

/** One report by itself. */
export function reportPage(shown: ShownReport, rights: Rights): Html {
  const { report } = shown;
  const title = `Report of ${nightTitle(report)}`;
  return html`${pageHead({ title, trail: [UP], actions: fileButtons(report, rights) })}
    ${panel({ title: 'What was found', body: html`${reportHead(report)}${reportSections(shown, 'page')}` })}`;
}

/** The findings of one check of a report, a page of them. */
export function groupPage(
  id: string,
  { section, check, after }: ReportPlace,
  { atMs, group, next }: { atMs: number; group: ShownGroup; next?: number },
): Html {
  const of = { section, check };
  const until = after + group.shown.length;
  return html`${pageHead({
    title: CHECKS[check].title,
    trail: [UP, { href: reportAddress(id), words: `Report of ${nightTitle({ atMs })}` }],
    lead: SECTION_WORDS[section].title,
  })}
  ${panel({ title: 'Findings', body: html`<p class="check">${groupTitle(group)}</p><ul class="findings">${group.shown.map((finding) => findingView(finding, 'page'))}</ul>` })}
  ${pager({
    words: `${grouped(after + 1)} to ${grouped(until)} of ${grouped(group.findings)}`,
    first: after === 0 ? undefined : reportAddress(id, of),
    next: next === undefined ? undefined : reportAddress(id, { ...of, after: next }),
  })}`;
}
