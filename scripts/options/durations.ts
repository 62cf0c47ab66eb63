import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { HOUR_MS } from '../../src/time-units.ts';

/** A duration option; `text` is as it was written. */
export type Duration = { text: string; ms: number };

/** The longest duration: a timer of Node can be 24.8 days at the most. */
const MOST_MS = 24 * 24 * HOUR_MS;

const durationSchema = z
  .string()
  .regex(/^(?=\d)(\d{1,6}h)?(\d{1,6}m)?(\d{1,6}s)?$/i, 'give a time such as 2h, 90m, 1h30m or 30s')
  .transform((text) => ({ text, ms: millisecondsOf(text) }))
  .refine(({ ms }) => ms > 0 && ms <= MOST_MS, 'give a time above 0s and up to 576h');

/** Parses a duration: hours, minutes and seconds, each at most once and in this order. */
export function readDuration(text: string): Duration {
  const parsed = durationSchema.safeParse(text.trim());
  if (parsed.success) return parsed.data;
  throw new InvalidArgumentError(`${parsed.error.issues[0]?.message ?? ''}.`.replace(/^g/, 'G'));
}

/** Parses a time to begin at, in ms: a day in UTC, a time such as 2026-11-22T10:00Z, or an age such as 12h or 90m. */
export function since(text: string): number {
  const given = text.trim();
  if (/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?)?$/.test(given)) {
    const isBare = given.includes('T') && !/(Z|[+-]\d\d:\d\d)$/.test(given);
    const atMs = Date.parse(isBare ? `${given}Z` : given);
    if (Number.isFinite(atMs) && isDay(given.slice(0, 10))) return atMs;
  }
  if (/^\d/.test(given) && /[hms]$/i.test(given)) return Date.now() - readDuration(given).ms;
  throw new InvalidArgumentError(
    'Give a day such as 2026-11-22, a moment such as 2026-11-22T10:00Z, or a time such as 12h.',
  );
}

export type TimeLimit = ReturnType<typeof startTimeLimit>;

/**
 * Calls `onOver` once when the time of `--deadline` is over; never without a limit. Does not keep the process alive; `forget` cancels it.
 */
export function startTimeLimit(limit: Duration | undefined, onOver: () => void) {
  let over = false;
  const timer =
    limit &&
    setTimeout(() => {
      over = true;
      onOver();
    }, limit.ms).unref();
  return {
    isOver: (): boolean => over,
    /** The duration as it was written; '' without a limit. */
    text: limit?.text ?? '',
    forget: (): void => clearTimeout(timer),
  };
}

const UNITS_MS: Record<string, number> = { h: HOUR_MS, m: 60_000, s: 1_000 };

function millisecondsOf(text: string): number {
  const parts = [...text.toLowerCase().matchAll(/(\d+)([hms])/g)];
  return parts.reduce((sum, [, number, unit]) => sum + Number(number) * (UNITS_MS[unit ?? ''] ?? 0), 0);
}

/** Whether a text names a day that exists: `Date` makes a day of March of February 30. */
const isDay = (text: string): boolean => new Date(text).toISOString().startsWith(text);

/** Parses a line number of a file, which is at least 2, since the header is line 1. */
export function lineNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) < 2) throw new InvalidArgumentError('Give a line number, 2 or more.');
  return Number(text);
}

export function portNumber(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError('Give a port, 0 to 65535.');
  return Number(text);
}

/** Makes a parser of a number from 1 to `most`; `what` is how its message names the number. */
export function numberUpTo(most: number, what = 'a number from'): (text: string) => number {
  return (text) => {
    if (/^\d{1,9}$/.test(text) && Number(text) >= 1 && Number(text) <= most) return Number(text);
    throw new InvalidArgumentError(`Give ${what} 1 to ${most}.`);
  };
}

export function entryNumber(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('Give the number of an entry, 1 or more.');
  return Number(text);
}

/** Parses the length of a list. */
export const limitNumber = numberUpTo(999_999);

export function positiveNumber(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('Give a number above zero.');
  return value;
}
