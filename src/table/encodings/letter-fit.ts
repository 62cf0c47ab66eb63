/**
 * How well a character above ASCII fits where it is, between these two neighbours: the higher the better, at `ODD` it
 * is hardly meant. A wrong encoding puts signs inside words, capitals inside small letters, and consonants where a
 * vowel belongs, so the right one of several is told by the sum.
 *
 * @param before the neighbour, '' at the end of the text.
 */
export function fitOf(character: string, before: string, after: string): number {
  if (character === UNDEFINED || CONTROL.test(character)) return NEVER;
  if (!LETTER.test(character)) return signFit(character, before, after);
  const shape = { before: soundOf(before), after: soundOf(after) };
  const isSmall = character === character.toLowerCase();
  if (!isSmall && SMALL.test(before)) return ODD;
  if (!isSmall && LETTER.test(before) && SMALL.test(after)) return ODD;
  if (isSmall && character !== 'ß' && BIG.test(before) && BIG.test(after)) return ODD;
  const letter = character === 'İ' ? 'ı' : character.toLowerCase();
  // Names begin with one, or a sentence: Ó Briain, È, À.
  const isAlone = shape.before === '-' && shape.after === '-';
  if (!isSmall && isAlone && VOWELS.includes(letter)) return WORDS.includes(character) ? 1 : 0.5;
  const own = OWN_RULES[letter]?.(before.toLowerCase(), after.toLowerCase());
  if (own !== undefined) return own;
  const habits = VOWELS.includes(letter) ? VOWEL_FIT : CONSONANT_FIT;
  return (habits[`${shape.before}${shape.after}`] ?? 0) + (LIKELY[letter] ?? 0);
}

/** What a byte without a meaning is decoded to. */
export const UNDEFINED = '\ufffd';

/** No text has it. */
const NEVER = -6;
/** A sign or a capital in the middle of a word; what is no better is hardly meant. */
export const ODD = -2;
const INSIDE = -3;

const CONTROL = /[\x80-\x9f]/;
// Without ordinals and accents by themselves, which Unicode counts among the letters.
const LETTER = /(?![ªº\u02b0-\u02ff])\p{L}/u;
const SMALL = /\p{Ll}/u;
const BIG = /\p{Lu}/u;
const DIGIT_OR_SPACE = /^[\d\s]?$/;

/** Capitals that are words by themselves. */
const WORDS = 'ÓÈÀÉÁÅÖØ';

const VOWELS = 'aeiouyàáâãäåæèéêëìíîïòóôõöøùúûüýÿœăąėęěıőůűœ';

/** v for a vowel, c for a consonant, - for neither: the end of a word. */
function soundOf(neighbour: string): 'v' | 'c' | '-' {
  if (!LETTER.test(neighbour)) return '-';
  return VOWELS.includes(neighbour.toLowerCase()) ? 'v' : 'c';
}

/** A vowel is between consonants as a rule; one by itself is no word in most languages. */
const VOWEL_FIT: Record<string, number> = {
  cc: 2,
  'c-': 1,
  '-c': 1,
  vc: 0,
  cv: -0.5,
  vv: -1.5,
  'v-': -0.5,
  '-v': -0.5,
  '--': -1.5,
};
const CONSONANT_FIT: Record<string, number> = {
  vv: 2,
  'v-': 1,
  '-v': 1,
  vc: 1,
  cv: 1,
  cc: -1.5,
  'c-': -0.5,
  '-c': 0,
  '--': -2,
};

/** What a letter's being frequent in its languages says for it; one that is rare in them all has less. */
const LIKELY = likelihoods([
  ['äöüßéèñóáç', 1],
  ['êàíúåøæôčšžřłńśżěůąęć', 0.5],
  ['ƒÿĺŕľďťňđţðþ', -0.5],
]);

function likelihoods(groups: [letters: string, likelihood: number][]): Record<string, number> {
  return Object.fromEntries(groups.flatMap(([letters, likelihood]) => [...letters].map((one) => [one, likelihood])));
}

const FINAL = /^\P{L}?$/u;

/**
 * Letters that have habits of their own, by the small neighbours. Those of the west first: the grave accents of French and
 * Italian, the diaeresis behind a vowel, Portuguese nasals; then those of Central Europe that share their bytes.
 */
const OWN_RULES: Record<string, (before: string, after: string) => number | undefined> = {
  à: (before, after) => (FINAL.test(after) ? 2 : /[bcdfglmnprstv]/.test(before) ? 1 : undefined),
  è: (before, after) => (FINAL.test(after) ? undefined : /[iy]/.test(before) ? 3 : before === 'u' ? 1.5 : undefined),
  ì: (_before, after) => (FINAL.test(after) ? 1 : -1),
  ò: (before, after) => (/^[aeoy]?$|\P{L}/u.test(before) ? -1 : FINAL.test(after) ? 1.5 : 1),
  ç: (_before, after) => (/[ei]/.test(after) ? -1 : undefined),
  ù: (before, after) => (FINAL.test(after) ? (before === 'o' || before === 'i' ? 2 : 1) : -1),
  ê: (_before, after) => (/[bdgkzw]/.test(after) ? -0.5 : undefined),
  û: (before, after) => (before === 'o' && after === 't' ? 3 : soundOf(before) === 'c' ? 1 : 0),
  ï: (before, after) => (/[aeou]/.test(before) && soundOf(after) !== 'v' ? 2.5 : -0.5),
  ë: (before) => (soundOf(before) === 'v' ? 2 : undefined),
  ö: (before) => (before === 'o' || before === 'e' ? 1 : undefined),
  ü: (before) => (before === 'e' ? 1 : undefined),
  ã: (_before, after) => (/[oe]/.test(after) ? 2.5 : FINAL.test(after) ? 1 : -1),
  õ: (_before, after) => (after === 'e' ? 2.5 : -0.5),
  ñ: (before, after) => (soundOf(after) === 'v' && soundOf(before) !== 'c' ? 3 : -1.5),
  œ: (_before, after) => (/[ui]/.test(after) ? 3 : -1),
  ÿ: () => -1,
  ě: (before, after) => (soundOf(before) !== 'c' ? -1 : FINAL.test(after) ? 1 : soundOf(after) === 'c' ? 2.5 : -1),
  ů: (before, after) => (soundOf(before) !== 'c' ? -1 : FINAL.test(after) ? 1 : 2.5),
  ę: (before, after) => (before === 'i' || /[bdgkzwćśźż]/.test(after) ? 2.5 : 1),
  ű: (before) => (soundOf(before) === 'c' ? 1 : 0),
  ő: (before) => (soundOf(before) === 'c' ? 2 : 0.5),
  ă: (_before, after) => (/[oe]/.test(after) ? -1 : 1.5),
  ń: (before, after) => (soundOf(before) === 'v' && soundOf(after) !== 'v' ? 3 : -1.5),
  ć: (before, after) => (FINAL.test(after) && soundOf(before) === 'v' ? 2.5 : undefined),
  ř: (_before, after) => (soundOf(after) === 'v' ? 2.5 : undefined),
  ď: (before, after) => (soundOf(before) === 'v' && soundOf(after) === 'c' ? -0.5 : undefined),
  ł: () => 2,
};

/** Signs that are written between letters, or beside a word. */
const QUOTES = /[‘’‚“”„«»‹›¿¡]/;
/** What closes does not come before everything else; as `” Briain` a letter comes out that is a sign on the Mac. */
const CLOSING = /[’”»]/;
const CELL_START = /^[\s,;|"]?$/;
const APOSTROPHE = /[’´‘]/;
const DASH = /[–—]/;
const MONEY = /[€£¥¢$]/;
/** Frames, mathematics and Greek of old code pages, and accents without a letter: in no table of names. */
const STRANGE = /[\u2190-\u25ff\u0370-\u03ff\u02c0-\u02ff¤¦¨¬¯¸†‡‰ˆ˜ﬁﬂ◊\u2044\uf8ff₧]/;

function signFit(sign: string, before: string, after: string): number {
  const [left, right] = [LETTER.test(before), LETTER.test(after)];
  if (STRANGE.test(sign)) return INSIDE;
  if (CLOSING.test(sign) && CELL_START.test(before) && after === ' ') return ODD;
  if (sign === '\u00a0') return left && right && SMALL.test(after) ? -1 : 1;
  if (APOSTROPHE.test(sign) && left && right) return after === 's' || BIG.test(after) ? 2 : 0.5;
  if (sign === '·' && before.toLowerCase() === 'l' && after.toLowerCase() === 'l') return 2;
  if (DASH.test(sign) && left && right) return BIG.test(after) ? 0 : -2.5;
  if (left && right) return INSIDE;
  if (right && !QUOTES.test(sign) && !DASH.test(sign) && !/[§©®•·°]/.test(sign)) return ODD;
  if (MONEY.test(sign)) return DIGIT_OR_SPACE.test(before) || DIGIT_OR_SPACE.test(after) ? 1 : 0;
  return left && !QUOTES.test(sign) && !DASH.test(sign) ? -0.5 : 0.5;
}
