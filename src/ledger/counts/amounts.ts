import { Big } from 'big.js';

/** An amount as integers `value` in units of 10^(10k - 2), as in amounts.lua. */
type Limbs = readonly (readonly [k: number, value: number])[];

const LIMB_DIGITS = 10;

/** Reads a decimal text as amounts.lua does; undefined for any other text, or with digits beyond 10^98 or 10^-42. */
export function limbsOf(text: string): Limbs | undefined {
  const units = plainUnits(text);
  if (units !== undefined) return [[0, units]];
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  if (text.length > 150 || whole === '') return undefined;
  const digits = (whole + fraction).replace(/^0+/, '');
  const short = digits.replace(/0+$/, '');
  // The last digit has the value 10^(last - 2).
  const last = Number(exponent) - fraction.length + 2 + digits.length - short.length;
  if (short === '') return [];
  if (last < -40 || last + short.length > 100) return undefined;
  const lowest = Math.floor(last / LIMB_DIGITS);
  return limbsIn(short + '0'.repeat(last - lowest * LIMB_DIGITS), lowest, sign);
}

/** The cents of an amount of up to eight digits and two decimals, as most are; undefined for any other text. */
export function plainUnits(text: string): number | undefined {
  // A double of so few digits has an error far below a cent, so the rounded number is exact.
  return PLAIN.test(text) ? Math.round(Number(text) * 100) : undefined;
}

const PLAIN = /^\d{1,8}(?:\.\d{1,2})?$/;

/** Keeps '' and readable amounts; anything else becomes `?`. */
export function amountText(value: unknown): string {
  if (value === undefined || value === '') return '';
  return typeof value === 'string' && (PLAIN.test(value) || limbsOf(value)) ? value : '?';
}

/** The amount of an answer as a plain decimal, such as 10000000 for the `1.0E7` of some services; an unreadable one as it is. */
export function withoutExponent(value: string): string {
  return /e/i.test(value) && limbsOf(value) ? new Big(value).toFixed() : value;
}

/** Whether one amount is below the other; false if either is unreadable. */
export function isBelow(granted: string, requested: string): boolean {
  if (granted === requested) return false;
  const [less, more] = [limbsOf(granted), limbsOf(requested)];
  if (!less || !more) return false;
  const places = [...less, ...more].map(([k]) => k).sort((one, other) => other - one);
  for (const k of places) {
    const difference = limbAt(less, k) - limbAt(more, k);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

/**
 * Compares a granted amount with the requested one: `4` is enough, `5` is less and above zero, `6` is nothing, `7` is unknown. As in
 * amounts.lua.
 */
export function shareOf(granted: string, requested: string): '4' | '5' | '6' | '7' {
  if (granted === '' || !limbsOf(granted) || !limbsOf(requested)) return '7';
  if (!isBelow('0', granted)) return '6';
  return isBelow(granted, requested) ? '5' : '4';
}

const limbAt = (limbs: Limbs, k: number): number => limbs.find(([at]) => at === k)?.[1] ?? 0;

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;

function limbsIn(digits: string, lowest: number, sign: string): Limbs {
  const limbs: [number, number][] = [];
  for (let k = lowest, left = digits; left !== ''; k += 1, left = left.slice(0, -LIMB_DIGITS)) {
    limbs.push([k, Number(sign + left.slice(-LIMB_DIGITS))]);
  }
  return limbs;
}
