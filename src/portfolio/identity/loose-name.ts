import { plainWordsOf } from '../../likeness.ts';

/**
 * A company's name without what people write in different ways: case, spaces, punctuation, accents, the spelling of
 * umlauts (ä, ae and a; ß and ss) and the legal form at its end. Two names of one loose form may still be two companies;
 * two of different loose forms are not one name.
 */
export function looseName(name: string): string {
  return spelt(withoutLegalForm(plainWords(name)).replaceAll(' ', ''));
}

/** Legal forms in one spelling, in words of small letters, with and without what stands before `& Co.`, by where they are used. */
const FORMS_BY_REGION = {
  germanSpeaking: [
    'gmbh',
    'mbh',
    'gesellschaft mit beschraenkter haftung',
    'ggmbh',
    'ag',
    'aktiengesellschaft',
    'kg',
    'ohg',
    'kgaa',
    'ug',
    'haftungsbeschraenkt',
    'e k',
    'ek',
    'ekfm',
    'e kfm',
    'ekfr',
    'e kfr',
    'gbr',
    'eg',
    'ev',
    'og',
    'eu',
    'se',
    'co',
    'co kg',
    'partg',
    'partg mbb',
    'kommanditgesellschaft',
  ],
  englishSpeaking: [
    'ltd',
    'limited',
    'llc',
    'llp',
    'lp',
    'inc',
    'incorporated',
    'corp',
    'corporation',
    'plc',
    'company limited',
    'pty ltd',
    'pte ltd',
    'public limited company',
  ],
  french: ['sa', 'sas', 'sasu', 'sarl', 'eurl', 'snc', 'sci', 'scop', 'societe anonyme', 's a r l', 's a', 's a s'],
  iberian: ['sl', 'slu', 'sau', 's l', 'sociedad limitada', 'sociedad anonima', 'lda'],
  italian: ['spa', 's p a', 'srl', 's r l', 'srls'],
  belgian: ['bvba', 'sprl', 'asbl'],
  dutch: ['bv', 'b v', 'nv', 'n v', 'vof'],
  nordic: ['ab', 'aktiebolag', 'as', 'a s', 'asa', 'aps', 'oy', 'oyj', 'hf', 'ehf'],
  polish: ['sp z oo', 'sp z o o', 'sp zoo', 'spzoo', 'spolka z oo'],
  czechAndSlovak: ['sro', 's r o', 'spol sro'],
  hungarian: ['kft', 'zrt', 'nyrt'],
  balkan: ['doo', 'dd', 'eood', 'ood'],
  baltic: ['ou', 'uab', 'sia'],
  russian: ['ooo', 'zao'],
};
const LEGAL_FORMS: ReadonlySet<string> = new Set(Object.values(FORMS_BY_REGION).flat());

/** The words of the longest form. */
const MOST_WORDS = 4;

/** A look at the last word tells most names from those that end with a form. */
const LAST_WORDS = new Set([...LEGAL_FORMS].map((form) => form.slice(form.lastIndexOf(' ') + 1)));

/** What is left between two forms, as in `GmbH & Co. KG` where it is spelt out. */
const BETWEEN = new Set(['und', 'and', 'et', 'y', 'e']);

/** Forms follow each other. They are taken off the end alone, and never all there is: `AS Roma` keeps its AS. */
function withoutLegalForm(text: string): string {
  if (!LAST_WORDS.has(text.slice(text.lastIndexOf(' ') + 1))) return text;
  const words = text.split(' ');
  let taken = false;
  for (;;) {
    const count = formAtEnd(words);
    if (count > 0) words.length -= count;
    else if (taken && words.length > 1 && BETWEEN.has(words.at(-1) ?? '')) words.length -= 1;
    else return words.join(' ');
    taken = true;
  }
}

/** How many words the form at the end has, 0 where there is none. */
function formAtEnd(words: readonly string[]): number {
  if (!LAST_WORDS.has(words.at(-1) ?? '')) return 0;
  for (let count = Math.min(MOST_WORDS, words.length - 1); count > 0; count -= 1) {
    if (LEGAL_FORMS.has(words.slice(-count).join(' '))) return count;
  }
  return 0;
}

/** Small letters and digits in words: `Müller & Söhne` → `mueller soehne`; letters of other scripts stay. */
function plainWords(name: string): string {
  const lower = name.toLowerCase();
  const small = lower.includes('.') ? lower.replace(INITIALS, '$1') : lower;
  return westernWords(small) ?? plainWordsOf(anyWords(small));
}

/** The same for a text in letters of Western languages, sign by sign from a table; null for others. */
function westernWords(small: string): string | null {
  let words = '';
  let isApart = false;
  for (let at = 0; at < small.length; at += 1) {
    const code = small.charCodeAt(at);
    const letters = WESTERN[code] ?? null;
    if (letters === null) return null;
    if (letters === '') {
      isApart = words !== '';
      continue;
    }
    words += isApart ? ` ${letters}` : letters;
    isApart = false;
  }
  return words;
}

function anyWords(small: string): string {
  return small
    .normalize('NFC')
    .replace(/[äöüßæøåœłđ]/g, (letter) => SPELLINGS[letter] ?? letter)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '');
}

/** The dots of `G.m.b.H.` and `S.p.A.`, which part no words. */
const INITIALS = /(?<![\p{L}\p{N}])(\p{L})\.(?=\p{L}(?![\p{L}\p{N}]))/gu;

/** Letters that Unicode takes apart otherwise than people write them, or not at all. */
const SPELLINGS: Readonly<Record<string, string>> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  ß: 'ss',
  æ: 'ae',
  ø: 'oe',
  å: 'aa',
  œ: 'oe',
  ł: 'l',
  đ: 'd',
};

/** What becomes of each sign of Latin-1, none of which changes its neighbours: '' where it parts words, null of fractions. */
const WESTERN = Array.from({ length: 0x100 }, (_none, code) => {
  const letters = anyWords(String.fromCharCode(code));
  if (/^[\p{L}\p{N}]+$/u.test(letters)) return letters;
  return /[\p{L}\p{N}]/u.test(letters) ? null : '';
});

/** One spelling for `ae` and `a`, as `Mueller` is written `Muller` where a system has no umlauts. */
function spelt(text: string): string {
  return TWO_SPELLINGS.test(text) ? text.replace(/(?<=[aou])e|(?<=a)a/g, '') : text;
}

const TWO_SPELLINGS = /[aou]e|aa/;
