import { z } from 'zod';
import type { KnownColumn } from '../columns/columns.ts';
import { parseAmount, type Reading } from './amounts.ts';
import type { Conventions } from './conventions.ts';
import { readCountry } from './countries.ts';
import { parseDate } from './dates.ts';
import { IDENTIFIER_READERS } from './identifier-cells.ts';
import { onOneLine } from './one-line.ts';
import { readYesOrNo } from './yes-or-no.ts';

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
    contact_email: (text) => checked(text, EMAIL.safeParse(text).success ? null : EMAIL_PROBLEM),
    statements_dated: (text) => parseDate(text, { order: conventions.dates, today }),
    ...IDENTIFIER_READERS,
    same_buyer: readYesOrNo,
    company_id: (text) => checked(text, /^company_\S+$/.test(text) ? null : COMPANY_ID_PROBLEM),
  };
}

// zod keeps the grammars alone, a cell at a time: a schema for the whole line costs twice what the rest of the line does.
const WEBSITE = z.url({ protocol: /^https?$/ });
// zod's own pattern is ASCII and refuses ampersands and umlauts before the @, which mail systems take (RFC 6531).
const EMAIL = z.email({ pattern: z.regexes.rfc5322Email });

const EMAIL_PROBLEM = 'This is no e-mail address: write one, like anna.berg@example.com.';
const COMPANY_ID_PROBLEM = 'This is no id of the service: it begins with company_. Leave it empty for a new company.';
const WEBSITE_PROBLEM =
  'This is no address on the web: write one with http:// or https://, like https://www.example.com.';

function checked(text: string, problem: string | null): Reading {
  return problem === null ? { value: text } : { problem };
}

function readWebsite(text: string): Reading {
  // The URL parser would encode the space on its own; we send what is written, or nothing.
  if (/\s/.test(text))
    return { problem: 'The address holds a space: write one address, like https://www.example.com.' };
  // To be refused costs zod ten times what it costs to be taken, so what has no scheme is not tried.
  if (text.includes(':') && WEBSITE.safeParse(text).success) return { value: text };
  const whole = `https://${text}`;
  const isHost = /^[\p{L}\p{N}_.-]+\.\p{L}{2,}([/?#]\S*)?$/u.test(text);
  if (isHost && WEBSITE.safeParse(whole).success) return { value: whole, change: 'Its https:// was missing.' };
  return { problem: WEBSITE_PROBLEM };
}
