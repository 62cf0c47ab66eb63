import { z } from 'zod';
import type { KnownColumn } from '../columns/known-columns.ts';
import { readUnit } from '../values/amount-unit.ts';
import { parseAmount } from '../values/amounts.ts';
import { readCountry } from '../values/countries.ts';
import { parseDate } from '../values/dates.ts';
import { readCompanyId, readIdentifier } from '../values/identifiers.ts';
import type { Reading } from '../values/reading.ts';
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
    currency: readUnit,
  };
}

/** A text without the line breaks by which a spreadsheet shows it over several lines: a company's name has none. */
function onOneLine(text: string): Reading {
  if (!BREAK.test(text)) return { value: text };
  // Cut and joined: a pattern with spaces on both sides of a break would try each space of a long run anew.
  const lines = text.split(BREAKS).map((line) => line.trim());
  return { value: lines.filter((line) => line !== '').join(' '), change: 'It stood on several lines.' };
}

const BREAK = /[\r\n]/;
const BREAKS = /[\r\n]+/;

/** Reads a web address: with its scheme, or without one where the rest is a host. */
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

/** Reads an e-mail address. */
function readEmail(text: string): Reading {
  return EMAIL.safeParse(text).success ? { value: text } : { problem: EMAIL_PROBLEM };
}

// zod keeps the grammars alone, a cell at a time: a schema for the whole line costs twice what the rest of the line does.
const WEBSITE = z.url({ protocol: /^https?$/ });
// zod's own pattern is ASCII and refuses ampersands and umlauts before the @, which mail systems take (RFC 6531).
const EMAIL = z.email({ pattern: z.regexes.rfc5322Email });

const EMAIL_PROBLEM = 'This is not an e-mail address: write one, as NAME@DOMAIN.';
const WEBSITE_PROBLEM = 'This is not a web address: write one with http:// or https://, like https://www.example.com.';

/** Reads `yes` or `no` as people say it in the languages of the header names. */
function readYesOrNo(text: string): Reading {
  const word = text.toLowerCase();
  if (YES.has(word)) return { value: 'yes' };
  if (NO.has(word)) return { value: 'no' };
  return { problem: 'Write yes or no, or leave the cell empty.' };
}

const YES = new Set([
  'yes',
  'y',
  'true',
  '1',
  'x',
  'ja',
  'j',
  'wahr',
  'oui',
  'o',
  'vrai',
  'sí',
  'si',
  's',
  'verdadero',
]);
const NO = new Set(['no', 'n', 'false', '0', 'nein', 'falsch', 'non', 'faux', 'falso']);
