import { type Decimal, parseAmount } from '../values/amounts.ts';
import { type DateOrder, parseDate } from '../values/dates.ts';

/** A cell's value, or why it has none. */
export type ReadValue = { value?: string; problem?: string };

/** An amount of zero, which {@link parseAmount} refuses: `0`, `0.00 EUR`, `€ 0,00`. */
const NOTHING = /^[^\d-]*0+(?:[.,]0*)?[^\d-]*$/;

/** Reads an amount that may be zero. An empty text has no value and no problem. */
export function readAmount(text: string, convention: Decimal | null): ReadValue {
  if (text === '') return {};
  if (NOTHING.test(text) && !text.includes('(')) return { value: '0' };
  const read = parseAmount(text, convention);
  return 'problem' in read ? { problem: read.problem.replace('above zero', 'zero or more') } : read;
}

const MOMENT = /^([-./\d]{8,10})(?:T|,? )(\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(Z|[+-]\d\d:\d\d)?$/i;
/** How the moment ends that a day without a time means. */
export const END_OF_DAY = 'T23:59:59.999Z';
const DAY_MS = 86_400_000;

/**
 * How far in the future a decision's time may be, since clocks differ. A later time mostly belongs to another time zone, and would override
 * all decisions until it has come.
 */
const AHEAD_MS = 600_000;

/** The remedy for a time that is read in another time zone than the person meant. */
export const ZONE_WORDS = 'Times without a zone are read as UTC: write the zone behind the time, such as +01:00.';

/**
 * Reads when something was decided, and answers it in ISO 8601, UTC. The text is a day in any form that a date may have, or such a day with
 * a time after it. A day means its end, even while it has not ended.
 * @param given.aheadMs how far in the future a time, or the beginning of a day, may be
 */
export function readMoment(
  text: string,
  { dates, now, aheadMs = AHEAD_MS }: { dates: DateOrder | null; now: Date; aheadMs?: number },
): ReadValue {
  if (text === '') return {};
  const [, day = '', time = '', zone = 'Z'] = MOMENT.exec(text) ?? [];
  const date = parseDate(day === '' ? text : day, { order: dates, today: '9999-12-31' });
  if (!('value' in date)) return { problem: `${date.problem} A time may follow the date, like 2026-11-02T10:04:00Z.` };
  const isDay = day === '';
  const ms = Date.parse(isDay ? `${date.value}T00:00:00Z` : `${date.value}T${time}${zone.toUpperCase()}`);
  if (Number.isNaN(ms)) return { problem: 'There is no such time.' };
  if (ms > now.getTime() + aheadMs) {
    const read = `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
    return { problem: isDay ? 'This is in the future.' : `This is in the future, read as ${read}. ${ZONE_WORDS}` };
  }
  return { value: new Date(isDay ? ms + DAY_MS - 1 : ms).toISOString() };
}
