import type { Values } from './read-cells.ts';

/** The day after which no statements can be dated and the day before which they count as old, as YYYY-MM-DD. */
export type AdviceDates = { today: string; oldest: string };

/** docs/service.md, "Advice": in US dollars; the file shows no currency, so the bare number is compared. */
const ADVISED_ABOVE = 750_000;

/** docs/service.md, "Advice": audited statements should not be older. */
export const OLDEST_MONTHS = 22;

/** The dates that advice goes by. Today is the latest date that it is anywhere on earth: the reader may sit there. */
export function adviceDates(now: Date): AdviceDates {
  const today = new Date(now.getTime() + LATEST_ZONE_MS);
  const oldest = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - OLDEST_MONTHS, 1));
  // Day 0 of the month after is the month's last: 22 months before 31 December is the last of February.
  const lastDay = new Date(Date.UTC(oldest.getUTCFullYear(), oldest.getUTCMonth() + 1, 0)).getUTCDate();
  oldest.setUTCDate(Math.min(today.getUTCDate(), lastDay));
  return { today: isoDate(today), oldest: isoDate(oldest) };
}

/** What the service advises for a valid line and the line does not follow, or null. It never stops the line. */
export function adviceFor(values: Values, hasDocuments: boolean, { oldest }: AdviceDates): Advice | null {
  const { requested_limit: amount = '', statements_dated: dated } = values;
  const lacking = lackingStatements({ amount, hasDocuments, dated }, oldest);
  if (lacking === 'none') {
    const message = `Above USD 750k, audited statements not older than ${OLDEST_MONTHS} months are advised, and this line names no document: name them in supporting_documents.`;
    return { column: 'requested_limit', message };
  }
  if (lacking === null) return null;
  const message = `Above USD 750k, audited statements not older than ${OLDEST_MONTHS} months are advised: these are from before ${oldest}.`;
  return { column: 'statements_dated', message };
}

/**
 * What a request lacks that audited statements are advised for: any document at all (all that are sent are sent as statements), or
 * one that is recent enough. Where nobody says of when they are, nothing is wrong with them. `dated` and `oldest` are YYYY-MM-DD.
 */
export function lackingStatements(
  { amount, hasDocuments, dated }: { amount: string; hasDocuments: boolean; dated: string | undefined },
  oldest: string,
): 'none' | 'old' | null {
  if (!asksStatements(amount)) return null;
  if (!hasDocuments) return 'none';
  return dated && dated < oldest ? 'old' : null;
}

/** Whether statements are advised for a limit of this amount, canonical decimal text. */
export function asksStatements(amount: string): boolean {
  return Number(amount) > ADVISED_ABOVE;
}

/** `column` is the one whose value it is about. */
export type Advice = { column: 'requested_limit' | 'statements_dated'; message: string };

/** UTC+14, Kiribati. */
const LATEST_ZONE_MS = 14 * 60 * 60 * 1000;

function isoDate(date: Date): string {
  return date.toISOString().slice(0, 10);
}
