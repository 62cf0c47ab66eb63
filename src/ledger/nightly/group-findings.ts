import { cutText } from '../../cut-text.ts';
import { CHECKS, type CheckName, type Finding, type FoundItem } from './checks.ts';
import { makeReportSum, type ReportSum } from './report-sum.ts';

/** The checks in the order of a report. */
export const CHECK_ORDER = Object.keys(CHECKS) as CheckName[];

/** All items of a night as findings. `items`: the number of items. `crowded`: checks with more findings than are listed. */
export type GroupedFindings = { items: number; findings: Finding[]; crowded: CheckName[] };

/** Most findings listed, for the sake of readers, pages and Redis. Further ones become one finding a check; the items' file has each. */
const MOST_FINDINGS = 3_000;

/** Examples of a finding: at least three, and up to twenty while all findings together have few. */
const EXAMPLES = 20;
const EXAMPLES_ALWAYS = 3;
const MOST_EXAMPLES = 3_000;

/** Most different commands of a finding; they mostly differ in the line only. */
const COMMANDS = 5;

/** The most characters of a finding's sentence, detail or command, and of a name in an example. */
const LONGEST_WORDS = 300;
const LONGEST_TEXT = 200;

/** The words of a finding that stands for all further ones of its check. */
export const CROWDED_WORDS = 'more than can be listed here; each stands in the file of all items';

/**
 * Collects items and groups them by check, portfolio and words. It keeps only counts, exact sums and some thousands of examples, however
 * many items come.
 *
 * @param mostFindings most findings that are listed separately
 */
export function makeFindingGroups(mostFindings = MOST_FINDINGS) {
  const groups = new Map<string, Group>();
  const crowded = new Map<CheckName, Group>();
  let items = 0;
  let examples = 0;

  const groupOf = (item: FoundItem): Group => {
    const words = cutText(item.says, LONGEST_WORDS);
    const name = nameOfFinding({ ...item, finding: words });
    const known = groups.get(name);
    if (known) return known;
    if (groups.size >= mostFindings) {
      const rest = crowded.get(item.check) ?? begin({ check: item.check, portfolio: '' }, CROWDED_WORDS);
      crowded.set(item.check, rest);
      rest.portfolios.add(item.portfolio);
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
      if (item.granted !== undefined) group.granted.add(item.granted);
      if (item.sinceMs !== undefined) group.sinceMs = Math.min(item.sinceMs, group.sinceMs ?? item.sinceMs);
      if (item.command !== undefined && group.commands.size < COMMANDS)
        group.commands.add(cutText(item.command, LONGEST_WORDS));
      const example = asExample(item);
      const same = group.examples.find((one) => SEEN.every((part) => one[part] === example[part]));
      if (same) {
        same.rows = (same.rows ?? 1) + (item.rows ?? 1);
        return;
      }
      const has = group.examples.length;
      if (has < EXAMPLES_ALWAYS || (has < EXAMPLES && examples < MOST_EXAMPLES)) {
        group.examples.push(example);
        examples += 1;
      }
    },

    /** The findings so far, in the order of {@link CHECKS}. */
    result(): GroupedFindings {
      const all = [...groups.values(), ...crowded.values()];
      const sorted = CHECK_ORDER.flatMap((check) => all.filter((group) => group.check === check));
      return { items, findings: sorted.map(asFinding), crowded: CHECK_ORDER.filter((check) => crowded.has(check)) };
    },
  };
}

type FindingName = Pick<Finding, 'check' | 'portfolio' | 'finding' | 'currency'>;

/** The text by which a finding is recognized in the next report. It has the currency if the finding belongs to no portfolio. */
export function nameOfFinding({ check, portfolio, finding, currency = '' }: FindingName): string {
  return `${check}\0${portfolio}\0${finding}${portfolio === '' ? `\0${currency}` : ''}`;
}

type Group = FindingName & {
  portfolios: Set<string>;
  sum: ReportSum;
  granted: ReportSum;
  commands: Set<string>;
  examples: FoundItem[];
} & Pick<Finding, 'rows' | 'isMended' | 'sinceMs'>;

function begin({ check, portfolio, currency }: Omit<FindingName, 'finding'>, finding: string): Group {
  const sums = { sum: makeReportSum(), granted: makeReportSum(), portfolios: new Set<string>() };
  const its = { check, portfolio, finding, ...(currency !== undefined && { currency }) };
  return { ...its, rows: 0, isMended: true, ...sums, commands: new Set(), examples: [] };
}

function asFinding({ sum, granted, commands, portfolios, sinceMs, ...group }: Group): Finding {
  const [total, given] = [sum.text(), granted.text()];
  return {
    ...group,
    commands: [...commands],
    ...{ ...(total !== undefined && { sum: total }), ...(given !== undefined && { granted: given }) },
    ...(sinceMs !== undefined && { sinceMs }),
    ...(portfolios.size === 0 ? {} : { portfolios: [...portfolios] }),
  };
}

/** What a reader sees of an example. Items alike in all of it are one example, with the number of their rows. */
const SEEN = ['portfolio', 'key', 'line', 'name', 'requested', 'granted', 'detail', 'sinceMs'] as const;

/** Makes an example of an item, with its texts cut: a company's name may have a megabyte. */
function asExample({ name, detail, command, says, ...item }: FoundItem): FoundItem {
  return {
    ...item,
    says: cutText(says, LONGEST_WORDS),
    ...(name === undefined ? {} : { name: cutText(name, LONGEST_TEXT) }),
    ...(detail === undefined ? {} : { detail: cutText(detail, LONGEST_WORDS) }),
    ...(command === undefined ? {} : { command: cutText(command, LONGEST_WORDS) }),
  };
}
