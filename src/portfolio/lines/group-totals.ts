import { smallLetters, wordsOf } from '../../likeness.ts';
import { readCountry } from '../values/countries.ts';
import type { GroupLabel } from '../values/total-words.ts';
import type { RunningSums } from './running-sums.ts';

/** A line that is called like the total of a group, and says little else than an amount. */
type GroupTotal = {
  label: GroupLabel;
  /** The cells of the last buyer above it. */
  above: readonly string[];
  /** Whether it fills far fewer cells than those above it, and less than half. */
  isSparse: boolean;
  amount: string | undefined;
  sums: RunningSums;
  /** Whether a total was met before: then a group of one line is nothing strange. */
  isAfterTotal: boolean;
};

/**
 * Whether a line is the total of a group of lines, as spreadsheets put below each (`Acme Ltd Total`, `DE Ergebnis`,
 * `Total Nord`). A word for a total in a name says nothing by itself, since `Total Energies` is a buyer: what it is the
 * total of has to stand above it, or be a country, or its amount has to be a sum.
 */
export function isGroupTotal({ label, above, isSparse, amount, sums, isAfterTotal }: GroupTotal): boolean {
  const of = plainLabel(label.of);
  if (above.some((cell) => cell !== '' && plainLabel(cell) === of)) return true;
  if (isSparse && label.isSure) return true;
  const sum = amount === undefined ? null : (sums.groupOf(amount) ?? sums.answeredBy(amount));
  if ((isSparse || sum) && 'value' in readCountry(label.of)) return true;
  if (!sum) return false;
  // Round amounts are often equal, or the sum of two: one line above is a group only where other things say so.
  return sum.lines >= SURELY_ADDED || (isSparse && (label.isBehind || isAfterTotal));
}

/** A label without what people write in different ways: case, accents, punctuation. */
function plainLabel(text: string): string {
  return wordsOf(smallLetters(text));
}

/** So many amounts do not come to another by chance and to a name that begins with a word for a total. */
const SURELY_ADDED = 3;
