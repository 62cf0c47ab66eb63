import { CHECKS, type CheckName, type Finding, type FoundItem } from './checks.ts';
import { type ExactSum, makeExactSum } from './exact-sum.ts';

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
  sum: ExactSum;
  commands: Set<string>;
  examples: FoundItem[];
  sinceMs?: number;
};

function begin({ check, portfolio }: FoundItem, finding: string): Group {
  const empty = { rows: 0, isMended: true, sum: makeExactSum(), commands: new Set<string>(), examples: [] };
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
