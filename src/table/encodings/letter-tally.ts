import { charactersOf } from './decoders.ts';
import { fitOf, ODD, UNDEFINED } from './letter-fit.ts';

/** The code page that nearly all Western European programs use by default. */
const USUAL = 'windows-1252';

/** European code pages in order of preference, for those that give the same text: Windows, Unix, Mac, DOS. */
const CANDIDATES = [
  USUAL,
  'windows-1250',
  'iso-8859-15',
  'iso-8859-2',
  'windows-1254',
  'macintosh',
  'cp850',
  'cp852',
] as const;

/** Code pages that may cause doubt but are never chosen: Turkish letters have the same bytes as Icelandic ones. */
const ASKED_FOR = ['windows-1254'];

/** Counts bytes above ASCII with their neighbours, and finds the code page in which they are plausible. */
export function makeLetterTally() {
  /**
   * How often each byte above ASCII occurs between which neighbours, by `before << 16 | byte << 8 | after`; a neighbour of 0 is the end of
   * a chunk.
   */
  const counts = new Map<number, number>();
  let counted = 0;
  let total = 0;
  let inLongRuns = 0;
  const runs = makeWesternRuns();

  return {
    /** Counts the bytes above ASCII, and returns their number. */
    add(bytes: Buffer): number {
      runs.add(bytes);
      let found = 0;
      let run = 0;
      for (let at = 0; at < bytes.length; at += 1) {
        const byte = bytes[at] as number;
        if (byte < 0x80) {
          run = 0;
          continue;
        }
        found += 1;
        run += 1;
        if (run > LONGEST_RUN) inLongRuns += run === LONGEST_RUN + 1 ? run : 1;
        if (counted >= ENOUGH) continue;
        counted += 1;
        const key = ((bytes[at - 1] ?? 0) << 16) | (byte << 8) | (bytes[at + 1] ?? 0);
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
      total += found;
      return found;
    },
    /** The code page; null if none fits, or if several fit and give different texts. */
    guess(): string | null {
      if (inLongRuns > total * MAX_BAD) return null;
      const encoding = judge(counts, counted);
      return encoding === USUAL && !runs.isWestern() ? null : encoding;
    },
  };
}

/** Tests whether bytes above ASCII come in groups as in Western European words, whatever their letters. */
function makeWesternRuns() {
  let [counted, western] = [0, 0];
  return {
    add(bytes: Buffer): void {
      if (counted >= ENOUGH) return;
      const text = bytes.toString('latin1');
      for (const { 0: run, index } of text.matchAll(HIGH_RUN)) {
        counted += run.length;
        const isWord = WHOLE_WORD.test(run) && !isLetter(text[index - 1]) && !isLetter(text[index + run.length]);
        if (WESTERN_RUN.test(run) && !isWord) western += run.length;
      }
    },
    /** Whether nearly all bytes above ASCII come in groups as in Western European words. If not, the file may not be Windows-1252. */
    isWestern: (): boolean => western >= counted * CERTAIN,
  };
}

/**
 * Most letters above ASCII in a row that a European text has: words have two in a row, or three with a sign. Japanese, Greek and
 * Russian texts have more.
 */
const LONGEST_RUN = 4;

/** Letters after which counting ends: those of some 20,000 lines. More would cost time and change nothing. */
const ENOUGH = 100_000;

/** The share of implausible bytes that is tolerated: a trade mark or a stray sign here and there does not matter. */
const MAX_BAD = 0.1;

/**
 * The lead in plausibility that the best code page must have over each other one: LEAD in all, and MEAN_LEAD for each letter that the two
 * read differently. The default code page needs less.
 */
const LEAD = { usual: 0.4, others: 3 };
const MEAN_LEAD = { usual: 0.15, others: 0.3 };

type Scored = { encoding: string; characters: string[]; score: number; bad: number };

function judge(counts: ReadonlyMap<number, number>, counted: number): string | null {
  const usual = scoreOf(USUAL, counts);
  const scored = [usual, ...CANDIDATES.slice(1).map((encoding) => scoreOf(encoding, counts))];
  const best = scored.reduce((first, one) => (one.score > first.score ? one : first));
  if (best.bad > counted * MAX_BAD) return null;
  const kind = best.encoding === USUAL ? 'usual' : 'others';
  if (usual !== best && !isProven(best, usual, counts)) return null;
  for (const other of scored) {
    let differing = 0;
    for (const [key, count] of counts) {
      const place = ((key >> 8) & 0xff) - 0x80;
      if (best.characters[place] !== other.characters[place]) differing += count;
    }
    if (differing > 0 && best.score - other.score < Math.max(LEAD[kind], differing * MEAN_LEAD[kind])) return null;
  }
  return best.encoding;
}

/**
 * Whether a code page other than the default is certain: with few letters, a lead may be chance. At least three
 * different letters are needed. Mac or DOS: enough letters are implausible in the default. Others: three letters fit as
 * well or better, or the two Hungarian ones, which no Western language has together as õ and û.
 */
function isProven(best: Scored, usual: Scored, counts: ReadonlyMap<number, number>): boolean {
  const gains = new Map<string, number>();
  const used = new Set<string>();
  let [differing, misplaced] = [0, 0];
  for (const [key, count] of counts) {
    const place = ((key >> 8) & 0xff) - 0x80;
    const letter = (best.characters[place] ?? UNDEFINED).toLowerCase();
    used.add(letter);
    if (letter === usual.characters[place]?.toLowerCase()) continue;
    const fit = fitAt(usual, key);
    differing += count;
    if (fit <= ODD) misplaced += count;
    gains.set(letter, (gains.get(letter) ?? 0) + (fitAt(best, key) - fit) * count);
  }
  if (differing === 0) return true;
  if (ASKED_FOR.includes(best.encoding) || used.size < LETTERS) return false;
  if (!LIKE_USUAL.includes(best.encoding)) return misplaced > differing * MISPLACED;
  return [...gains.values()].filter((gain) => gain >= 0).length >= LETTERS || (gains.has('ő') && gains.has('ű'));
}

/** How many different letters prove a code page: fewer may be a coincidence, such as one name on each line. */
const LETTERS = 3;

/** The share of letters in implausible positions, above which Mac or DOS is credible. */
const MISPLACED = 0.15;

/** Code pages with letters at the same bytes as the default, so that their texts never look implausible in the default. */
const LIKE_USUAL = ['windows-1250', 'iso-8859-2', 'iso-8859-15', 'windows-1254'];

function scoreOf(encoding: string, counts: ReadonlyMap<number, number>): Scored {
  const characters = charactersOf(encoding) ?? [];
  const isWestern = WESTERN.includes(encoding);
  let [score, bad] = [0, 0];
  for (const [key, count] of counts) {
    const fit = fitAt({ characters }, key);
    score += (fit - (isWestern && RARE.test(characters[((key >> 8) & 0xff) - 0x80] ?? '') ? 1 : 0)) * count;
    if (fit <= ODD) bad += count;
  }
  return { encoding, characters, score, bad };
}

/** How plausible the middle byte of a key is between its neighbours, read in this code page. */
function fitAt({ characters }: Pick<Scored, 'characters'>, key: number): number {
  const character = (byte: number) => (byte < 0x80 ? ASCII[byte] : (characters[byte - 0x80] ?? UNDEFINED)) ?? '';
  return fitOf(character((key >> 8) & 0xff), character(key >> 16), character(key & 0xff));
}

/** Western code pages. The letters in {@link RARE} occur in their languages only in foreign names. */
const WESTERN = ['windows-1252', 'iso-8859-15', 'windows-1254'];
const RARE = /[šžŠŽ]/;

/** The characters of ASCII by their codes. Code 0, which stands for the end of a chunk, is '', which counts as the end of a word. */
const ASCII = Array.from({ length: 0x80 }, (_none, code) => (code === 0 ? '' : String.fromCharCode(code)));

/** The share of bytes in Western groups from which a file is Western: a trade mark here and there does not make it Japanese. */
const CERTAIN = 0.9;

const HIGH_RUN = /[\x80-\xff]+/g;

/**
 * A group of bytes as in words of Western languages: up to two letters, possibly with signs beside them: `ü`, `öß`, `’é`, ` €`. Japanese,
 * Chinese, Russian and Greek have longer runs.
 */
const WESTERN_RUN =
  /^[\x80\x84\x85\x91-\x97\xa0\xa3\xa7\xab\xae\xb0\xb4\xb7\xbb]{0,2}[\x8a\x8c\x8e\x9a\x9c\x9e\x9f\xaa\xba\xc0-\xcf\xd1-\xd6\xd8-\xdd\xdf-\xef\xf1-\xf6\xf8-\xfd\xff]{0,2}[\x80\x84\x85\x91-\x97\xa0\xa3\xa7\xab\xae\xb0\xb4\xb7\xbb]{0,2}$/;

/** A word of two or more letters above ASCII alone is not Western, but a legal form elsewhere: `ИП`, `ΟΕ`. */
const WHOLE_WORD = /^[\xc0-\xff]{2,}$/;

const isLetter = (character: string | undefined): boolean => character !== undefined && /[A-Za-z]/.test(character);
