import { z } from 'zod';
import type { Reading } from './reading.ts';

/** Reads a web address: with its scheme, or without one where the rest is a host. */
export function readWebsite(text: string): Reading {
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
export function readEmail(text: string): Reading {
  return EMAIL.safeParse(text).success ? { value: text } : { problem: EMAIL_PROBLEM };
}

// zod keeps the grammars alone, a cell at a time: a schema for the whole line costs twice what the rest of the line does.
const WEBSITE = z.url({ protocol: /^https?$/ });
// zod's own pattern is ASCII and refuses ampersands and umlauts before the @, which mail systems take (RFC 6531).
const EMAIL = z.email({ pattern: z.regexes.rfc5322Email });

const EMAIL_PROBLEM = 'This is not an e-mail address: write one, as NAME@DOMAIN.';
const WEBSITE_PROBLEM = 'This is not a web address: write one with http:// or https://, like https://www.example.com.';
