import { smallLetters } from '../../likeness.ts';
import { COMPANIONS, PLAIN_TOTALS, TOTALS } from './total-word-tables.ts';

/**
 * Whether a label is a word for a total, or for a line that a sheet's author adds below the buyers: `Summe`, `Total EUR`,
 * `Grand Total:`, `Sous-total`, `Total général (12 clients)`, SAP's `**`.
 *
 * What can begin a company's name is no such word by its beginning: `Total Energies` and `Summa Oy` are buyers.
 */
export function isTotalLabel(label: string): boolean {
  if (!mayBegin(label)) return false;
  if (STARS.test(label)) return true;
  const words = smallLetters(label)
    .replace(/\([^()]*\)/g, ' ')
    .replace(/[^\p{L}]+/gu, ' ')
    .trim()
    .split(' ')
    // A single letter is what is left of an abbreviation, or of a sheet's column.
    .filter((word) => word.length > 1 && !COMPANIONS.has(word));
  const name = words.join(' ');
  return TOTALS.has(name) || PLAIN_TOTALS.has(words[0] ?? '') || PLAIN_TOTALS.has(words.slice(0, 2).join(' '));
}

/** A label that names a group of lines beside a word for its total: `Acme Ltd Total`, `Total Österreich`, `1001 Summe`. */
export type GroupLabel = {
  /** What it is the total of, as written. */
  of: string;
  /** Whether the word stands behind it, as spreadsheets put it in most languages. */
  isBehind: boolean;
  /** Whether no company's name ends with the word. */
  isSure: boolean;
};

/** The group that a label names, if it does: that says nothing yet, since a company may be called so, see `isGroupTotal`. */
export function groupOf(written: string): GroupLabel | null {
  const label = written.trim();
  if (label.length > LONGEST || !mayNameGroup(label)) return null;
  const behind = BEHIND.exec(label);
  if (behind) return { of: behind[1] ?? '', isBehind: true, isSure: SURE.test(behind[2] ?? '') };
  const before = BEFORE.exec(label);
  return before ? { of: before[1] ?? '', isBehind: false, isSure: false } : null;
}

/** By its first and last letters: the label of nearly every buyer costs no more than these two looks. */
function mayNameGroup(label: string): boolean {
  return GROUP_BEGINNINGS.has(startOf(label)) || GROUP_ENDS.test(label.slice(-LONGEST_END));
}

/** What spreadsheets write beside the name of a group: its sum, and its count or average, which are no buyers either. */
const GROUP_WORDS =
  'total|totale|totaal|summe|ergebnis|gesamt|sum|somme|suma|soma|count|anzahl|nombre|average|mittelwert';
const SURE_WORDS = 'teilergebnis|gesamtergebnis|zwischensumme|gesamtsumme|sub-?total';
const BEHIND = new RegExp(`^(\\S.*?)[\\s:–-]+(${GROUP_WORDS}|${SURE_WORDS})[\\s:]*$`, 'i');
const BEFORE = new RegExp(`^(?:${GROUP_WORDS})[\\s:–-]+(\\S.*?)[\\s:]*$`, 'i');
const SURE = new RegExp(`^(summe|ergebnis|${SURE_WORDS})$`, 'i');

/** Names of companies are shorter, and what slipped into a cell costs no search. */
const LONGEST = 200;

/** The last three letters of each, and a colon or two behind them. */
const GROUP_ENDS = new RegExp(
  `(${[...new Set(`${GROUP_WORDS}|${SURE_WORDS}`.split('|').map((word) => word.slice(-3)))].join('|')})[\\s:]*$`,
  'i',
);
const LONGEST_END = 6;

/** SAP's lists mark subtotals and totals so; a sum sign stands for itself. */
const STARS = /^\s*(\*{1,9}|[Σ∑])\s*$/;

/**
 * Whether a label may be one by how its first word begins, which is all that the label of nearly every buyer costs. What
 * begins with three plain letters must begin a total itself. Behind others, words that only stand beside a total are
 * passed over; signs that are not those of Western languages ask for a closer look.
 */
function mayBegin(label: string): boolean {
  let [start, letters] = [0, 0];
  for (let at = 0; at <= label.length; at += 1) {
    const letter = at < label.length ? LETTERS[label.charCodeAt(at)] : 0;
    if (letter === undefined) return true;
    if (letter > 0) {
      letters += 1;
      start = start * 0x20 + letter;
    }
    if (letters === 3 || (letter === 0 && letters === 2)) {
      return BEGINNINGS.has(start) || (COMPANION_BEGINNINGS.has(start) && !isPlain(label));
    }
    if (letter === 0) [start, letters] = [0, 0];
  }
  return true;
}

function isPlain(label: string): boolean {
  return /^[A-Za-z]{3}/.test(label);
}

/**
 * For each sign of Latin-1 the number of the letter that it is, without accent or case, 27 of those that are none of the
 * alphabet, and 0 where it parts words. Nothing is said of what becomes several signs, and of brackets.
 */
const LETTERS = Array.from({ length: 0x100 }, (_none, code) => {
  const letters = smallLetters(String.fromCharCode(code));
  if (letters === '(' || letters.trim().length > 1) return undefined;
  if (!/\p{L}/u.test(letters)) return 0;
  return letters >= 'a' && letters <= 'z' ? letters.charCodeAt(0) - 0x60 : 27;
});

/** Up to three letters as one number. */
function startOf(text: string): number {
  let start = 0;
  for (const letter of text.slice(0, 3)) start = start * 0x20 + (LETTERS[letter.charCodeAt(0)] ?? 0);
  return start;
}

const BEGINNINGS = new Set([...TOTALS, ...PLAIN_TOTALS].map(startOf));
const COMPANION_BEGINNINGS = new Set([...COMPANIONS].map(startOf));
const GROUP_BEGINNINGS = new Set(GROUP_WORDS.split('|').map(startOf));
