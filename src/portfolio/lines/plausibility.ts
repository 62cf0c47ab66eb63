import type { RawRecord } from '../../table/records.ts';
import type { Column } from '../columns/column.ts';
import type { KnownColumn } from '../columns/known-columns.ts';
import { makeProblem, type Problem } from '../problem.ts';
import { decimalsOf } from '../values/currencies.ts';
import { isTotalLabel } from '../values/total-words.ts';
import { makeMedian } from './median.ts';
import type { Values } from './read-cells.ts';

/** Warns of what may be requested and no one means. It stops nothing: whoever reads it decides. */
type Plausibility = {
  /** What is strange about a valid line by itself. */
  ofLine(line: { record: RawRecord; values: Values }): Problem[];
  /** What shows when all lines were read: limits far from all others, and lines whose warnings were too many. */
  ofFile(): Problem[];
};

/** Memory does not grow with the file. */
export function makePlausibility({ columns }: { columns: readonly Column[] }): Plausibility {
  const median = makeMedian({ keeps: NAMED_LINES });
  const indexes = new Map(columns.map(({ known, index }) => [known, index]));
  const rest = new Map<Doubt, { count: number; lines: number[] }>();
  const told = new Map<Doubt, number>();
  const unit = columns[indexes.get('requested_limit') ?? -1]?.currency;
  const writtenOf = (known: KnownColumn) => columns[indexes.get(known) ?? -1]?.written ?? known;

  /** The warning; nothing where the same was said of so many lines that the rest is said together. */
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

  function doubtsOf(values: Values, amount: number): Doubt[] | null {
    const { requested_limit: limit = '', name = '', contact_email: email = '' } = values;
    const point = limit.indexOf('.');
    const isMoney = point === -1 || limit.length - point - 1 <= decimalsOf(values.currency ?? unit);
    if (amount >= 1 && isMoney && name.length <= LONGEST_NAME && !mayBeExample(email) && !isTotalLabel(name))
      return null;
    const doubts: Doubt[] = [];
    if (amount < 1) doubts.push(UNDER_ONE);
    else if (!isMoney) doubts.push(DECIMALS);
    if (name.length > LONGEST_NAME) doubts.push(LONG_NAME);
    if (isTotalLabel(name) && !isKnownBuyer(values)) doubts.push(CALLED_TOTAL);
    if (EXAMPLE_DOMAIN.test(email.slice(-EXAMPLE_LENGTH))) doubts.push(EXAMPLE_MAIL);
    return doubts.length === 0 ? null : doubts;
  }

  return {
    ofLine({ record, values }) {
      const amount = Number(values.requested_limit);
      median.add(record.line, amount);
      // Nearly no line has any of it: an array for each would cost more than all that is looked at.
      const doubts = doubtsOf(values, amount);
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
          `The same is true of ${which}: ${doubt.message}`,
        );
      });
      return [...limits, ...others];
    },
  };
}

/** What may be wrong with a line, and what would be right. */
type Doubt = { column: KnownColumn; message: string };

const UNDER_ONE = doubt(
  'requested_limit',
  'The limit is below 1: check whether it is written in thousands or millions, or is a part of another amount.',
);
const DECIMALS = doubt(
  'requested_limit',
  'The limit has more decimals than its currency: round it, or check whether it was converted from another currency.',
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
  'Mail to this domain reaches nobody, since it is reserved for examples (RFC 2606): write the real address, or leave the cell empty.',
);

function doubt(column: KnownColumn, message: string): Doubt {
  return { column, message };
}

const NOTHING: Problem[] = [];

/** Registers allow some 160 characters (Companies House), and the longest names in use have about that. */
const LONGEST_NAME = 200;

/** Beyond it, nobody asks for as much by purpose without knowing it. */
const FAR_ABOVE = 1_000;

/** Warnings of one kind beyond this number drown the others; the rest are named together at the end. */
const SAID_ONE_BY_ONE = 20;

/** As many lines as a person looks up from one sentence. */
const NAMED_LINES = 20;

/** RFC 2606, without the top-level domain `example`: nobody types that by mistake, and our own examples use it. */
const EXAMPLE_DOMAIN = /[@.](example\.(com|net|org)|test|invalid|localhost)$/i;

/** Of `@example.com`, the longest of them: no more of an address is looked at. */
const EXAMPLE_LENGTH = 12;

/** A reference alone may be a count of lines that stands in its column: `12;Summe;;;200000`. */
function isKnownBuyer({ buyer_reference, country_code, city, street, company_registration_number }: Values): boolean {
  return Boolean(buyer_reference && (country_code || city || street || company_registration_number));
}

/** By its last letter. */
function mayBeExample(email: string): boolean {
  return 'mtgdMTGD'.includes(email.charAt(email.length - 1)) && email !== '';
}

function listed(lines: readonly number[], count: number): string {
  const more = count - lines.length;
  if (more > 0) return `${lines.join(', ')} and ${more} more`;
  return lines.length < 2 ? lines.join('') : `${lines.slice(0, -1).join(', ')} and ${lines.at(-1)}`;
}
