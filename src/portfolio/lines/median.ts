/** The median of many amounts, and the amounts far above it, in constant memory. */
type Median = {
  /** Adds an amount, which must be above zero, with its line. */
  add(line: number, amount: number): void;
  /** The kept amounts of at least `times` the median, in line order. Only the largest are kept. */
  above(times: number): { line: number; amount: number; times: number; median: number }[];
  /** How many amounts are at least `times` the median, with an error of a hundredth of the median. */
  countAbove(times: number): number;
};

/**
 * Makes a median of any number of amounts. It is exact for the first 4,096. Beyond, amounts are counted in steps of 1.6 percent, and the
 * median is the lower end of its step: exact enough to find an amount of a thousand times the median.
 * @param keeps how many of the largest amounts are kept with their lines.
 */
export function makeMedian({ keeps }: { keeps: number }): Median {
  const first: number[] = [];
  const counts = new Uint32Array(STEPS);
  // The kept amounts are not sorted: if the amounts of a file ascend, each line replaces a kept one, and would have to be sorted in.
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

/** Least amounts for which a median means something: of two amounts, neither is the usual one. */
const FEWEST = 3;

/** The most amounts that are kept for an exact median. They take 32 KB. */
const EXACT = 4_096;

/**
 * Number of steps in which amounts are counted. A step is given by a double's exponent and 6 bits of its fraction, so its width is at most
 * 1/64 of its amounts.
 */
const STEPS = 2 ** 17;
const FRACTION_BITS_LEFT = 14;

const double = new Float64Array(1);
const words = new Uint32Array(double.buffer);
/** The index of that half of a double which has its sign and exponent, by the machine's byte order. */
const HIGH = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? 1 : 0;

function stepOf(amount: number): number {
  double[0] = amount;
  return (words[HIGH] ?? 0) >>> FRACTION_BITS_LEFT;
}

/** The lower end of a step, as an amount. */
function sizeOf(step: number): number {
  double[0] = 0;
  words[HIGH] = step << FRACTION_BITS_LEFT;
  return double[0] ?? 0;
}

/** A median with two decimals: where it is not exact, further ones would mean nothing. */
function rounded(amount: number): number {
  return Math.round(amount * 100) / 100;
}
