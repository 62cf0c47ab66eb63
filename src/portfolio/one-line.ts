import type { Reading } from './amounts.ts';

/** A text without the line breaks by which a spreadsheet shows it over several lines: a company's name has none. */
export function onOneLine(text: string): Reading {
  if (!BREAK.test(text)) return { value: text };
  return { value: text.replace(BREAKS, ' '), change: 'It stood on several lines.' };
}

const BREAK = /[\r\n]/;
const BREAKS = /\s*[\r\n]\s*/g;
