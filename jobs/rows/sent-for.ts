import { cutText } from '../../src/cut-text.ts';
import type { BuyerRow } from '../../src/ledger/rows/buyer-rows.ts';
import type { RowRequest } from '../../src/ledger/schema/row.ts';
import { spelling } from '../../src/portfolio/identity/loose-name.ts';
import { visible } from '../../src/portfolio/problem.ts';

/** Whether a row is one for which the call of this request was sent. A skipped row with the same key was not sent itself. */
export function isSentUnder(key: string, { row, limit, state }: BuyerRow): boolean {
  return row.key === key && limit !== 'free' && SENT_IN.has(state);
}

const SENT_IN: ReadonlySet<string> = new Set(['limit', 'held', 'done']);

/**
 * Whether two requests are for companies of other names or countries. Spelling does not count, but a legal form does. A request without a
 * country is for any country.
 */
export function areOfOtherCompanies(one: RowRequest, other: RowRequest): boolean {
  const [here, there] = [countryOf(one), countryOf(other)];
  return spelling(one.name) !== spelling(other.name) || (here !== '' && there !== '' && here !== there);
}

function countryOf({ company }: RowRequest): string {
  const { country_code: code } = Object((company as { address?: unknown } | undefined)?.address);
  return typeof code === 'string' ? code : '';
}

/** A company as a request names it: `"Anders AG", DE`. */
export function companyWords(request: RowRequest): string {
  const country = countryOf(request);
  return `"${visible(cutText(request.name, LONGEST_NAME))}"${country === '' ? '' : `, ${country}`}`;
}

/** The beginning of what results say of a skipped row whose limit was requested for another company. `recover` reads this text. */
export const MADE_FOR = 'requested for';

/** The most characters of a name in a problem: longer than any real name. */
const LONGEST_NAME = 200;
