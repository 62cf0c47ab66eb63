/**
 * The median of many amounts, and the amounts far above it. An amount takes eight bytes.
 *
 * @param keeps how many of the largest amounts are kept with their lines
 */
export function makeMedian({ keeps }: { keeps: number }) {
  let amounts = new Float64Array(1_024);
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
    const sorted = amounts.subarray(0, total).sort();
    const upper = sorted[total >> 1] ?? 0;
    return total % 2 === 1 ? upper : ((sorted[(total >> 1) - 1] ?? 0) + upper) / 2;
  }

  return {
    /** Adds an amount, which must be above zero, with its line. */
    add(line: number, amount: number): void {
      if (total === amounts.length) {
        const larger = new Float64Array(total * 2);
        larger.set(amounts);
        amounts = larger;
      }
      amounts[total] = amount;
      total += 1;
      if (amount > (keptAmounts[leastAt] ?? 0)) keep(line, amount);
    },
    /** The kept amounts of at least `times` the median, in line order. Only the largest are kept. */
    above(times: number): { line: number; amount: number; times: number; median: number }[] {
      if (total < FEWEST) return [];
      const middle = median();
      const rounded = Math.round(middle * 100) / 100;
      return Array.from(keptAmounts, (amount, at) => ({ line: keptLines[at] ?? 0, amount }))
        .filter(({ line, amount }) => line > 0 && amount >= middle * times)
        .map((one) => ({ ...one, times: Math.floor(one.amount / middle), median: rounded }))
        .sort((a, b) => a.line - b.line);
    },
    /** How many amounts are at least `times` the median. */
    countAbove(times: number): number {
      if (total < FEWEST) return 0;
      const bound = median() * times;
      const first = amounts.subarray(0, total).findIndex((amount) => amount >= bound);
      return first === -1 ? 0 : total - first;
    },
  };
}

/** Least amounts for which a median means something: of two amounts, neither is the usual one. */
const FEWEST = 3;
