import { counted } from '../counted.ts';
import { moneyText } from '../money-text.ts';
import type { Line } from './lines/row.ts';
import { makeProblem, type Problem, WHOLE_FILE } from './problem.ts';
import { type Decimal, parseAmount, subtractAmounts } from './values/amounts.ts';
import { makeExactSum } from './values/exact-sum.ts';

/**
 * Adds up the amounts of all lines of a file, also of those that lead to no request, and compares the sum with a control total: the
 * sum by somebody's own reckoning, as text.
 */
export function makeControlSum(total: string) {
  const sum = makeExactSum();
  let bare = 0;
  const unread: Problem[] = [];
  return {
    add(lines: readonly Line[]): void {
      for (const line of lines) {
        const amount = line.kind === 'row' ? line.row.limit.requested_limit : line.requested;
        if (amount !== undefined) sum.add(amount);
        else {
          bare += 1;
          if (line.kind === 'invalid' && unread.length < MOST_UNREAD) unread.push(...line.problems);
        }
      }
    },
    /** A problem of the whole file if the sum is another one; nothing if both are the same. */
    problem(): Problem | undefined {
      const found = sum.total();
      const readings = readingsOf(total);
      if (readings.includes(found)) return undefined;
      const [only, ...others] = readings;
      const less = only === undefined || others.length > 0 ? '' : differenceWords(found, only);
      const unread = bare === 0 ? '' : ` ${counted(bare, 'line has', 'lines have')} no amount that can be read.`;
      const message = `The control total is ${total.trim()}, but the amounts of this file add up to ${moneyText(found)}${less}.${unread}`;
      return makeProblem(WHOLE_FILE, null, total, message);
    },
    /** What is said of some of the lines whose amount cannot be read. */
    unread: (): Problem[] => unread,
  };
}

/** A few are enough to show what is wrong with all. */
const MOST_UNREAD = 3;

/** Says that the file adds up to this control total. */
export const agreesWords = (total: string): string => `The control total ${readTotal(total)} agrees with the file.`;

/** Why the text cannot be a control total; nothing if it can. */
export function controlTotalFault(total: string): string | undefined {
  const reading = parseAmount(total.trim());
  return 'value' in reading || reading.open ? undefined : reading.problem;
}

/** How a control total is read, as people expect of money; as it is typed where it may mean two amounts. */
export function readTotal(total: string): string {
  const [only, ...others] = readingsOf(total);
  return only === undefined || others.length > 0 ? total : moneyText(only);
}

/** The amounts that the text may mean: two where its only separator may be one of thousands or of decimals, as in `304.100`. */
function readingsOf(total: string): string[] {
  const marks: (Decimal | null)[] = [null, '.', ','];
  const values = marks.map((mark) => parseAmount(total.trim(), mark));
  return [...new Set(values.flatMap((reading) => ('value' in reading ? [reading.value] : [])))];
}

function differenceWords(found: string, total: string): string {
  const difference = subtractAmounts(found, total);
  return difference.startsWith('-') ? `, ${moneyText(difference.slice(1))} less` : `, ${moneyText(difference)} more`;
}
