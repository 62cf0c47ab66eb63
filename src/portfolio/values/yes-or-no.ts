import type { Reading } from './reading.ts';

/** Reads `yes` or `no` as people say it in the languages of the header names. */
export function readYesOrNo(text: string): Reading {
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
