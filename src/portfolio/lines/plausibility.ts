import type { RawRecord } from '../../table/records.ts';
import type { Column } from '../columns/column.ts';
import type { KnownColumn } from '../columns/known-columns.ts';
import { makeProblem, type Problem } from '../problem.ts';
import { isOpen } from '../values/amounts.ts';
import { decimalsOf } from '../values/currencies.ts';
import { isTotalLabel } from '../values/total-words.ts';
import type { Values } from './read-cells.ts';

/** Warns of values that are valid but probably unintended. Warnings stop nothing; a person decides. */
type Plausibility = {
  /** Warnings about a valid line by itself. */
  ofLine(line: { record: RawRecord; values: Values }): Problem[];
  /** Warnings after all lines: limits far above the others, and the warnings that were counted and not repeated. */
  ofFile(): Problem[];
};

/** Makes the check for values that are probably unintended. Its memory is constant, whatever the size of the file. */
export function makePlausibility({ columns }: { columns: readonly Column[] }): Plausibility {
  const median = makeMedian({ keeps: NAMED_LINES });
  const indexes = new Map(columns.map(({ known, index }) => [known, index]));
  const rest = new Map<Doubt, { count: number; lines: number[] }>();
  const told = new Map<Doubt, number>();
  const unit = columns[indexes.get('requested_limit') ?? -1]?.currency;
  const writtenOf = (known: KnownColumn) => columns[indexes.get(known) ?? -1]?.written ?? known;

  /**
   * The warning about a doubt in a line. After {@link SAID_ONE_BY_ONE} lines with the same doubt none is given: the rest is reported
   * together.
   */
  function warning(doubt: Doubt, { line, cells }: RawRecord, value: string): Problem[] {
    const before = told.get(doubt) ?? 0;
    told.set(doubt, before + 1);
    if (before < SAID_ONE_BY_ONE) {
      const cell = cells[indexes.get(doubt.column) ?? -1]?.trim() || value;
      return [makeProblem(line, writtenOf(doubt.column), cell, doubt.message)];
    }
    const others = rest.get(doubt) ?? { count: 0, lines: [] };
    rest.set(doubt, others);
    others.count += 1;
    if (others.lines.length < NAMED_LINES) others.lines.push(line);
    return [];
  }

  function doubtsOf(values: Values, amount: number, written = ''): Doubt[] | null {
    const { requested_limit: limit = '', name = '', contact_email: email = '', city = '' } = values;
    const point = limit.indexOf('.');
    const decimals = decimalsOf(values.currency ?? unit);
    const isMoney = point === -1 || limit.length - point - 1 <= decimals;
    // 10,500 that another amount of the column made 10.5. The value lacks the zeros at its end.
    const isDecided = amount < 1_000 && isMoney && decimals < 3 && isOpen(written);
    if (
      amount >= 1 &&
      isMoney &&
      !isDecided &&
      name.length <= LONGEST_NAME &&
      !mayBeExample(email) &&
      !isTotalLabel(name) &&
      !DIGITS.test(city)
    )
      return null;
    const doubts: Doubt[] = [];
    if (amount < 1) doubts.push(UNDER_ONE);
    else if (!isMoney) doubts.push(DECIMALS);
    else if (isDecided) doubts.push(THOUSANDS);
    if (name.length > LONGEST_NAME) doubts.push(LONG_NAME);
    if (isTotalLabel(name) && !isKnownBuyer(values)) doubts.push(CALLED_TOTAL);
    if (EXAMPLE_DOMAIN.test(email.slice(-EXAMPLE_LENGTH))) doubts.push(EXAMPLE_MAIL);
    if (DIGITS.test(city)) doubts.push(CITY_OF_DIGITS);
    return doubts.length === 0 ? null : doubts;
  }

  return {
    ofLine({ record, values }) {
      const amount = Number(values.requested_limit);
      median.add(record.line, amount);
      // Very few lines have doubts, so no array is made for the others: arrays would cost more than the checks.
      const doubts = doubtsOf(values, amount, record.cells[indexes.get('requested_limit') ?? -1]);
      return doubts === null ? NOTHING : doubts.flatMap((doubt) => warning(doubt, record, values[doubt.column] ?? ''));
    },
    ofFile() {
      const limits = median.above(FAR_ABOVE).map(({ line, amount, times, median: middle }) => {
        const message = `This is ${times.toLocaleString('en')} times the median of the file, which is ${middle}: check that it is meant.`;
        return makeProblem(line, writtenOf('requested_limit'), String(amount), message);
      });
      const unnamed = median.countAbove(FAR_ABOVE) - limits.length;
      if (unnamed > 0) {
        const message = `${unnamed} more ${unnamed === 1 ? 'limit is' : 'limits are'} ${FAR_ABOVE.toLocaleString('en')} times the median of the file or more.`;
        limits.push(makeProblem(limits[0]?.line ?? 1, writtenOf('requested_limit'), null, message));
      }
      const others = [...rest].map(([doubt, { count, lines }]) => {
        const which = `${count === 1 ? 'line' : 'lines'} ${listed(lines, count)}`;
        return makeProblem(
          lines[0] ?? 1,
          writtenOf(doubt.column),
          null,
          `${doubt.message} Besides the ${SAID_ONE_BY_ONE} lines named one by one, this is so in ${which}.`,
        );
      });
      return [...limits, ...others];
    },
  };
}

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

/** A possible mistake: its column, and the message with the correction. */
type Doubt = { column: KnownColumn; message: string };

const UNDER_ONE = doubt(
  'requested_limit',
  'The limit is below 1: check whether it is written in thousands or millions, or as a share of another amount.',
);
const DECIMALS = doubt(
  'requested_limit',
  'The limit has more decimals than its currency: round it, or check whether it was converted from another currency.',
);
const THOUSANDS = doubt(
  'requested_limit',
  'The three digits behind the separator are read as decimals: check that they are not thousands.',
);
const LONG_NAME = doubt(
  'name',
  'The name is longer than names of companies are: check whether something else slipped into the cell.',
);
const CALLED_TOTAL = doubt(
  'name',
  "The buyer's name reads like a total: remove the line if it is one; if it is a buyer, give it a buyer_reference and an address.",
);
const EXAMPLE_MAIL = doubt(
  'contact_email',
  'Mail to a domain for examples reaches nobody (example.org and others, RFC 2606): write the real address, or leave the cell empty.',
);
const CITY_OF_DIGITS = doubt(
  'city',
  'The city is a number: check that no amount before it has a decimal comma without quotation marks around it, and that it is no postcode.',
);

function doubt(column: KnownColumn, message: string): Doubt {
  return { column, message };
}

const NOTHING: Problem[] = [];

/**
 * Most characters of a name that is plausible. Registers allow some 160 (Companies House), and the longest names in use have about that.
 */
const LONGEST_NAME = 200;

const DIGITS = /^\d+$/;

/** A limit of this many times the median is almost certainly a mistake. */
const FAR_ABOVE = 1_000;

/** After this many warnings of one kind, the rest is summed up in one warning at the end. */
const SAID_ONE_BY_ONE = 20;

/** Lines that one message names: as many as a person can look up. */
const NAMED_LINES = 20;

/**
 * Domains that RFC 2606 reserves for examples and tests. The domain `example` is not among them: nobody types it by mistake, and our own
 * examples use it.
 */
const EXAMPLE_DOMAIN = /[@.](example\.(com|net|org)|test|invalid|localhost)$/i;

/** The length of `@example.com`, the longest of the domains in {@link EXAMPLE_DOMAIN}. Only the end of an address is tested. */
const EXAMPLE_LENGTH = 12;

/**
 * Whether the line surely describes a buyer: by a reference together with a place or register number. A reference alone does not suffice,
 * since a total line may have a count in that column (`12;Summe;;;200000`).
 */
function isKnownBuyer({ buyer_reference, country_code, city, street, company_registration_number }: Values): boolean {
  return Boolean(buyer_reference && (country_code || city || street || company_registration_number));
}

/** Whether an e-mail address may belong to an example domain: a quick test by its last letter, before the regular expression. */
function mayBeExample(email: string): boolean {
  return 'mtgdMTGD'.includes(email.charAt(email.length - 1)) && email !== '';
}

function listed(lines: readonly number[], count: number): string {
  const more = count - lines.length;
  if (more > 0) return `${lines.join(', ')} and ${more} more`;
  return lines.length < 2 ? lines.join('') : `${lines.slice(0, -1).join(', ')} and ${lines.at(-1)}`;
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
