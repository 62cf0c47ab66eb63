import { plainWordsOf, smallLetters } from '../../likeness.ts';
import { readCountry } from '../values/countries.ts';
import type { GroupLabel } from '../values/total-words.ts';
import type { RunningSums } from './running-sums.ts';

/** A line whose label reads like a group's total, and which says little beside an amount. */
type GroupTotal = {
  label: GroupLabel;
  /** The cells of the last buyer above it. */
  above: readonly string[];
  /** Whether it fills less than half of the columns, and far fewer cells than the lines above. */
  isSparse: boolean;
  amount: string | undefined;
  sums: RunningSums;
  /** Whether there was a total before. Then a group of one line is normal. */
  isAfterTotal: boolean;
};

/**
 * Whether a line is the total of a group, as spreadsheets put below each (`Acme Ltd Total`, `DE Ergebnis`, `Total
 * Nord`). The word alone proves nothing: `Total Energies` is a buyer. The rest of the label must occur in the line
 * above or be a country, or the amount must be a sum.
 */
export function isGroupTotal({ label, above, isSparse, amount, sums, isAfterTotal }: GroupTotal): boolean {
  const of = plainLabel(label.of);
  if (above.some((cell) => cell !== '' && plainLabel(cell) === of)) return true;
  if (isSparse && label.isSure) return true;
  const sum = amount === undefined ? null : (sums.groupOf(amount) ?? sums.answeredBy(amount));
  if ((isSparse || sum) && 'value' in readCountry(label.of)) return true;
  if (!sum) return false;
  // Round amounts often add up by chance. So one or two lines above count as a group only with further evidence.
  return sum.lines >= SURELY_ADDED || (isSparse && (label.isBehind || isAfterTotal));
}

/** A label without differences of spelling: case, accents, punctuation. */
const plainLabel = (text: string): string => plainWordsOf(smallLetters(text));

/** This many amounts hardly add up to another by chance, beside another sign of a total. */
export const SURELY_ADDED = 3;
