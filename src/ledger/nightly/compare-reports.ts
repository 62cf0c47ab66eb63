import { counted, grouped } from '../../counted.ts';
import {
  CHECKS,
  type CheckName,
  type Finding,
  type FindingChange,
  type NightReport,
  type ReportFinding,
  type ReportGroup,
  SECTIONS,
  type SectionName,
  type WholeReport,
} from './checks.ts';
import { CHECK_ORDER, type GroupedFindings, nameOfFinding } from './group-findings.ts';
import { makeReportSum } from './report-sum.ts';

/** The previous report: its findings, and the checks with too many findings to list. */
export type Before = {
  id: string;
  madeMs: number;
  crowded: readonly CheckName[];
  findings: readonly Pick<
    ReportFinding,
    'check' | 'portfolio' | 'finding' | 'rows' | 'isMended' | 'change' | 'sum' | 'granted' | 'currency'
  >[];
};

type Compared = WholeReport['findings'][number];

/**
 * Compares a night's findings with the previous report. Answers them in the order of the report, each with its change, followed by those
 * that are gone; and their groups by section and check. Pure.
 */
export function compareReports(
  { findings, crowded }: Pick<GroupedFindings, 'findings' | 'crowded'>,
  before: Before | undefined,
): { findings: Compared[]; groups: ReportGroup[] } {
  const known = new Map(before?.findings.flatMap((one) => (one.change === 'gone' ? [] : [[nameOfFinding(one), one]])));
  const blurred = new Set([...crowded, ...(before?.crowded ?? [])]);
  const compared = findings.map((finding): Compared => {
    const was = known.get(nameOfFinding(finding));
    known.delete(nameOfFinding(finding));
    if (!before || (was === undefined && blurred.has(finding.check))) return finding;
    return was === undefined
      ? { ...finding, change: 'new' }
      : { ...finding, change: changeOf(finding, was), rowsBefore: was.rows };
  });
  // A finding that was mended the night before is expected to be gone, so that is not reported.
  const gone = [...known.values()].filter(
    ({ check, isMended }) => !isMended && !blurred.has(check) && Object.hasOwn(CHECKS, check),
  );
  const all = [...compared, ...gone.map(asGone)].sort(inOrder);
  return { findings: all, groups: groupsOf(all) };
}

/** The section of a finding, or of one of its items. */
export function sectionOf(given: Pick<ReportFinding, 'check' | 'isMended' | 'change'>): SectionName {
  const { check, isMended, change } = given;
  if (change === 'gone') return 'gone';
  // A held row is no error in the records, yet only a person can let it go on.
  if (check === 'held') return 'person';
  if (CHECKS[check].kind === 'finance') return 'finance';
  return isMended ? 'mended' : 'person';
}

/** Number of a report's findings, without those that are gone; or of their rows. */
export function countFindings(
  { groups }: Pick<NightReport, 'groups'>,
  section?: SectionName,
  what: 'findings' | 'rows' = 'findings',
): number {
  return groups
    .filter((group) => (section === undefined ? group.section !== 'gone' : group.section === section))
    .reduce((sum, group) => sum + group[what], 0);
}

type Figures = Pick<Finding, 'rows' | 'sum' | 'granted'>;

/** The change of a finding since the previous report, by its rows and sums. A report of an earlier version has no sum granted. */
function changeOf({ rows, sum, granted }: Figures, before: Figures): FindingChange {
  if (rows !== before.rows) return rows > before.rows ? 'more' : 'fewer';
  return sum === before.sum && granted === (before.granted ?? granted) ? 'same' : 'sums';
}

function asGone({ check, portfolio, finding, rows }: Before['findings'][number]): Compared {
  const nothing = { rows: 0, isMended: true, commands: [], examples: [] };
  return { check, portfolio, finding, ...nothing, change: 'gone', rowsBefore: rows };
}

/** The order of findings: by section, by check, and then by most rows; ties by portfolio. */
function inOrder(a: Compared, b: Compared): number {
  return (
    SECTIONS.indexOf(sectionOf(a)) - SECTIONS.indexOf(sectionOf(b)) ||
    CHECK_ORDER.indexOf(a.check) - CHECK_ORDER.indexOf(b.check) ||
    b.rows - a.rows ||
    (b.rowsBefore ?? 0) - (a.rowsBefore ?? 0) ||
    compareTexts(nameOfFinding(a), nameOfFinding(b))
  );
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function groupsOf(findings: readonly Compared[]): ReportGroup[] {
  const begun: (Pick<ReportGroup, 'section' | 'check' | 'from'> & { of: Compared[] })[] = [];
  for (const [from, finding] of findings.entries()) {
    const section = sectionOf(finding);
    const last = begun.at(-1);
    if (last?.section === section && last.check === finding.check) last.of.push(finding);
    else begun.push({ section, check: finding.check, from, of: [finding] });
  }
  return begun.map(({ of, ...group }) => ({ ...group, ...totalsOf(of) }));
}

function totalsOf(findings: readonly Compared[]): Omit<ReportGroup, 'section' | 'check' | 'from'> {
  const sum = makeReportSum();
  const changes: Partial<Record<FindingChange, number>> = {};
  const currencies = new Set<string | undefined>();
  let rows = 0;
  for (const finding of findings) {
    rows += finding.change === 'gone' ? (finding.rowsBefore ?? 0) : finding.rows;
    if (finding.sum !== undefined) {
      sum.add(finding.sum);
      currencies.add(finding.currency);
    }
    if (finding.change !== undefined) changes[finding.change] = (changes[finding.change] ?? 0) + 1;
  }
  const [currency] = currencies.size === 1 ? currencies : [];
  // Amounts of several currencies have no sum.
  const isMixed = findings.some((one) => one.isMixed) || [...currencies].filter((one) => one !== undefined).length > 1;
  const total = isMixed ? undefined : sum.text();
  const told = { ...(total !== undefined && { sum: total }), ...(currency !== undefined && { currency }) };
  return { findings: findings.length, rows, ...told, changes };
}

/** Titles of a report's sections, and a sentence on each for its readers. */
export const SECTION_WORDS: Readonly<Record<SectionName, { title: string; lead: string }>> = {
  person: {
    title: 'Needs an answer',
    lead: 'Requests whose outcome nobody knows, and records that Limitline may not correct by itself.',
  },
  finance: { title: 'For finance', lead: 'The records are right. These requests may need something from finance.' },
  mended: { title: 'Corrected', lead: 'What did not agree, and was corrected at once: nothing is left to do.' },
  gone: { title: 'No more found', lead: 'Findings of the previous report that this report no longer has.' },
};

/** The limits of what a report can tell. */
export const NO_MORE_WORDS =
  'The service shows no way to read anything back, so this compares our own records with each other and no more: files, portfolios, ledger, queues and buyers’ lists. What the service has may differ.';

/** A night's result in one sentence: `3 findings: 1 for a person, 2 for finance.`, `7 findings, all for finance.` */
export function reportWords(report: Pick<NightReport, 'groups'>): string {
  const total = countFindings(report);
  if (total === 0) return 'Nothing was found: all that we keep agrees.';
  const parts = [
    { count: countFindings(report, 'person'), words: 'for a person' },
    { count: countFindings(report, 'finance'), words: 'for finance' },
    { count: countFindings(report, 'mended'), words: 'corrected' },
  ].filter(({ count }) => count > 0);
  const [first] = parts;
  if (parts.length === 1 && first) return `${counted(total, 'finding')}, ${total > 1 ? 'all ' : ''}${first.words}.`;
  return `${counted(total, 'finding')}: ${parts.map(({ count, words }) => `${grouped(count)} ${words}`).join(', ')}.`;
}

/** How the findings differ from the previous report: `2 new, 1 with more rows, 4 the same, 3 no more found`; '' without one. */
export function changeWords({ groups, before }: Pick<NightReport, 'groups' | 'before'>): string {
  if (!before) return '';
  const count = (change: FindingChange) => groups.reduce((sum, { changes }) => sum + (changes[change] ?? 0), 0);
  const parts = [
    { count: count('new'), words: 'new' },
    { count: count('more'), words: 'with more rows' },
    { count: count('fewer'), words: 'with fewer' },
    { count: count('sums'), words: 'with other sums' },
    { count: count('same'), words: 'the same' },
    { count: count('gone'), words: 'no more found' },
  ].filter((part) => part.count > 0);
  return parts.map((part) => `${grouped(part.count)} ${part.words}`).join(', ');
}
