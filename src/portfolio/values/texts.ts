import { z } from 'zod';
import type { ValueReading } from './reading.ts';

/** Reads a text without the line breaks by which a spreadsheet shows it over several lines: a company's name has none. */
export function readOnOneLine(text: string): ValueReading {
  if (!BREAK.test(text)) return { value: text };
  // Cut and joined: a pattern with spaces on both sides of a break would try each space of a long run anew.
  const lines = text.split(BREAKS).map((line) => line.trim());
  return { value: lines.filter((line) => line !== '').join(' '), change: 'It stood on several lines.' };
}

const BREAK = /[\r\n]/;
const BREAKS = /[\r\n]+/;

/** Reads a web address: with its scheme, or without one where the rest is a host. */
export function readWebsite(text: string): ValueReading {
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
export function readEmail(text: string): ValueReading {
  return EMAIL.safeParse(text).success ? { value: text } : { problem: EMAIL_PROBLEM };
}

// zod keeps the grammars alone, a cell at a time: a schema for the whole line costs twice what the rest of the line does.
const WEBSITE = z.url({ protocol: /^https?$/ });
// zod's own pattern is ASCII and refuses ampersands and umlauts before the @, which mail systems take (RFC 6531).
const EMAIL = z.email({ pattern: z.regexes.rfc5322Email });

const EMAIL_PROBLEM = 'This is not an e-mail address: write one, as NAME@DOMAIN.';
const WEBSITE_PROBLEM = 'This is not a web address: write one with http:// or https://, like https://www.example.com.';

/** Reads `yes` or `no` as people say it in the languages of the header names. */
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
