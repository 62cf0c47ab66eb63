import Big from 'big.js';
import { counted, moneyText } from '../../counted.ts';
import { addAmounts, type ExactSum, makeExactSum, subtractAmounts } from '../../exact-sum.ts';
import type { RawRecord } from '../../table/records.ts';

/** Lines whose amounts were added: how many, the first and the last. */
export type Sum = { lines: number; from: number; to: number };

/** Sums with which a total is compared: of all lines, and of the group of lines since the last subtotal. */
export type RunningSums = ReturnType<typeof makeRunningSums>;

/** What a total says otherwise than the lines above it: it leaves out the `hidden` rows, or differs, or may differ, from their `sum`. */
type Otherwise = { hidden: string } | { sum: string; unread: number };

/**
 * Makes sums of the lines' amounts, which are canonical decimals. A spreadsheet's subtotal may omit hidden rows, so each sum is kept with
 * and without them.
 *
 * @param hiddenRows whether hidden rows are requested as well, so that a total without them differs from what is requested
 */
export function makeRunningSums({ hiddenRows = false }: { hiddenRows?: boolean | undefined } = {}) {
  let closed = '0';
  let closedVisible = '0';
  let [below, closedBelow] = ['0', '0'];
  let [unread, closedUnread] = [0, 0];
  const all: Sum = { lines: 0, from: 0, to: 0 };
  let group = makeGroup();

  const isGroup = (amount: string, visible: string, whole: string) => amount === whole || amount === visible;
  const both = () => {
    const visible = group.visible.total();
    return { visible, whole: addAmounts(visible, group.hidden.total()) };
  };

  return {
    add(amount: string, { line, sheet }: RawRecord): void {
      (sheet?.hidden ? group.hidden : group.visible).add(amount);
      note(all, line);
      note(group.sum, line);
    },
    /** Adds an amount of zero or below. It is no buyer's, and counts only where a total may differ from the lines above it. */
    addBelow(amount: string): void {
      below = addAmounts(below, amount);
    },
    /** Counts a line whose amount cannot be read. */
    addUnread(): void {
      unread += 1;
    },
    /** The lines of which this amount is the sum, if there are two or more. */
    answeredBy(amount: string): Sum | null {
      if (all.lines < 2) return null;
      const { visible, whole } = both();
      if (group.sum.lines > 1 && isGroup(amount, visible, whole)) return group.sum;
      const isAll = amount === addAmounts(closed, whole) || amount === addAmounts(closedVisible, visible);
      return isAll ? all : null;
    },
    /** The lines since the last subtotal, if this amount is their sum, even if it is only one line; else null. */
    groupOf(amount: string): Sum | null {
      const { visible, whole } = both();
      return group.sum.lines > 0 && isGroup(amount, visible, whole) ? group.sum : null;
    },
    /**
     * The sum from which an amount differs, or may differ by amounts that cannot be read (`unread`): that of the lines since the last
     * subtotal, or of all lines if none of those can be read, or if the amount may be the sum of all lines. Undefined if it is the sum of either.
     * If it is so only without hidden rows that are requested, their sum.
     */
    otherThan(amount: string): Otherwise | undefined {
      const { visible, whole } = both();
      const ofAll = addAmounts(closed, whole);
      const ofAllVisible = addAmounts(closedVisible, visible);
      const ofAllBelow = addAmounts(closedBelow, below);
      const isSum = (sum: string, net: string) => sum === amount || addAmounts(sum, net) === amount;
      if (isSum(whole, below) || isSum(ofAll, ofAllBelow)) return undefined;
      const ofGroup = isSum(visible, below);
      if (ofGroup || isSum(ofAllVisible, ofAllBelow)) {
        if (!hiddenRows) return undefined;
        return { hidden: ofGroup ? group.hidden.total() : subtractAmounts(ofAll, ofAllVisible) };
      }
      const mayBeOfAll = closedUnread > 0 && new Big(amount).gt(ofAll);
      if (mayBeOfAll || group.sum.lines === 0)
        return { sum: addAmounts(ofAll, ofAllBelow), unread: unread + closedUnread };
      return { sum: addAmounts(whole, below), unread };
    },
    /**
     * How many other lines, of the file or since the last subtotal, have the last line's amount as their sum; 0 if it is no sum of two or
     * more.
     */
    lastAnswers(amount: string): number {
      const twice = addAmounts(amount, amount);
      const { whole } = both();
      if (all.lines > 2 && twice === addAmounts(closed, whole)) return all.lines - 1;
      return group.sum.lines > 2 && twice === whole ? group.sum.lines - 1 : 0;
    },
    /** Ends the group: the lines below a total start a new one. */
    close(): void {
      const { visible, whole } = both();
      closed = addAmounts(closed, whole);
      closedVisible = addAmounts(closedVisible, visible);
      closedBelow = addAmounts(closedBelow, below);
      closedUnread += unread;
      [below, unread] = ['0', 0];
      group = makeGroup();
    },
  };
}

/** The warning of a total that says otherwise than the lines above it. */
export function totalMessage(other: Otherwise): string {
  if ('hidden' in other)
    return `This total is the sum of the visible lines above it alone: hidden rows add ${moneyText(other.hidden)} to it.`;
  const { sum, unread } = other;
  if (unread === 0)
    return `This total differs from the sum of the lines above it, ${moneyText(sum)}: a line may be missing, or an amount may be misread.`;
  const others = sum === '0' ? '' : ` The others add up to ${moneyText(sum)}.`;
  return `This total could not be checked: ${counted(unread, 'line above it has', 'lines above it have')} no amount that can be read.${others}`;
}

function note(sum: Sum, line: number): void {
  if (sum.lines === 0) sum.from = line;
  sum.lines += 1;
  sum.to = line;
}

type Group = { visible: ExactSum; hidden: ExactSum; sum: Sum };

const makeGroup = (): Group => ({ visible: makeExactSum(), hidden: makeExactSum(), sum: { lines: 0, from: 0, to: 0 } });
