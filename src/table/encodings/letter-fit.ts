/**
 * Rates how plausible a character above ASCII is between its neighbours: the higher the better; at `ODD` or below it is
 * unlikely. A wrong encoding puts signs inside words, capitals among small letters, and consonants in place of vowels.
 * So the right encoding has the highest sum.
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
  // Names or sentences may begin with a single capital vowel: Ó Briain, È, À.
  const isAlone = shape.before === '-' && shape.after === '-';
  if (!isSmall && isAlone && VOWELS.includes(letter)) return WORDS.includes(character) ? 1 : 0.5;
  const own = OWN_RULES[letter]?.(before.toLowerCase(), after.toLowerCase());
  if (own !== undefined) return own;
  const habits = VOWELS.includes(letter) ? VOWEL_FIT : CONSONANT_FIT;
  return (habits[`${shape.before}${shape.after}`] ?? 0) + (LIKELY[letter] ?? 0);
}

/** The character that decoding gives for a byte without a meaning. */
export const UNDEFINED = '\ufffd';

/** The rating of a character that occurs in no text. */
const NEVER = -6;
/** The rating of a sign or a capital in the middle of a word. Ratings up to this one are implausible. */
export const ODD = -2;
const INSIDE = -3;

const CONTROL = /[\x80-\x9f]/;
// A letter, without ordinals and standalone accents, which Unicode counts as letters too.
const LETTER = /(?![ªº\u02b0-\u02ff])\p{L}/u;
const SMALL = /\p{Ll}/u;
const BIG = /\p{Lu}/u;
const DIGIT_OR_SPACE = /^[\d\s]?$/;

/** Capitals that may stand alone as a word or at the beginning of a name. */
const WORDS = 'ÓÈÀÉÁÅÖØ';

const VOWELS = 'aeiouyàáâãäåæèéêëìíîïòóôõöøùúûüýÿœăąėęěıőůűœ';

/** The kind of a character's neighbour. v: a vowel; c: a consonant; -: no letter, so the end of a word. */
function soundOf(neighbour: string): 'v' | 'c' | '-' {
  if (!LETTER.test(neighbour)) return '-';
  return VOWELS.includes(neighbour.toLowerCase()) ? 'v' : 'c';
}

/** How well a vowel above ASCII fits between its neighbours. It usually comes between consonants, and is rarely a word by itself. */
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

/** A bonus for letters that are frequent in their languages, and a penalty for rare ones. */
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
 * Rules for single letters by their lower-case neighbours. First Western Europe: grave accents of French and Italian,
 * diaeresis after a vowel, Portuguese nasals. Then letters of Central Europe with the same bytes.
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

/** Quotation marks and the like, which may be next to a word. */
const QUOTES = /[‘’‚“”„«»‹›¿¡]/;
/** Closing quotation marks, which do not start a cell. A letter misread as a sign of the Mac's encoding does: `” Briain`. */
const CLOSING = /[’”»]/;
const CELL_START = /^[\s,;|"]?$/;
const APOSTROPHE = /[’´‘]/;
const DASH = /[–—]/;
const MONEY = /[€£¥¢$]/;
/** Frames, mathematics and Greek of old code pages, and accents without a letter: no table of names has them. */
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
