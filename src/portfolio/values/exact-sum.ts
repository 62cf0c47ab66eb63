import { addAmounts } from './amounts.ts';

/** A sum of canonical decimals, exact however many they are. */
export type ExactSum = { add(amount: string): void /** As canonical decimal text. */; total(): string };

/**
 * Sums canonical decimals exactly: as whole numbers of their last decimal, one sum for each count of decimals. Small ones
 * are gathered in a float that is exact as far as it is used, since a BigInt a line would cost a tenth of the check.
 */
export function makeExactSum(): ExactSum {
  const sums: { gathered: number; big: bigint }[] = [];
  return {
    add(amount: string): void {
      const point = amount.indexOf('.');
      const decimals = point === -1 ? 0 : amount.length - point - 1;
      sums[decimals] ??= { gathered: 0, big: 0n };
      const sum = sums[decimals];
      // So few digits come back from a float whole: the product is off by less than a half.
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

/** Below 10^15 each and 2^52 together, whole floats are exact. */
const EXACT_DIGITS = 15;
const GATHERED_LIMIT = 2 ** 52;

function decimalText(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
