import { plainWordsOf } from '../../likeness.ts';

/**
 * A company's name without differences of spelling: case, spaces, punctuation, accents, umlauts (ä, ae and a; ß and ss) and the legal form
 * at its end. Two companies may have the same loose name. Names with different loose forms are different names.
 */
export function looseName(name: string): string {
  return spelt(withoutLegalForm(plainWords(name)).replaceAll(' ', ''));
}

/** A company's name without the same differences of spelling, with its legal form. */
export function spelling(name: string): string {
  return spelt(plainWords(name).replaceAll(' ', ''));
}

/**
 * The loose name without words that one person writes and another leaves out: `und` for a sign, `Firma`, an owner, a branch, a liquidation.
 * Undefined for a name without such words.
 */
export function barerName(name: string): string | undefined {
  const words = plainWords(name);
  if (!LEFT_OUT.test(words)) return undefined;
  const bare = withoutLegalForm(words.replace(BEHIND, '')).replace(BEFORE, '').replace(AMONG, '');
  return spelt(bare.replaceAll(' ', ''));
}

const BEFORE = /^(?:the|fa|firma) (?=\S)/;
const AMONG = /(?<=\S )(?:und|and|et|og|och|en|y|e|i) (?=\S)/g;
const BEHIND =
  /(?<=\S) (?:il|i l|in (?:liquidation|liqu|abwicklung)|spolka z ograniczona odpowiedzialnoscia|(?:inh|inhaber|filiale|niederlassung|zweigniederlassung|branch|succursale|sucursal)(?: \S+)*)$/;

/** Most names have none of these words, and one test finds that out. */
const LEFT_OUT = new RegExp([BEFORE, AMONG, BEHIND].map(({ source }) => source).join('|'));

/**
 * The beginning of a long name, without differences of spelling: systems cut names, SAP after 35 or 40 characters. Undefined for a name that
 * no such system cuts.
 */
export function beginningOf(name: string): string | undefined {
  if (name.length < SHORTEST_CUT) return undefined;
  const letters = spelling(name);
  return letters.length < TOLD_LETTERS ? undefined : letters.slice(0, TOLD_LETTERS);
}

/** Whether one of two names is the other, cut off. */
export function isCutOff(one: string, other: string): boolean {
  const [first, second] = [spelling(one), spelling(other)];
  return first.startsWith(second) || second.startsWith(first);
}

/** Fewest characters after which a system cuts names off. */
const SHORTEST_CUT = 30;

const TOLD_LETTERS = 24;

/** Legal forms by region, in small letters without signs, with and without the part before `& Co.`. */
const FORMS_BY_REGION = {
  germanSpeaking: [
    'gmbh',
    'mbh',
    'gesellschaft mit beschraenkter haftung',
    'gesellschaft mbh',
    'ges mbh',
    'gesmbh',
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

/** The number of words in the longest legal form. */
const MOST_WORDS = 4;

/** The last words of all legal forms. Most names end with none of them, so one lookup excludes these. */
const LAST_WORDS = new Set([...LEGAL_FORMS].map((form) => form.slice(form.lastIndexOf(' ') + 1)));

/** Words that may connect two legal forms, as in `GmbH und Co. KG`. */
const BETWEEN = new Set(['und', 'and', 'et', 'y', 'e']);

/** Removes legal forms from the end, also several. At least one word stays: `AS Roma` keeps its AS. */
export function withoutLegalForm(text: string): string {
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

/** The number of words of the legal form at the end of a name; 0 if it has none. */
function formAtEnd(words: readonly string[]): number {
  if (!LAST_WORDS.has(words.at(-1) ?? '')) return 0;
  for (let count = Math.min(MOST_WORDS, words.length - 1); count > 0; count -= 1) {
    if (LEGAL_FORMS.has(words.slice(-count).join(' '))) return count;
  }
  return 0;
}

/** Words of small letters and digits: `Müller & Söhne` → `mueller soehne`. Other scripts stay. */
function plainWords(name: string): string {
  const lower = name.toLowerCase();
  const small = lower.includes('.') ? lower.replace(INITIALS, '$1') : lower;
  return westernWords(small) ?? plainWordsOf(anyWords(small));
}

/** The words of a text of Western letters only, by a lookup table; null for other texts. */
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

/** The dots of `G.m.b.H.` and `S.p.A.`, which do not separate words. */
const INITIALS = /(?<![\p{L}\p{N}])(\p{L})\.(?=\p{L}(?![\p{L}\p{N}]))/gu;

/** Letters that Unicode decomposes in another way than people write them, or not at all. */
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

/** The replacement of each Latin-1 character: '' separates words; null for fractions, which need the slow path. */
const WESTERN = Array.from({ length: 0x100 }, (_none, code) => {
  const letters = anyWords(String.fromCharCode(code));
  if (/^[\p{L}\p{N}]+$/u.test(letters)) return letters;
  return /[\p{L}\p{N}]/u.test(letters) ? null : '';
});

/** Removes the second letter of `ae` or `aa`, because `Mueller` is also written `Muller`. */
const spelt = (text: string): string => (TWO_SPELLINGS.test(text) ? text.replace(/(?<=[aou])e|(?<=a)a/g, '') : text);

const TWO_SPELLINGS = /[aou]e|aa/;
