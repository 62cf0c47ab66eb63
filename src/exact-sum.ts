import Big from 'big.js';

/** The exact sum of two decimal texts, canonical. */
export function addAmounts(a: string, b: string): string {
  return new Big(a).plus(b).toFixed();
}

/** The exact difference of two decimal texts, canonical; with a minus where the second is larger. */
export function subtractAmounts(a: string, b: string): string {
  return new Big(a).minus(b).toFixed();
}

/** An exact sum of any number of canonical decimals. */
export type ExactSum = ReturnType<typeof makeExactSum>;

/**
 * Makes an exact sum. It adds whole units of the last decimal, with one sum for each number of decimals. Small values go into a float
 * within its exact range: a BigInt for every line would take a tenth of the time of a check.
 */
export function makeExactSum() {
  const sums: { gathered: number; big: bigint }[] = [];
  return {
    add(amount: string): void {
      const point = amount.indexOf('.');
      const decimals = point === -1 ? 0 : amount.length - point - 1;
      sums[decimals] ??= { gathered: 0, big: 0n };
      const sum = sums[decimals];
      // With so few digits, rounding restores the exact integer: the product is off by less than a half.
      if (amount.length <= EXACT_DIGITS) sum.gathered += Math.round(Number(amount) * 10 ** decimals);
      else sum.big += BigInt(point === -1 ? amount : amount.slice(0, point) + amount.slice(point + 1));
      if (sum.gathered < GATHERED_LIMIT) return;
      sum.big += BigInt(sum.gathered);
      sum.gathered = 0;
    },
    total(): string {
      const texts = sums.map(({ gathered, big }, decimals) => decimalText(big + BigInt(gathered), decimals));
      return texts.reduce(addAmounts, '0');
    },
  };
}

/** Most characters of an amount that is added as a float. Integers below 10^15 each, and below 2^52 in total, are exact in a float. */
const EXACT_DIGITS = 15;
const GATHERED_LIMIT = 2 ** 52;

function decimalText(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
