import type { KnownColumn } from '../columns/known-columns.ts';
import { readEmail, readWebsite } from '../values/addresses.ts';
import { parseAmount } from '../values/amounts.ts';
import { readCountry } from '../values/countries.ts';
import { parseDate } from '../values/dates.ts';
import { readCompanyId, readIdentifier } from '../values/identifiers.ts';
import { onOneLine } from '../values/one-line.ts';
import type { Reading } from '../values/reading.ts';
import { readYesOrNo } from '../values/yes-or-no.ts';
import type { Conventions } from './conventions.ts';

/** Reads one cell that is not empty, trimmed; `isNumber` when the file itself types it as a number. */
export type ValueReader = (text: string, isNumber?: boolean) => Reading;

/**
 * How the cells of each column are read; a column that is not here is taken as written.
 *
 * @param conventions how amounts and dates are written; looked at for each cell, since it may become known on the way.
 * @param today the latest date, YYYY-MM-DD, that statements may carry.
 */
export function makeValueReaders({ conventions, today }: { conventions: Readonly<Conventions>; today: string }): {
  [column in KnownColumn]?: ValueReader;
} {
  return {
    name: onOneLine,
    country_code: readCountry,
    website: readWebsite,
    requested_limit: (text, isNumber) => parseAmount(text, isNumber ? '.' : conventions.decimal),
    contact_email: readEmail,
    statements_dated: (text) => parseDate(text, { order: conventions.dates, today }),
    buyer_reference: readIdentifier,
    business_information_source: readIdentifier,
    business_information_id: readIdentifier,
    company_registration_number: readIdentifier,
    request_reference: readIdentifier,
    same_buyer: readYesOrNo,
    company_id: readCompanyId,
  };
}
