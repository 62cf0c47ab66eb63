import { z } from 'zod';
import type { ValueReading } from './reading.ts';

/** Reads a text and joins its lines: a spreadsheet may break a company's name into several. */
export function readOnOneLine(text: string): ValueReading {
  if (!BREAK.test(text)) return { value: text };
  // Split and join, because a pattern with spaces around a break would be quadratic on long runs of spaces.
  const lines = text.split(BREAKS).map((line) => line.trim());
  return { value: lines.filter((line) => line !== '').join(' '), change: 'It was written on several lines.' };
}

/** Reads a name, on one line. Names of question marks alone would all be one buyer. */
export function readName(text: string): ValueReading {
  return text.includes('??') && !LETTER.test(text) ? { problem: LOST_LETTERS } : readOnOneLine(text);
}

const LETTER = /\p{L}/u;

const LOST_LETTERS =
  'The letters of this name are lost: a program wrote question marks for them, since the encoding of the file lacks them. Export the file again as UTF-8.';

const BREAK = /[\r\n]/;
const BREAKS = /[\r\n]+/;

/** Reads a web address. A missing scheme is added if the rest is a host. */
export function readWebsite(text: string): ValueReading {
  // The URL parser would encode the space by itself; the text is sent as written or not at all.
  if (/\s/.test(text))
    return { problem: 'The address holds a space: write one address, like https://www.example.com.' };
  // zod is ten times slower for invalid texts, so an address without a scheme skips it.
  if (text.includes(':') && WEBSITE.safeParse(text).success) return { value: text };
  const whole = `https://${text}`;
  const isHost = /^[\p{L}\p{N}_.-]+\.\p{L}{2,}([/?#]\S*)?$/u.test(text);
  if (isHost && WEBSITE.safeParse(whole).success) return { value: whole, change: 'Its https:// was missing.' };
  return { problem: WEBSITE_PROBLEM };
}

export function readEmail(text: string): ValueReading {
  return EMAIL.safeParse(text).success ? { value: text } : { problem: EMAIL_PROBLEM };
}

// zod checks single cells only. A schema for the whole line would take twice as long as the rest of its reading.
const WEBSITE = z.url({ protocol: /^https?$/ });
// zod's default pattern refuses ampersands and umlauts before the @, which mail systems accept (RFC 6531).
const EMAIL = z.email({ pattern: z.regexes.rfc5322Email });

const EMAIL_PROBLEM = 'This is not an e-mail address: write one, as NAME@DOMAIN.';
const WEBSITE_PROBLEM = 'This is not a web address: write one with http:// or https://, like https://www.example.com.';

/** Reads `yes` or `no` in the languages of header names. */
export function readYesOrNo(text: string): ValueReading {
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
