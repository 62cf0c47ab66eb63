import { makeExactSum } from '../../exact-sum.ts';

/** An exact sum of the amounts that findings name. */
export type ReportSum = ReturnType<typeof makeReportSum>;

/** Matches a decimal amount. The limit of its digits keeps additions quick; amounts of JSON have at most 15 digits. */
const DECIMAL = /^\d{1,40}(?:\.\d{1,40})?$/;

/** Begins a sum. */
export function makeReportSum() {
  const sum = makeExactSum();
  let isEmpty = true;
  return {
    /** Adds an amount such as `1000.50`. Any other text adds nothing: a report must not fail because of it. */
    add(amount: string): void {
      if (!DECIMAL.test(amount)) return;
      sum.add(amount);
      isEmpty = false;
    },
    /** The sum as plain decimal text; undefined if nothing was added. */
    text: (): string | undefined => (isEmpty ? undefined : sum.total()),
  };
}
