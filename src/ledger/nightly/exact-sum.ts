/** A sum of decimal texts, exact: an integer at a power of ten. */
export type ReportSum = ReturnType<typeof makeReportSum>;

/** Matches a decimal amount. The limit of its digits keeps additions quick; amounts of JSON have at most 15 digits. */
const DECIMAL = /^(\d{1,40})(?:\.(\d{1,40}))?$/;

/** Begins a sum. Unlike Big it makes only one integer for each amount, of which a night may have a million. */
export function makeReportSum() {
  let units = 0n;
  let decimals = 0;
  let count = 0;
  return {
    /** Adds an amount such as `1000.50`. Any other text adds nothing: a report must not fail because of it. */
    add(amount: string): void {
      const [, whole, part = ''] = DECIMAL.exec(amount) ?? [];
      if (whole === undefined) return;
      if (part.length > decimals) {
        units *= 10n ** BigInt(part.length - decimals);
        decimals = part.length;
      }
      units += BigInt(whole + part.padEnd(decimals, '0'));
      count += 1;
    },
    /** The sum as plain decimal text; undefined if nothing was added. */
    text(): string | undefined {
      if (count === 0) return undefined;
      const digits = units.toString().padStart(decimals + 1, '0');
      const whole = digits.slice(0, digits.length - decimals);
      const part = digits.slice(digits.length - decimals).replace(/0+$/, '');
      return part === '' ? whole : `${whole}.${part}`;
    },
  };
}
