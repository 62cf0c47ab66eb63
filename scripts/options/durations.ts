import { InvalidArgumentError } from 'commander';
import { z } from 'zod';

/** A duration option; `text` is as it was written. */
export type Duration = { text: string; ms: number };

/** The longest timer of Node is 24.8 days. */
const MOST_MS = 24 * 24 * 3_600_000;

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

const UNITS_MS: Record<string, number> = { h: 3_600_000, m: 60_000, s: 1_000 };

function millisecondsOf(text: string): number {
  const parts = [...text.toLowerCase().matchAll(/(\d+)([hms])/g)];
  return parts.reduce((sum, [, number, unit]) => sum + Number(number) * (UNITS_MS[unit ?? ''] ?? 0), 0);
}
