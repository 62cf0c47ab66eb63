import { z } from 'zod';
import { parseAmount, type Reading } from './amounts.ts';
import type { KnownColumn } from './columns.ts';
import { countryProblem } from './countries.ts';

/** Reads one cell that is not empty, trimmed. */
export type ValueReader = (text: string) => Reading;

/**
 * How the cells of each column are read; a column that is not here is taken as written.
 *
 * @param today the latest date, YYYY-MM-DD, that statements may carry.
 */
export function makeValueReaders({ today }: { today: string }): { [column in KnownColumn]?: ValueReader } {
  return {
    country_code: (text) => checked(text, countryProblem(text)),
    website: (text) => checked(text, websiteProblem(text)),
    requested_limit: parseAmount,
    contact_email: (text) => checked(text, EMAIL.safeParse(text).success ? null : EMAIL_PROBLEM),
    statements_dated: (text) => checked(text, dateProblem(text, today)),
    company_id: (text) => checked(text, /^company_\S+$/.test(text) ? null : COMPANY_ID_PROBLEM),
  };
}

// zod keeps the grammars alone, a cell at a time: a schema for the whole line costs twice what the rest of the line does.
const WEBSITE = z.url({ protocol: /^https?$/ });
// zod's own pattern is ASCII and refuses ampersands and umlauts before the @, which mail systems take (RFC 6531).
const EMAIL = z.email({ pattern: z.regexes.rfc5322Email });
const DATE = z.iso.date();

const EMAIL_PROBLEM = 'This is no e-mail address: write one, like anna.berg@example.com.';
const COMPANY_ID_PROBLEM = 'This is no id of the service: it begins with company_. Leave it empty for a new company.';

function checked(text: string, problem: string | null): Reading {
  return problem === null ? { value: text } : { problem };
}

function websiteProblem(text: string): string | null {
  // The URL parser would encode the space on its own; we send what is written, or nothing.
  if (/\s/.test(text)) return 'The address holds a space: write one address, like https://www.example.com.';
  if (WEBSITE.safeParse(text).success) return null;
  if (/^[\w.-]+\.\w+(\/\S*)?$/.test(text))
    return `Write https://${text}: the address needs its http:// or https:// too.`;
  return 'This is no address on the web: write one with http:// or https://, like https://www.example.com.';
}

function dateProblem(text: string, today: string): string | null {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return 'Write the date as YYYY-MM-DD, like 2026-03-31.';
  if (!DATE.safeParse(text).success) return 'There is no such day: check month and day of YYYY-MM-DD.';
  return text > today ? 'The date lies in the future: write the day to which the statements were drawn up.' : null;
}
