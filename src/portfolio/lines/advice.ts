import type { Currency } from '../values/currencies.ts';
import type { Values } from './read-cells.ts';

/** Dates for judging audited financial statements, YYYY-MM-DD: a date after `today` is impossible, one before `oldest` counts as old. */
export type AdviceDates = { today: string; oldest: string };

/**
 * The amounts above which audited financial statements are advised, by ISO 4217 code (`ADVISE_STATEMENTS_ABOVE`). A request has no
 * currency, but the file may name it.
 */
export type AdviseAbove = Readonly<Record<string, number>>;

/** The one amount that the service names (docs/service.md, "Advice"). Amounts without a currency are compared with it, too. */
const SERVICE_ADVISES: AdviseAbove = { USD: 750_000 };

/** Months after which audited financial statements count as old (docs/service.md, "Advice"). */
export const OLDEST_MONTHS = 22;

/** The dates by which financial statements are judged. `today` is the latest date on earth, since the reader may be in that time zone. */
export function adviceDates(now: Date): AdviceDates {
  const today = new Date(now.getTime() + LATEST_ZONE_MS);
  const oldest = new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - OLDEST_MONTHS, 1));
  // Day 0 of the next month is the last day of this month. So 22 months before 31 December is the last day of February.
  const lastDay = new Date(Date.UTC(oldest.getUTCFullYear(), oldest.getUTCMonth() + 1, 0)).getUTCDate();
  oldest.setUTCDate(Math.min(today.getUTCDate(), lastDay));
  return { today: isoDate(today), oldest: isoDate(oldest) };
}

/** The service's advice that a valid line does not follow, or null. Advice never stops the line. */
export function adviceFor(
  values: Values,
  given: { documents: number; currency?: string | undefined; above?: AdviseAbove | undefined },
  { oldest }: AdviceDates,
): Advice | null {
  const { documents, currency = USD, above } = given;
  const { requested_limit: amount = '', statements_dated: dated } = values;
  const lacking = lackingStatements({ amount, documents, dated, currency }, oldest, above);
  if (lacking === null) return null;
  const limit = limitOf(currency, above);
  const size = `${currency} ${limit % 1000 === 0 ? `${limit / 1000}k` : limit}`;
  const advised = `Above ${size}, ${ADVISED}`;
  if (lacking === 'old') return { column: 'statements_dated', message: `${advised}: these are from before ${oldest}.` };
  const message =
    lacking === 'none'
      ? `${advised}, and this line names no document: name them in supporting_documents.`
      : `${advised}, the profit and loss statement and the balance sheet: this line names one document, which may be only one of the two.`;
  return { column: lacking === 'none' ? 'requested_limit' : 'supporting_documents', message };
}

/** Words of each message of {@link adviceFor}. */
const ADVISED = `audited statements not older than ${OLDEST_MONTHS} months are advised`;

/** Whether a warning is advice of the service, which nobody has to follow. */
export const isAdvice = (message: string): boolean => message.includes(ADVISED);

/**
 * The audited financial statements that a request lacks where they are advised: `none` without any document, since every document is sent
 * as a statement; `old` if they are older than advised; `one` with a single document, since two statements are advised. Statements without
 * a date are not old. `dated` and `oldest` are YYYY-MM-DD; `currency` is a code, by default that of the service's advice.
 */
export function lackingStatements(
  given: { amount: string; documents: number; dated?: string | undefined; currency?: string | undefined },
  oldest: string,
  above: AdviseAbove = {},
): 'none' | 'old' | 'one' | null {
  const { amount, documents, dated, currency } = given;
  if (Number(amount) <= limitOf(currency, above)) return null;
  if (documents === 0) return 'none';
  if (dated && dated < oldest) return 'old';
  return documents === 1 ? 'one' : null;
}

/**
 * The code by which advice judges an amount: of those that a sign may mean, the one with the lowest limit. Undefined for USD and for no
 * currency; XXX for what is no code.
 */
export function advisedCurrency(currency: Currency | null, above?: AdviseAbove): string | undefined {
  const [code] = [...(currency ?? [])].sort((one, other) => limitOf(one, above) - limitOf(other, above) || 0);
  if (code === undefined || code === USD) return undefined;
  return /^[A-Z]{3}$/.test(code) ? code : 'XXX';
}

/**
 * What the ledger keeps of a request's financial statements for later nights, where its amount may be so large that they are advised: their
 * date, and the currency's code where it is not USD. Undefined for nothing.
 */
export function statementsText(
  amount: string,
  dated: string | undefined,
  currency: string | undefined,
  above?: AdviseAbove,
) {
  const isLarge = Number(amount) > Math.min(limitOf(USD, above), limitOf(currency, above));
  return isLarge && (dated || currency) ? [dated, currency].filter(Boolean).join(' ') : undefined;
}

/** Reads the financial statements' date and the currency from the text that {@link statementsText} wrote. */
export function readStatements(text = ''): { dated: string | undefined; currency: string | undefined } {
  const words = text.split(' ');
  return { dated: words.find((word) => /^\d/.test(word)), currency: words.find((word) => /^[A-Z]/.test(word)) };
}

/** How many of a request's documents are sent as financial statements: those without another purpose. */
export function statementsAmong(documents: readonly { purpose?: string }[]): number {
  return documents.filter(({ purpose }) => purpose === undefined).length;
}

const USD = 'USD';

function limitOf(currency = USD, above: AdviseAbove = {}): number {
  const limits: AdviseAbove = { ...SERVICE_ADVISES, ...above };
  return limits[currency] ?? Number.POSITIVE_INFINITY;
}

/** A message of advice on a line. `column` is the column whose value it is about. */
type Advice = { column: 'requested_limit' | 'statements_dated' | 'supporting_documents'; message: string };

/** The time zone in which a day begins first: UTC+14, Kiribati. */
const LATEST_ZONE_MS = 14 * 60 * 60 * 1000;

const isoDate = (date: Date): string => date.toISOString().slice(0, 10);
