import { counted, grouped } from '../../counted.ts';
import { countFindings } from './compare-reports.ts';
import type { Change, NightReport, SectionName } from './night-report.ts';

/** What the parts of a report are called, and what each means to who reads it. */
export const SECTION_WORDS: Readonly<Record<SectionName, { title: string; lead: string }>> = {
  person: { title: 'Wants a person', lead: 'Held calls, and what does not agree and is not mended for certain.' },
  finance: { title: 'For finance', lead: 'Nothing is wrong with the records here; this is what they say.' },
  mended: { title: 'Mended', lead: 'What did not agree, and was mended at once: nothing is left to do.' },
  gone: { title: 'No more found', lead: 'What the report before had, and this one has not.' },
};

/** What a report is no more than. */
export const NO_MORE_WORDS =
  'The service shows no way to read anything back, so this compares our own records with each other and no more: files, portfolios, ledger, queues and buyers’ lists. What the service has may differ.';

/** What came of a night, in one sentence: `3 findings: 1 for a person, 2 for finance.`, `7 findings, all for finance.` */
export function reportWords(report: Pick<NightReport, 'groups'>): string {
  const total = countFindings(report);
  if (total === 0) return 'Nothing was found: all that we keep agrees.';
  const parts = [
    { count: countFindings(report, 'person'), words: 'for a person' },
    { count: countFindings(report, 'finance'), words: 'for finance' },
    { count: countFindings(report, 'mended'), words: 'mended' },
  ].filter(({ count }) => count > 0);
  const [first] = parts;
  if (parts.length === 1 && first) return `${counted(total, 'finding')}, ${total > 1 ? 'all ' : ''}${first.words}.`;
  return `${counted(total, 'finding')}: ${parts.map(({ count, words }) => `${grouped(count)} ${words}`).join(', ')}.`;
}

/** How the findings differ from the report before: `2 new, 1 more than before, 4 the same, 3 no more found`; nothing without one. */
export function changeWords({ groups, before }: Pick<NightReport, 'groups' | 'before'>): string {
  if (!before) return '';
  const count = (change: Change) => groups.reduce((sum, { changes }) => sum + (changes[change] ?? 0), 0);
  const parts = [
    { count: count('new'), words: 'new' },
    { count: count('more'), words: 'with more rows' },
    { count: count('fewer'), words: 'with fewer' },
    { count: count('same'), words: 'the same' },
    { count: count('gone'), words: 'no more found' },
  ].filter((part) => part.count > 0);
  return parts.map((part) => `${grouped(part.count)} ${part.words}`).join(', ');
}
