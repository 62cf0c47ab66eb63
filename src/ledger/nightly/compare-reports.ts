import { counted, grouped } from '../../counted.ts';
import { CHECKS, type CheckName, type Finding, type FoundItem } from './checks.ts';
import { makeReportSum, type ReportSum } from './exact-sum.ts';
import {
  type FindingChange,
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

function changeOf(rows: number, before: number): FindingChange {
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
  const sum = makeReportSum();
  const changes: Partial<Record<FindingChange, number>> = {};
  let rows = 0;
  for (const finding of findings) {
    rows += finding.change === 'gone' ? (finding.rowsBefore ?? 0) : finding.rows;
    if (finding.sum !== undefined) sum.add(finding.sum);
    if (finding.change !== undefined) changes[finding.change] = (changes[finding.change] ?? 0) + 1;
  }
  const total = sum.text();
  return { findings: findings.length, rows, ...(total === undefined ? {} : { sum: total }), changes };
}

/** What was found, together: see {@link makeFindingGroups}. */
export type GroupedFindings = { items: number; findings: Finding[]; crowded: CheckName[] };

/** What a reader, a report and Redis can bear. Behind that many all others of a check are one finding; the items' file has each. */
export const MOST_FINDINGS = 3_000;

/** Examples of a finding: the first few always, as many as one looks through while all examples together are few. */
const EXAMPLES = 20;
const EXAMPLES_ALWAYS = 3;
const MOST_EXAMPLES = 3_000;

/** Different commands of a finding; they are mostly the same one with another line. */
const COMMANDS = 5;

/** A sentence, and a cell of somebody's file, longer than anybody reads. */
const LONGEST_WORDS = 300;
const LONGEST_TEXT = 200;

/** The words of what is told of together, where a check found too much to tell it apart. */
export const CROWDED_WORDS = 'more than can be listed here; each stands in the file of all items';

/**
 * Takes in items one by one, and groups them by check, portfolio and words. However many there are, no more is kept of them than
 * counts, exact sums and some thousands of examples.
 *
 * @param mostFindings so many are told apart
 */
export function makeFindingGroups(mostFindings = MOST_FINDINGS) {
  const groups = new Map<string, Group>();
  const crowded = new Map<CheckName, Group>();
  let items = 0;
  let examples = 0;

  const groupOf = (item: FoundItem): Group => {
    const words = cut(item.says, LONGEST_WORDS);
    const name = nameOfFinding({ ...item, finding: words });
    const known = groups.get(name);
    if (known) return known;
    if (groups.size >= mostFindings) {
      const rest = crowded.get(item.check) ?? begin({ ...item, portfolio: '' }, CROWDED_WORDS);
      crowded.set(item.check, rest);
      return rest;
    }
    const begun = begin(item, words);
    groups.set(name, begun);
    return begun;
  };

  return {
    add(item: FoundItem): void {
      items += 1;
      const group = groupOf(item);
      group.rows += item.rows ?? 1;
      group.isMended &&= item.isMended;
      if (item.requested !== undefined) group.sum.add(item.requested);
      if (item.sinceMs !== undefined) group.sinceMs = Math.min(item.sinceMs, group.sinceMs ?? item.sinceMs);
      if (item.command !== undefined && group.commands.size < COMMANDS)
        group.commands.add(cut(item.command, LONGEST_WORDS));
      const has = group.examples.length;
      if (has < EXAMPLES_ALWAYS || (has < EXAMPLES && examples < MOST_EXAMPLES)) {
        group.examples.push(asExample(item));
        examples += 1;
      }
    },

    /** What there is so far, check by check in the order of {@link CHECKS}. */
    result(): GroupedFindings {
      const all = [...groups.values(), ...crowded.values()];
      const order = Object.keys(CHECKS) as CheckName[];
      const sorted = order.flatMap((check) => all.filter((group) => group.check === check));
      return { items, findings: sorted.map(asFinding), crowded: order.filter((check) => crowded.has(check)) };
    },
  };
}

/** By which a finding of one night is that of another. */
export function nameOfFinding({ check, portfolio, finding }: Pick<Finding, 'check' | 'portfolio' | 'finding'>): string {
  return `${check}\0${portfolio}\0${finding}`;
}

type Group = Pick<Finding, 'check' | 'portfolio' | 'finding' | 'rows' | 'isMended'> & {
  sum: ReportSum;
  commands: Set<string>;
  examples: FoundItem[];
  sinceMs?: number;
};

function begin({ check, portfolio }: FoundItem, finding: string): Group {
  const empty = { rows: 0, isMended: true, sum: makeReportSum(), commands: new Set<string>(), examples: [] };
  return { check, portfolio, finding, ...empty };
}

function asFinding({ sum, commands, sinceMs, ...group }: Group): Finding {
  const total = sum.text();
  return {
    ...group,
    commands: [...commands],
    ...(total === undefined ? {} : { sum: total }),
    ...(sinceMs === undefined ? {} : { sinceMs }),
  };
}

/** A company may be called by a megabyte. */
function asExample({ name, detail, command, says, ...item }: FoundItem): FoundItem {
  return {
    ...item,
    says: cut(says, LONGEST_WORDS),
    ...(name === undefined ? {} : { name: cut(name, LONGEST_TEXT) }),
    ...(detail === undefined ? {} : { detail: cut(detail, LONGEST_WORDS) }),
    ...(command === undefined ? {} : { command: cut(command, LONGEST_WORDS) }),
  };
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text;
}

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
  const count = (change: FindingChange) => groups.reduce((sum, { changes }) => sum + (changes[change] ?? 0), 0);
  const parts = [
    { count: count('new'), words: 'new' },
    { count: count('more'), words: 'with more rows' },
    { count: count('fewer'), words: 'with fewer' },
    { count: count('same'), words: 'the same' },
    { count: count('gone'), words: 'no more found' },
  ].filter((part) => part.count > 0);
  return parts.map((part) => `${grouped(part.count)} ${part.words}`).join(', ');
}
