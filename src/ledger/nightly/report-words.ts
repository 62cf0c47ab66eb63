import { counted } from '../../counted.ts';
import { countFindings } from './compare-reports.ts';
import type { NightReport, SectionName } from './night-report.ts';

/** What the parts of a report are called, and what each means to who reads it. */
export const SECTION_WORDS: Readonly<Record<SectionName, { title: string; lead: string }>> = {
  person: { title: 'Wants a person', lead: 'What does not agree, and is not certain enough to be mended.' },
  finance: { title: 'For finance', lead: 'Nothing is wrong with the records here; this is what they say.' },
  mended: { title: 'Mended', lead: 'What did not agree, and was mended at once: nothing is left to do.' },
  gone: { title: 'No more found', lead: 'What the report before had, and this one has not.' },
};

/** What a report is no more than. */
export const NO_MORE_WORDS =
  'The service shows no way to read anything back, so this compares our own records with each other and no more: files, portfolios, ledger, queues and buyers’ lists. What the service has may differ.';

/** What came of a night, in one sentence: `Nothing was found.`, `3 findings: 1 wants a person, 2 are for finance.` */
export function reportWords(report: Pick<NightReport, 'groups'>): string {
  const total = countFindings(report);
  if (total === 0) return 'Nothing was found: all that we keep agrees.';
  const parts = [
    said(countFindings(report, 'person'), 'wants a person', 'want a person'),
    said(countFindings(report, 'finance'), 'is for finance', 'are for finance'),
    said(countFindings(report, 'mended'), 'was mended', 'were mended'),
  ];
  return `${counted(total, 'finding')}: ${parts.filter((part) => part !== '').join(', ')}.`;
}

/** How the findings differ from the report before: `2 new, 1 more than before, 4 the same, 3 no more found`; nothing without one. */
export function changeWords({ groups, before }: Pick<NightReport, 'groups' | 'before'>): string {
  if (!before) return '';
  const count = (change: 'new' | 'more' | 'fewer' | 'same' | 'gone') =>
    groups.reduce((sum, { changes }) => sum + (changes[change] ?? 0), 0);
  const parts = [
    said(count('new'), 'new'),
    said(count('more'), 'with more rows'),
    said(count('fewer'), 'with fewer'),
    said(count('same'), 'the same'),
    said(count('gone'), 'no more found'),
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function said(count: number, one: string, many = one): string {
  return count === 0 ? '' : `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}
