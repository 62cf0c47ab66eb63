import { smallLetters } from '../../likeness.ts';
import { COMPANIONS, PLAIN_TOTALS, TOTALS } from './total-word-tables.ts';

/**
 * Whether a label means a total, or another line that authors add below the buyers: `Summe`, `Total EUR`, `Grand
 * Total:`, `Sous-total`, `Total général (12 clients)`, SAP's `**`.
 *
 * The beginning alone proves nothing if a company's name may begin so: `Total Energies` and `Summa Oy` are buyers.
 */
export function isTotalLabel(label: string): boolean {
  if (!mayBegin(label)) return false;
  if (STARS.test(label)) return true;
  // Only Danish and Norwegian `I alt` is a total. In German, `alt` is an old buyer.
  if (OLD.test(label)) return false;
  const words = smallLetters(label)
    .replace(/\([^()]*\)/g, ' ')
    .replace(/[^\p{L}]+/gu, ' ')
    .trim()
    .split(' ')
    // Single letters are the rest of an abbreviation or of a column's letter.
    .filter((word) => word.length > 1 && !COMPANIONS.has(word));
  const name = words.join(' ');
  return TOTALS.has(name) || PLAIN_TOTALS.has(words[0] ?? '') || PLAIN_TOTALS.has(words.slice(0, 2).join(' '));
}

/** A group's label with a word for its total: `Acme Ltd Total`, `Total Österreich`, `1001 Summe`. */
export type GroupLabel = {
  /** The group, as written. */
  of: string;
  /** Whether the total word comes after the group, as spreadsheets write it in most languages. */
  isBehind: boolean;
  /** Whether no company's name ends with the word. */
  isSure: boolean;
};

/** The group that a label names, or null. No proof of a total: a company may be named so, see `isGroupTotal`. */
export function groupOf(written: string): GroupLabel | null {
  const label = written.trim();
  if (label.length > LONGEST || !mayNameGroup(label)) return null;
  const behind = BEHIND.exec(label);
  if (behind) return { of: behind[1] ?? '', isBehind: true, isSure: SURE.test(behind[2] ?? '') };
  const before = BEFORE.exec(label);
  return before ? { of: before[1] ?? '', isBehind: false, isSure: false } : null;
}

/** Whether a label may name a group: a quick test by its first and last letters, which excludes nearly every buyer's name. */
function mayNameGroup(label: string): boolean {
  return GROUP_BEGINNINGS.has(startOf(label)) || GROUP_ENDS.test(label.slice(-LONGEST_END));
}

/** Words that spreadsheets write beside a group's name: its sum, count or average. */
const GROUP_WORDS =
  'total|totale|totaal|summe|ergebnis|gesamt|sum|somme|suma|soma|count|anzahl|nombre|average|mittelwert|totalt|toplam|celkem|razem';
const SURE_WORDS = 'teilergebnis|gesamtergebnis|zwischensumme|gesamtsumme|sub-?total';
const BEHIND = new RegExp(`^(\\S.*?)[\\s:–-]+(${GROUP_WORDS}|${SURE_WORDS})[\\s:]*$`, 'i');
const BEFORE = new RegExp(`^(?:${GROUP_WORDS})[\\s:–-]+(\\S.*?)[\\s:]*$`, 'i');
const SURE = new RegExp(`^(summe|ergebnis|${SURE_WORDS})$`, 'i');

/** Most characters of a label that is searched for a group's total: company names are shorter. */
const LONGEST = 200;

/** The last three letters of each word, with optional colons. */
const GROUP_ENDS = new RegExp(
  `(${[...new Set(`${GROUP_WORDS}|${SURE_WORDS}`.split('|').map((word) => word.slice(-3)))].join('|')})[\\s:]*$`,
  'i',
);
const LONGEST_END = 6;

const OLD = /^\s*alt\P{L}*$/iu;

/** SAP's marks for subtotals and totals, and the sum sign. */
const STARS = /^\s*(\*{1,9}|[Σ∑])\s*$/;

/**
 * Whether a label may be a total: a quick test by the beginning of its first word. Three plain letters must begin a total. After other
 * beginnings, words that only accompany a total are skipped. Letters beyond Latin-1 need the full test.
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

const isPlain = (label: string): boolean => /^[A-Za-z]{3}/.test(label);

/**
 * For each Latin-1 character: the number of its letter without accent or case, 27 for other letters, 0 for separators.
 * undefined for brackets and for characters that become several.
 */
const LETTERS = Array.from({ length: 0x100 }, (_none, code) => {
  const letters = smallLetters(String.fromCharCode(code));
  if (letters === '(' || letters.trim().length > 1) return undefined;
  if (!/\p{L}/u.test(letters)) return 0;
  return letters >= 'a' && letters <= 'z' ? letters.charCodeAt(0) - 0x60 : 27;
});

/** The first three letters as one number. */
function startOf(text: string): number {
  let start = 0;
  for (const letter of text.slice(0, 3)) start = start * 0x20 + (LETTERS[letter.charCodeAt(0)] ?? 0);
  return start;
}

const BEGINNINGS = new Set([...TOTALS, ...PLAIN_TOTALS].map(startOf));
const COMPANION_BEGINNINGS = new Set([...COMPANIONS].map(startOf));
const GROUP_BEGINNINGS = new Set(GROUP_WORDS.split('|').map(startOf));
