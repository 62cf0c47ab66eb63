/** An exact sum of decimal texts: an integer and a power of ten. */
export type ReportSum = {
  /** Adds an amount such as `1000.50`. Any other text adds nothing: a report must not fail because of it. */
  add(amount: string): void;
  /** The sum as plain decimal text; undefined when nothing was added. */
  text(): string | undefined;
};

/** Nobody has a longer one: an amount has 15 digits at most (JSON). The limit keeps adding quick. */
const DECIMAL = /^(\d{1,40})(?:\.(\d{1,40}))?$/;

/** Begins a sum. Unlike Big, it makes one integer for an amount, of which a night may have a million. */
export function makeReportSum(): ReportSum {
  let units = 0n;
  let decimals = 0;
  let count = 0;
  return {
    add(amount) {
      const [, whole, part = ''] = DECIMAL.exec(amount) ?? [];
      if (whole === undefined) return;
      if (part.length > decimals) {
        units *= 10n ** BigInt(part.length - decimals);
        decimals = part.length;
      }
      units += BigInt(whole + part.padEnd(decimals, '0'));
      count += 1;
    },
    text() {
      if (count === 0) return undefined;
      const digits = units.toString().padStart(decimals + 1, '0');
      const whole = digits.slice(0, digits.length - decimals);
      const part = digits.slice(digits.length - decimals).replace(/0+$/, '');
      return part === '' ? whole : `${whole}.${part}`;
    },
  };
}

/** An amount as integers at powers of ten: each `value` counts units of 10^(10k - 2). As in amounts.lua. */
export type Limbs = readonly (readonly [k: number, value: number])[];

const LIMB_DIGITS = 10;

/** Reads a decimal text as amounts.lua does; undefined for another text, or for digits beyond 10^98 or 10^-42. */
export function limbsOf(text: string): Limbs | undefined {
  const units = plainUnits(text);
  if (units !== undefined) return [[0, units]];
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  if (text.length > 150 || whole === '') return undefined;
  const digits = (whole + fraction).replace(/^0+/, '');
  const short = digits.replace(/0+$/, '');
  // The last digit stands for 10^(last - 2).
  const last = Number(exponent) - fraction.length + 2 + digits.length - short.length;
  if (short === '') return [];
  if (last < -40 || last + short.length > 100) return undefined;
  const lowest = Math.floor(last / LIMB_DIGITS);
  return limbsIn(short + '0'.repeat(last - lowest * LIMB_DIGITS), lowest, sign);
}

/** Reads an amount of up to eight digits and two decimals, as most are, as one integer; undefined for any other text. */
export function plainUnits(text: string): number | undefined {
  // For so few cents, the error of a double is far less than a cent, so rounding is exact.
  return PLAIN.test(text) ? Math.round(Number(text) * 100) : undefined;
}

const PLAIN = /^\d{1,8}(?:\.\d{1,2})?$/;

/** '' stays '', a readable amount stays as it is, and anything else becomes `?`. */
export function amountText(value: unknown): string {
  if (value === undefined || value === '') return '';
  return typeof value === 'string' && (PLAIN.test(value) || limbsOf(value)) ? value : '?';
}

/** Whether one amount is less than the other; false when one cannot be read. */
function isBelow(granted: string, requested: string): boolean {
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

/** Compares granted with requested: `2` is less but above zero, `3` is nothing, '' is anything else. As in amounts.lua. */
export function shareOf(granted: string, requested: string): '' | '2' | '3' {
  if (!isBelow(granted, requested)) return '';
  return isBelow('0', granted) ? '2' : '3';
}

function limbAt(limbs: Limbs, k: number): number {
  return limbs.find(([at]) => at === k)?.[1] ?? 0;
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;

function limbsIn(digits: string, lowest: number, sign: string): Limbs {
  const limbs: [number, number][] = [];
  for (let k = lowest, left = digits; left !== ''; k += 1, left = left.slice(0, -LIMB_DIGITS)) {
    limbs.push([k, Number(sign + left.slice(-LIMB_DIGITS))]);
  }
  return limbs;
}
