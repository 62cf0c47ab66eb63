import { counted, groupedAmount } from '../../counted.ts';
import type { RawRecord } from '../../table/records.ts';
import { type Column, placeOf } from '../columns/column.ts';
import type { KnownColumn } from '../columns/known-columns.ts';
import { makeProblem, type Problem } from '../problem.ts';
import { isOpen } from '../values/amounts.ts';
import { decimalsOf } from '../values/currencies.ts';
import { isTotalLabel } from '../values/total-words.ts';
import { makeMedian } from './median.ts';
import { makeOutline, type Outline } from './outline.ts';
import type { LineDraft, Values } from './read-cells.ts';

/** Warns of values that are valid but probably unintended. Warnings stop nothing; a person decides. */
export function makePlausibility({ columns }: { columns: readonly Column[] }) {
  const median = makeMedian({ keeps: NAMED_LINES });
  const indexes = new Map(columns.map(({ known, index }) => [known, index]));
  const outline = makeOutline();
  const unit = columns[indexes.get('requested_limit') ?? -1]?.currency;
  const writtenOf = (known: KnownColumn) => columns[indexes.get(known) ?? -1]?.written ?? known;

  function warning({ column, message }: Doubt, { line, cells }: RawRecord, value: string): Problem {
    return makeProblem(line, writtenOf(column), cells[indexes.get(column) ?? -1]?.trim() || value, message);
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
      !PADDED.test(written) &&
      LETTER.test(name) &&
      name.length <= LONGEST_NAME &&
      !mayBeExample(email) &&
      !isTotalLabel(name) &&
      !DIGITS.test(city) &&
      !READ_WRONG.test(name) &&
      !READ_WRONG.test(city) &&
      !LETTER_LOST.test(name) &&
      !LETTER_LOST.test(city)
    )
      return null;
    const doubts: Doubt[] = [];
    if (amount < 1) doubts.push(UNDER_ONE);
    else if (!isMoney) doubts.push(DECIMALS);
    else if (isDecided) doubts.push(THOUSANDS);
    if (PADDED.test(written)) doubts.push(NUMBER_AS_AMOUNT);
    if (!LETTER.test(name)) doubts.push(NUMBER_AS_NAME);
    if (name.length > LONGEST_NAME) doubts.push(LONG_NAME);
    if (isTotalLabel(name) && !isKnownBuyer(values)) doubts.push(CALLED_TOTAL);
    if (EXAMPLE_DOMAIN.test(email.slice(-EXAMPLE_LENGTH))) doubts.push(EXAMPLE_MAIL);
    if (DIGITS.test(city)) doubts.push(CITY_OF_DIGITS);
    if (READ_WRONG.test(name)) doubts.push(NAME_READ_WRONG);
    if (READ_WRONG.test(city)) doubts.push(CITY_READ_WRONG);
    if (LETTER_LOST.test(name)) doubts.push(doubt('name', LOST_LETTER));
    if (LETTER_LOST.test(city)) doubts.push(doubt('city', LOST_LETTER));
    return doubts.length === 0 ? null : doubts;
  }

  return {
    /** Warnings about a valid line by itself. */
    ofLine({ record, values }: { record: RawRecord; values: Values }): Problem[] {
      const amount = Number(values.requested_limit);
      median.add(record.line, amount);
      outline.add(record.line, values.country_code);
      // Very few lines have doubts, so no array is made for the others: arrays would cost more than the checks.
      const doubts = doubtsOf(values, amount, record.cells[indexes.get('requested_limit') ?? -1]);
      return doubts === null ? NOTHING : doubts.map((doubt) => warning(doubt, record, values[doubt.column] ?? ''));
    },
    /** Warnings after all lines: limits far above the others, warnings that were counted and not repeated, and countries that stand for several lines. */
    ofFile(): Problem[] {
      const limits = median.above(FAR_ABOVE).map(({ line, amount, times, median: middle }) => {
        const message = `This is ${times.toLocaleString('en')} times the median of the file, which is ${groupedAmount(String(middle))}: check that it is meant.`;
        return makeProblem(line, writtenOf('requested_limit'), String(amount), message);
      });
      const unnamed = median.countAbove(FAR_ABOVE) - limits.length;
      if (unnamed > 0) {
        const message = `${unnamed} more ${unnamed === 1 ? 'limit is' : 'limits are'} ${FAR_ABOVE.toLocaleString('en')} times the median of the file or more.`;
        limits.push(makeProblem(limits[0]?.line ?? 1, writtenOf('requested_limit'), null, message));
      }
      const found = outline.found();
      if (found) limits.push(makeProblem(found.first, writtenOf('country_code'), null, outlineMessage(found)));
      return limits;
    },
  };
}

function outlineMessage({ lines, first }: Outline): string {
  return `${counted(lines, 'line has', 'lines have')} no country, line ${first} first, and each country is on one line alone, as where it stands for the lines below it. If it does, fill it in on each line.`;
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
const NUMBER_AS_AMOUNT = doubt(
  'requested_limit',
  'The amount begins with zeros, as the number of a customer does: check that this column holds the amounts.',
);
const NUMBER_AS_NAME = doubt(
  'name',
  'The name has no letter: check that this column holds the names of the buyers, and not their numbers.',
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
const MOJIBAKE =
  'Some letters stand as two signs, such as Ã¼ for ü: a program read the text in a wrong encoding. Export it again, or correct it.';
const NAME_READ_WRONG = doubt('name', MOJIBAKE);
const CITY_READ_WRONG = doubt('city', MOJIBAKE);

const LOST_LETTER =
  'A question mark stands where a letter may be lost: a program could not write it in the encoding of the file. Export it again as UTF-8, or correct it.';

function doubt(column: KnownColumn, message: string): Doubt {
  return { column, message };
}

const NOTHING: Problem[] = [];

/** Most characters of a name that is plausible. Registers allow some 160 (Companies House), and the longest names in use have about that. */
const LONGEST_NAME = 200;

const DIGITS = /^\d+$/;
const PADDED = /^0\d+$/;
const LETTER = /\p{L}/u;

/**
 * UTF-8 that a program read as Windows-1252 and saved: the first byte of a letter, and one of its second bytes. Those that may follow a
 * capital letter in a name, such as quotation marks and a no-break space, are left out.
 */
const READ_WRONG =
  /Ã[\u0080-\u009f\u00a1-\u00bfŒœŠšŸŽžƒ„–€‰†‡]|[ÄÅ][\u0080-\u009f\u00a1-\u00bfŒœŠšŸŽžƒ„‚†‡›]|Â[\u00a1-\u00bf]/;

/** A question mark that a program wrote for a letter which its encoding lacks: before another letter, or beside another question mark. */
const LETTER_LOST = /\?[\p{L}?]/u;

/** A limit of this many times the median is almost certainly a mistake. */
const FAR_ABOVE = 1_000;

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
const mayBeExample = (email: string): boolean => 'mtgdMTGD'.includes(email.charAt(email.length - 1)) && email !== '';

/**
 * Compares how the amounts of a file are written: with which decimal separator, and whether the end of the file cut one off. A missing line
 * break at the end means nothing by itself, since editors often leave it out. So it counts only beside an amount that is written otherwise
 * than all amounts above it, or a size that is a multiple of {@link BLOCK_BYTES}. A cut before the last cell is found by the number of
 * cells.
 */
export function makeAmountForms(columns: readonly Column[]) {
  const amountAt = placeOf(columns, 'requested_limit');
  const written = columns[amountAt]?.written ?? null;
  /** By decimal separator: its first amount, and how many have it. */
  const marks = new Map<string, { line: number; cell: string; count: number }>();
  let ending = '';
  let isAlike = true;
  let amounts = 0;
  let unended: number | null = null;

  return {
    /** Adds a problem to the last line if its amount may be cut off. Lines must come in file order. */
    judge({ record, problems }: LineDraft): void {
      // A sheet stores every number with a point.
      if (problems.length > 0 || record.sheet?.numbers.includes(amountAt)) return;
      const { line, cells, text, isUnended } = record;
      const cell = cells[amountAt]?.trim() ?? '';
      const own = ENDING.exec(cell)?.[0].replace(/\d/g, '0') ?? '';
      if (isUnended && !text?.endsWith('"')) {
        unended = line;
        const isFixed =
          isAlike && amounts >= FEWEST && ending.length >= FIXED_LENGTH && ending.length !== THOUSANDS_LENGTH;
        if (isFixed && own !== ending && cells.length === amountAt + 1)
          problems.push(makeProblem(line, written, cell, CUT));
        if (problems.length > 0) return;
      }
      if (amounts === 0) ending = own;
      isAlike &&= own === ending;
      amounts += 1;
      if (own === '' || own.length === THOUSANDS_LENGTH) return;
      const mark = marks.get(own.charAt(0));
      if (mark) mark.count += 1;
      else marks.set(own.charAt(0), { line, cell, count: 1 });
    },
    /** Warnings after all lines: of both decimal separators, and of a size at which files are cut off. */
    fileWarnings(readBytes: number | undefined = 1): Problem[] {
      const isAtBlock = readBytes % BLOCK_BYTES === 0;
      const cut = unended !== null && isAtBlock ? [makeProblem(unended, null, null, AT_BLOCK)] : [];
      const [rare, usual] = [...marks].sort(([, one], [, other]) => one.count - other.count);
      if (!rare || !usual) return cut;
      const [[sign, { line, cell, count }], [otherSign, other]] = [rare, usual];
      const many = counted(count, 'amount has', 'amounts have');
      const message = `${many} a decimal ${NAMES[sign]}${count === 1 ? '' : ', this one first'}, and the others have a decimal ${NAMES[otherSign]}, such as ${other.cell} in line ${other.line}: check that none of them means thousands.`;
      return [...cut, makeProblem(line, written, cell, message)];
    },
  };
}

const NAMES: Record<string, string> = { '.': 'point', ',': 'comma' };

/** The decimals of an amount with their separator, also before a currency. Only their number counts. */
const ENDING = /[.,]\d+(?=\D*$)/;

/** A separator and two digits: amounts with decimals of a fixed number. Programs that write one digit often write none for whole amounts. */
const FIXED_LENGTH = 3;

/** A separator and three digits, which may be thousands. */
const THOUSANDS_LENGTH = 4;

/** Fewest amounts above the last one that show how the file writes amounts. */
const FEWEST = 3;

/** The smallest block in which disks and copies are written. A whole file has such a size once in 512 times. */
const BLOCK_BYTES = 512;

const CUT =
  'The file ends within this amount, which is written otherwise than all amounts above it: it may be cut off. Compare it with the source. If it is whole, write it as the others are, or end the line with a line break.';

const AT_BLOCK =
  'The file ends within this line, without a line break, and its size is that of a file that was cut off: check whether the line is whole, and whether lines are missing after it.';
