import { z } from 'zod';
import { beforeDoubt, DOUBT, tellsNot, type ValueReading } from './reading.ts';

/** Whether day or month comes first. */
export type DateOrder = 'dmy' | 'mdy';

/**
 * Reads a date in the past: `2026-03-31`, `2026-03-31 00:00:00`, `20260331`, `31.03.2026`, `31/03/2026`, `03/31/2026`.
 * The value is YYYY-MM-DD.
 *
 * @param order the column's order of day and month; null if unknown. Then `05/04/2026` is an open problem.
 * @param today the latest valid date, YYYY-MM-DD.
 * @param contradiction the cells of the column that contradict each other about the order, for the message of an open problem
 */
export function parseDate(
  text: string,
  { order, today, contradiction }: { order: DateOrder | null; today: string; contradiction?: string | undefined },
): ValueReading {
  const doubted = beforeDoubt(text);
  if (doubted !== null) return order === null ? { problem: DOUBTED, open: true } : parseDate(doubted, { order, today });
  const iso = ISO.test(text) ? text : rewrite(text, order);
  if (iso === 'open') return { problem: openMessage(text, contradiction), open: true };
  if (iso === null) return { problem: 'Write the date as YYYY-MM-DD, like 2026-03-31.' };
  if (!DATE.safeParse(iso).success) return { problem: `There is no such day: read as YYYY-MM-DD, it is ${iso}.` };
  if (iso > today) return { problem: 'The date is in the future: write the closing date of the statements.' };
  return iso === text ? { value: iso } : { value: iso, change: 'It was not written as YYYY-MM-DD.' };
}

/** The order that a date proves; null if it proves none. */
export function dateOrderOf(text: string): DateOrder | null {
  const [, first, sign, second] = SHORT.exec(text) ?? [];
  if (sign === undefined || sign === '.') return null;
  if (Number(first) > 12) return 'dmy';
  return Number(second) > 12 ? 'mdy' : null;
}

const ISO = /^\d{4}-\d\d-\d\d$/;
const DATE = z.iso.date();

/** A date as databases and Excel write it: at midnight, in any time zone. */
const YEAR_FIRST = /^(\d{4})([-./]?)(\d\d)\2(\d\d)(?:[T ]00:00(?::00(?:\.0+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;

const SHORT = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})$/;

function rewrite(text: string, order: DateOrder | null): string | 'open' | null {
  const long = YEAR_FIRST.exec(text);
  if (long) return `${long[1]}-${long[3]}-${long[4]}`;
  const [, first = '', sign, second = '', year] = SHORT.exec(text) ?? [];
  if (sign === undefined) return null;
  // With dots, no locale puts the month first (CLDR).
  const told = sign === '.' ? 'dmy' : (order ?? dateOrderOf(text));
  if (told === null && first !== second) return 'open';
  const [day, month] = told === 'mdy' ? [second, first] : [first, second];
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
}

const DOUBTED = DOUBT.replace('SETTING', '--dates dmy or --dates mdy');

function openMessage(text: string, contradiction?: string): string {
  return `In ${text} the day or the month may come first, and ${tellsNot('date', contradiction)}: say --dates dmy or --dates mdy.`;
}
