import { counted, moneyText } from '../counted.ts';
import { makeExactSum, subtractAmounts } from '../exact-sum.ts';
import type { Line } from './lines/row.ts';
import { makeProblem, type Problem, WHOLE_FILE } from './problem.ts';
import { parseAmount } from './values/amounts.ts';

/**
 * Adds up the amounts of all lines of a file, also of those that lead to no request, and compares the sum with a control total: the sum as
 * a person knows it from elsewhere, as text.
 */
export function makeControlSum(total: string) {
  const sum = makeExactSum();
  const out = makeExactSum();
  let outLines = 0;
  let bare = 0;
  let foreign = 0;
  const unread: Problem[] = [];
  return {
    add(lines: readonly Line[]): void {
      for (const line of lines) {
        const amount = line.kind === 'row' ? line.row.limit.requested_limit : line.requested;
        if (amount !== undefined) {
          sum.add(amount);
          if (line.kind === 'row') continue;
          out.add(amount);
          outLines += 1;
        } else {
          if (line.kind === 'invalid' && line.unsummed === 'foreign') foreign += 1;
          else bare += 1;
          if (line.kind === 'invalid' && unread.length < MOST_UNREAD) unread.push(...line.problems);
        }
      }
    },
    /** A problem of the whole file if the sum is another one; nothing if both are the same. */
    problem(): Problem | undefined {
      const found = sum.total();
      const words = otherSumWords(total, found);
      if (words === undefined) return undefined;
      const none = counted(bare, 'line is a total or has', 'lines are totals or have');
      const unread = bare === 0 ? '' : ` ${none} no amount that can be read.`;
      const others =
        foreign === 0
          ? ''
          : ` ${counted(foreign, 'line in another currency is', 'lines in another currency are')} in no sum.`;
      const lines = counted(outLines, 'line that leads to no request has', 'lines that lead to no request have');
      const besides = outLines === 0 ? '' : ` ${lines} ${moneyText(out.total())} of this sum.`;
      const message = `${words}${besides}${others}${unread}`;
      return makeProblem(WHOLE_FILE, null, total, message);
    },
    /** The sum of what was added, as decimal text. */
    found: (): string => sum.total(),
    /** The problems of the first lines whose amount cannot be read. */
    unread: (): Problem[] => unread,
  };
}

/** Says that the file adds up to another sum than its control total, and by how much; nothing if both are the same. */
export function otherSumWords(total: string, found: string): string | undefined {
  const typed = amountOf(total);
  if (typed === found) return undefined;
  const less = typed === undefined ? '' : differenceWords(found, typed);
  return `The control total is ${readTotal(total.trim())}, but the amounts of this file add up to ${moneyText(found)}${less}.`;
}

/** Lines without a readable amount whose problems are kept: a few show what is wrong with all. */
const MOST_UNREAD = 3;

export const agreesWords = (total: string): string => `The control total ${readTotal(total)} agrees with the file.`;

/** Why a text cannot be a control total; undefined if it can. */
export function controlTotalFault(total: string): string | undefined {
  const reading = parseAmount(total.trim());
  if ('value' in reading) return undefined;
  // An ambiguous total such as `1.234` is refused: read in the wrong way, it would agree with a file that is read in the same wrong way.
  return reading.open ? OPEN : reading.problem;
}

const OPEN = 'It can mean two amounts: write it without a separator of thousands, or with two decimals.';

/** The amount that a control total is read as, for people, with separators and two decimals. */
export function readTotal(total: string): string {
  const value = amountOf(total);
  return value === undefined ? total : moneyText(value);
}

function amountOf(total: string): string | undefined {
  const reading = parseAmount(total.trim());
  return 'value' in reading ? reading.value : undefined;
}

function differenceWords(found: string, total: string): string {
  const difference = subtractAmounts(found, total);
  return difference.startsWith('-') ? `, ${moneyText(difference.slice(1))} less` : `, ${moneyText(difference)} more`;
}
