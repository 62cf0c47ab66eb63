import { CHECKS, type CheckName } from './checks.ts';
import { makeExactSum } from './exact-sum.ts';
import { type GroupedFindings, nameOfFinding } from './group-findings.ts';
import {
  type Change,
  type NightReport,
  type ReportFinding,
  type ReportGroup,
  SECTIONS,
  type SectionName,
  type WholeReport,
} from './night-report.ts';

/** What is left of the report before: which findings it had, and which checks it could not tell apart. */
export type Before = {
  id: string;
  madeMs: number;
  crowded: readonly CheckName[];
  findings: readonly Pick<ReportFinding, 'check' | 'portfolio' | 'finding' | 'rows' | 'isMended' | 'change'>[];
};

type Compared = WholeReport['findings'][number];

/**
 * The findings of a night in the order of its report, each with what changed since the report before, and behind them what is
 * there no more; and the groups of them by part and check. Pure.
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
      : { ...finding, change: changeOf(finding.rows, was.rows), rowsBefore: was.rows };
  });
  // What was mended in the night before is no news by being mended.
  const gone = [...known.values()].filter(
    ({ check, isMended }) => !isMended && !blurred.has(check) && Object.hasOwn(CHECKS, check),
  );
  const all = [...compared, ...gone.map(asGone)].sort(inOrder);
  return { findings: all, groups: groupsOf(all) };
}

/** In which part of a report a finding stands. */
export function sectionOf({
  check,
  isMended,
  change,
}: Pick<ReportFinding, 'check' | 'isMended' | 'change'>): SectionName {
  if (change === 'gone') return 'gone';
  // No record is wrong, and yet nobody but a person can go on.
  if (check === 'held') return 'person';
  if (CHECKS[check].kind === 'finance') return 'finance';
  return isMended ? 'mended' : 'person';
}

/** How many findings a report has, less what is there no more; or how many rows they stand for. */
export function countFindings(
  { groups }: Pick<NightReport, 'groups'>,
  section?: SectionName,
  what: 'findings' | 'rows' = 'findings',
): number {
  return groups
    .filter((group) => (section === undefined ? group.section !== 'gone' : group.section === section))
    .reduce((sum, group) => sum + group[what], 0);
}

function changeOf(rows: number, before: number): Change {
  return rows === before ? 'same' : rows > before ? 'more' : 'fewer';
}

function asGone({ check, portfolio, finding, rows }: Before['findings'][number]): Compared {
  const nothing = { rows: 0, isMended: true, commands: [], examples: [] };
  return { check, portfolio, finding, ...nothing, change: 'gone', rowsBefore: rows };
}

const CHECK_ORDER = Object.keys(CHECKS);

/** By part, by check, and then what concerns the most rows; of many alike by portfolio. */
function inOrder(a: Compared, b: Compared): number {
  return (
    SECTIONS.indexOf(sectionOf(a)) - SECTIONS.indexOf(sectionOf(b)) ||
    CHECK_ORDER.indexOf(a.check) - CHECK_ORDER.indexOf(b.check) ||
    b.rows - a.rows ||
    (b.rowsBefore ?? 0) - (a.rowsBefore ?? 0) ||
    compareTexts(nameOfFinding(a), nameOfFinding(b))
  );
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function groupsOf(findings: readonly Compared[]): ReportGroup[] {
  const begun: (Omit<ReportGroup, 'findings' | 'rows' | 'sum' | 'changes'> & { of: Compared[] })[] = [];
  for (const [from, finding] of findings.entries()) {
    const section = sectionOf(finding);
    const last = begun.at(-1);
    if (last?.section === section && last.check === finding.check) last.of.push(finding);
    else begun.push({ section, check: finding.check, from, of: [finding] });
  }
  return begun.map(({ of, ...group }) => ({ ...group, ...totalsOf(of) }));
}

function totalsOf(findings: readonly Compared[]): Pick<ReportGroup, 'findings' | 'rows' | 'sum' | 'changes'> {
  const sum = makeExactSum();
  const changes: Partial<Record<Change, number>> = {};
  let rows = 0;
  for (const finding of findings) {
    rows += finding.change === 'gone' ? (finding.rowsBefore ?? 0) : finding.rows;
    if (finding.sum !== undefined) sum.add(finding.sum);
    if (finding.change !== undefined) changes[finding.change] = (changes[finding.change] ?? 0) + 1;
  }
  const total = sum.text();
  return { findings: findings.length, rows, ...(total === undefined ? {} : { sum: total }), changes };
}
