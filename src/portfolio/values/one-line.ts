import type { Reading } from './reading.ts';

/** A text without the line breaks by which a spreadsheet shows it over several lines: a company's name has none. */
export function onOneLine(text: string): Reading {
  if (!BREAK.test(text)) return { value: text };
  // Cut and joined: a pattern with spaces on both sides of a break would try each space of a long run anew.
  const lines = text.split(BREAKS).map((line) => line.trim());
  return { value: lines.filter((line) => line !== '').join(' '), change: 'It stood on several lines.' };
}

const BREAK = /[\r\n]/;
const BREAKS = /[\r\n]+/;
