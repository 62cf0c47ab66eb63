/** The median of many amounts, and those far above it, in memory that does not grow with them. */
type Median = {
  /** An amount above zero, and the line that it stands in. */
  add(line: number, amount: number): void;
  /** Those of at least so many times the median, in the order of their lines; of more than are kept, the largest. */
  above(times: number): { line: number; amount: number; times: number; median: number }[];
  /** How many there are, within a hundredth of the median's value. */
  countAbove(times: number): number;
};

/**
 * Exact for the first thousands; beyond, amounts are counted by their size in steps of 1.6 percent, and the median is that of
 * its step's lower end. A thousandfold is told by either.
 *
 * @param keeps how many of the largest are known by their lines.
 */
export function makeMedian({ keeps }: { keeps: number }): Median {
  const first: number[] = [];
  const counts = new Uint32Array(STEPS);
  // Those kept, in no order: a file that is sorted by its amounts changes one of them with every line.
  const keptLines = new Float64Array(keeps);
  const keptAmounts = new Float64Array(keeps);
  let leastAt = 0;
  let total = 0;

  function keep(line: number, amount: number): void {
    keptLines[leastAt] = line;
    keptAmounts[leastAt] = amount;
    for (let at = 0; at < keeps; at += 1) {
      if ((keptAmounts[at] ?? 0) < (keptAmounts[leastAt] ?? 0)) leastAt = at;
    }
  }

  function median(): number {
    if (total <= EXACT) {
      const sorted = first.toSorted((a, b) => a - b);
      const middle = sorted.length >> 1;
      const upper = sorted[middle] ?? 0;
      return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
    }
    let below = 0;
    const step = counts.findIndex((count) => {
      below += count;
      return below * 2 >= total;
    });
    return sizeOf(step);
  }

  return {
    add(line, amount) {
      total += 1;
      if (first.length < EXACT) first.push(amount);
      const step = stepOf(amount);
      counts[step] = (counts[step] ?? 0) + 1;
      if (amount > (keptAmounts[leastAt] ?? 0)) keep(line, amount);
    },
    above(times) {
      const middle = median();
      if (total < FEWEST) return [];
      return Array.from(keptAmounts, (amount, at) => ({ line: keptLines[at] ?? 0, amount }))
        .filter(({ line, amount }) => line > 0 && amount >= middle * times)
        .map((one) => ({ ...one, times: Math.floor(one.amount / middle), median: rounded(middle) }))
        .sort((a, b) => a.line - b.line);
    },
    countAbove(times) {
      if (total < FEWEST) return 0;
      const bound = median() * times;
      if (total <= EXACT) return first.filter((amount) => amount >= bound).length;
      return counts.subarray(stepOf(bound)).reduce((sum, count) => sum + count, 0);
    },
  };
}

/** Of two amounts, neither is usual. */
const FEWEST = 3;

/** 32 KB. */
const EXACT = 4_096;

/** A double's exponent has 11 bits below its sign, and with the first 6 of its fraction a step is 1/64 of its size at most. */
const STEPS = 2 ** 17;
const FRACTION_BITS_LEFT = 14;

const double = new Float64Array(1);
const words = new Uint32Array(double.buffer);
/** Where a double's sign and exponent stand in memory. */
const HIGH = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? 1 : 0;

function stepOf(amount: number): number {
  double[0] = amount;
  return (words[HIGH] ?? 0) >>> FRACTION_BITS_LEFT;
}

/** The lower end of a step. */
function sizeOf(step: number): number {
  double[0] = 0;
  words[HIGH] = step << FRACTION_BITS_LEFT;
  return double[0] ?? 0;
}

/** As money is written: what a sketch knows is no more exact. */
function rounded(amount: number): number {
  return Math.round(amount * 100) / 100;
}
