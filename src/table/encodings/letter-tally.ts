import { fitOf, ODD, UNDEFINED } from './letter-fit.ts';
import { charactersOf } from './single-bytes.ts';
import { makeWesternRuns } from './western-runs.ts';

/** Counts bytes above ASCII with their neighbours, and tells the code page that was meant by them. */
type LetterTally = {
  /** Counts those of these bytes, and answers how many there are. */
  add(bytes: Buffer): number;
  /** The code page; null where none fits, or several do and would make other texts of it. */
  guess(): string | null;
};

/** What nearly all programs of Western Europe write. */
const USUAL = 'windows-1252';

/**
 * The code pages of Europe in the order in which they are preferred where they make the same text: Windows' own, Unix',
 * the Mac's, and those of DOS.
 */
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

/** Turkish letters have the bytes of Icelandic ones: it may lead to doubt, and is never taken. */
const ASKED_FOR = ['windows-1254'];

export function makeLetterTally(): LetterTally {
  /** How often a byte stands between these two, by `before << 16 | byte << 8 | after`; 0 for the end of a chunk. */
  const counts = new Map<number, number>();
  let counted = 0;
  let total = 0;
  let inLongRuns = 0;
  const runs = makeWesternRuns();

  return {
    add(bytes) {
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
    guess() {
      if (inLongRuns > total * MAX_BAD) return null;
      const encoding = judge(counts, counted);
      return encoding === USUAL && !runs.isWestern() ? null : encoding;
    },
  };
}

/** European words have two such letters in a row, three with a sign beside them; Japanese, Greek and Russian ones more. */
const LONGEST_RUN = 4;

/** More would tell the same and cost time: the letters of some 20,000 lines. */
const ENOUGH = 100_000;

/** A trade mark or a stray sign here and there changes nothing. */
const MAX_BAD = 0.1;

/**
 * How far the best must lead: in all, and on average of the letters that another would make others. The usual one needs the
 * least.
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
 * Whether anything but the usual code page may be certain, a lead being chance in few letters. Of the letters that it makes
 * others, three at least must fit as well, and better in all; and what the Mac and DOS write is, read as usual, where no text
 * has it. Hungarian has two such letters alone, which are õ and û in the west: no language there has both.
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

/** Fewer are a coincidence: one name on each line. */
const LETTERS = 3;

/** Of what the Mac or DOS wrote, at least so many are in odd places; of what Windows wrote, hardly any. */
const MISPLACED = 0.15;

/** They have letters where the usual one has letters, so nothing in them need be in an odd place. */
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

/** How well the byte in the middle fits, read so. */
function fitAt({ characters }: Pick<Scored, 'characters'>, key: number): number {
  const character = (byte: number) => (byte < 0x80 ? ASCII[byte] : (characters[byte - 0x80] ?? UNDEFINED)) ?? '';
  return fitOf(character((key >> 8) & 0xff), character(key >> 16), character(key & 0xff));
}

/** Western code pages have these two for foreign names alone. */
const WESTERN = ['windows-1252', 'iso-8859-15', 'windows-1254'];
const RARE = /[šžŠŽ]/;

/** The end of a chunk is the end of a word as well. */
const ASCII = Array.from({ length: 0x80 }, (_none, code) => (code === 0 ? '' : String.fromCharCode(code)));
