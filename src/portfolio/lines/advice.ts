import type { Values } from './read-cells.ts';

/** As YYYY-MM-DD: statements dated after `today` are impossible, statements dated before `oldest` count as old. */
export type AdviceDates = { today: string; oldest: string };

/** Above this, statements are advised, in US dollars (docs/service.md, "Advice"). Requests have no currency, so numbers are compared. */
const ADVISED_ABOVE = 750_000;

/** docs/service.md, "Advice": audited statements should not be older. */
export const OLDEST_MONTHS = 22;

/** The dates for judging statements. Today is the latest date on earth, because the reader may be in that time zone. */
export function adviceDates(now: Date): AdviceDates {
  const today = new Date(now.getTime() + LATEST_ZONE_MS);
  const oldest = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - OLDEST_MONTHS, 1));
  // Day 0 of the next month is the last day of this one: 22 months before 31 December is the last of February.
  const lastDay = new Date(Date.UTC(oldest.getUTCFullYear(), oldest.getUTCMonth() + 1, 0)).getUTCDate();
  oldest.setUTCDate(Math.min(today.getUTCDate(), lastDay));
  return { today: isoDate(today), oldest: isoDate(oldest) };
}

/** The service's advice that a valid line does not follow, or null. Advice never stops the line. */
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
 * The statements that a request lacks where they are advised: `none` without any document, since every document is sent as a
 * statement; `old` if they are older than advised. Statements without a date pass. `dated` and `oldest` are YYYY-MM-DD.
 */
export function lackingStatements(
  { amount, hasDocuments, dated }: { amount: string; hasDocuments: boolean; dated: string | undefined },
  oldest: string,
): 'none' | 'old' | null {
  if (!asksStatements(amount)) return null;
  if (!hasDocuments) return 'none';
  return dated && dated < oldest ? 'old' : null;
}

/** Whether statements are advised for this amount, a canonical decimal text. */
export function asksStatements(amount: string): boolean {
  return Number(amount) > ADVISED_ABOVE;
}

/** `column` is the column whose value the message is about. */
export type Advice = { column: 'requested_limit' | 'statements_dated'; message: string };

/** The time zone in which a day begins first: UTC+14, Kiribati. */
const LATEST_ZONE_MS = 14 * 60 * 60 * 1000;

function isoDate(date: Date): string {
  return date.toISOString().slice(0, 10);
}
