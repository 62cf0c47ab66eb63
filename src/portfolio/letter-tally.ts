import { fitOf, ODD, UNDEFINED } from './letter-fit.ts';
import { charactersOf } from './single-bytes.ts';

/** Counts bytes above ASCII with their neighbours, and tells the code page that was meant by them. */
export type LetterTally = {
  /** Counts those of these bytes, and answers how many there are. */
  add(bytes: Buffer): number;
  /** The code page; null where none fits, or several do and would make other texts of it. */
  verdict(): string | null;
};

/**
 * The code pages of Europe in the order in which they are preferred where they make the same text: Windows' own, Unix',
 * the Mac's, and those of DOS.
 */
const CANDIDATES = [
  ...['windows-1252', 'windows-1250', 'iso-8859-15', 'iso-8859-2', 'windows-1254', 'macintosh', 'cp850', 'cp852'],
] as const;

export function makeLetterTally(): LetterTally {
  /** How often a byte stands between these two, by `before << 16 | byte << 8 | after`; 0 for the end of a chunk. */
  const counts = new Map<number, number>();
  let counted = 0;
  let total = 0;
  let inLongRuns = 0;

  return {
    add(bytes) {
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
    verdict() {
      if (inLongRuns > total * MAX_BAD) return null;
      return judge(counts, counted);
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
 * How far the best must lead: in all, and on average of the letters that another would make others. Windows-1252 is what
 * nearly all programs of Western Europe write, and so needs the least.
 */
const LEAD = { usual: 0.4, others: 3 };
const MEAN_LEAD = { usual: 0.15, others: 0.3 };

type Scored = { encoding: string; characters: string[]; score: number; bad: number };

function judge(counts: ReadonlyMap<number, number>, counted: number): string | null {
  const scored = CANDIDATES.map((encoding) => scoreOf(encoding, counts));
  const best = scored.reduce((first, one) => (one.score > first.score ? one : first));
  if (best.bad > counted * MAX_BAD) return null;
  const kind = best.encoding === CANDIDATES[0] ? 'usual' : 'others';
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

function scoreOf(encoding: string, counts: ReadonlyMap<number, number>): Scored {
  const characters = charactersOf(encoding) ?? [];
  const character = (byte: number) => (byte < 0x80 ? ASCII[byte] : (characters[byte - 0x80] ?? UNDEFINED)) ?? '';
  const isWestern = WESTERN.includes(encoding);
  let [score, bad] = [0, 0];
  for (const [key, count] of counts) {
    const fit = fitOf(character((key >> 8) & 0xff), character(key >> 16), character(key & 0xff));
    score += (fit - (isWestern && RARE.test(character((key >> 8) & 0xff)) ? 1 : 0)) * count;
    if (fit <= ODD) bad += count;
  }
  return { encoding, characters, score, bad };
}

/** Western code pages have these two for foreign names alone. */
const WESTERN = ['windows-1252', 'iso-8859-15', 'windows-1254'];
const RARE = /[šžŠŽ]/;

/** The end of a chunk is the end of a word as well. */
const ASCII = Array.from({ length: 0x80 }, (_none, code) => (code === 0 ? '' : String.fromCharCode(code)));
