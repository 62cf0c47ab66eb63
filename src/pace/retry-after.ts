/** A wish for a day is a mistake or an attack; an hour is as long as a line is left alone on one answer's word. */
const LONGEST_WAIT_MS = 3_600_000;

/**
 * Reads `Retry-After` (RFC 9110, section 10.2.3): whole seconds, or an HTTP date, which is corrected by the answer's own
 * `Date` where there is one, since the two clocks differ. Malformed values are ignored; long ones are capped at an hour.
 *
 * @returns ms to wait from now, or nothing where the answer has no such wish
 */
export function retryAfterMs(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  now: number = Date.now(),
): number | undefined {
  const value = [headers['retry-after']].flat()[0]?.trim();
  if (!value) return undefined;
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1_000, LONGEST_WAIT_MS);
  const at = httpDate(value);
  if (at === undefined) return undefined;
  const theirNow = httpDate([headers.date].flat()[0]) ?? now;
  return Math.min(Math.max(0, at - theirNow), LONGEST_WAIT_MS);
}

/** Only the form that HTTP prescribes: `Date.parse` alone would take almost any text for a date. */
function httpDate(text: string | undefined): number | undefined {
  if (!text || !/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}
