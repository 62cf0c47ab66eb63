import { isAscii, isUtf8 } from 'node:buffer';
import { wholeCharacters } from '../../files/text.ts';
import { openBytes } from '../bytes.ts';
import { makeLetterTally } from './letter-tally.ts';
import { UTF8_CHARACTER } from './utf8.ts';

/** The encoding detected from a file's bytes. */
export type FoundEncoding = {
  encoding: string;
  bom: boolean;
  /** Why the encoding is uncertain, and what to do; null if it is certain. */
  doubt: string | null;
};

/**
 * Detects a file's encoding, in this order: the byte order mark; UTF-16 by its zero bytes; UTF-8, if at least two
 * thirds of the bytes above ASCII fit it (damage is reported line by line); the European code page with the most
 * plausible letter sequences, if no other is close (`letter-tally.ts`). Everything else is in doubt and not read.
 *
 * It reads the whole file, because the first umlaut may be on the last line: half a second for a gigabyte.
 *
 * @param rereadable false for a pipe: then only the first bytes count.
 * @throws LimitlineError `FILE`, `STOPPED`
 */
export async function detectEncoding(source: {
  path: string;
  start: Buffer;
  rereadable: boolean;
  signal?: AbortSignal | undefined;
}): Promise<FoundEncoding> {
  const { start } = source;
  const marked = MARKS.find(({ mark }) => mark.every((byte, place) => start[place] === byte));
  if (marked) return { encoding: marked.encoding, bom: true, doubt: null };
  const wide = wideEncoding(start);
  if (wide) return { encoding: wide, bom: false, doubt: null };
  const tally = makeTally();
  if (source.rereadable) await tallyFile(source, tally);
  else tally.add(wholeCharacters(start));
  return tally.guess();
}

const MARKS: { mark: number[]; encoding: string }[] = [
  { mark: [0xef, 0xbb, 0xbf], encoding: 'utf-8' },
  { mark: [0xff, 0xfe], encoding: 'utf-16le' },
  { mark: [0xfe, 0xff], encoding: 'utf-16be' },
];

/**
 * The kind of UTF-16, or null for another encoding. Tables are mostly ASCII, so in UTF-16 almost every second byte is zero, and hardly any
 * of the others.
 */
function wideEncoding(start: Buffer): 'utf-16le' | 'utf-16be' | null {
  const zeros = [0, 0];
  for (let at = 0; at < start.length; at += 1) if (start[at] === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros.map((count) => count / (start.length / 2));
  if (odd > MANY_ZEROS && even < FEW_ZEROS) return 'utf-16le';
  return even > MANY_ZEROS && odd < FEW_ZEROS ? 'utf-16be' : null;
}

/**
 * The share of zeros among every second byte from which a file is UTF-16. Even a table of Japanese names has digits, delimiters or Latin
 * letters in every line.
 */
const MANY_ZEROS = 0.2;
const FEW_ZEROS = 0.01;

/** Counts the bytes above ASCII that fit UTF-8, and those that do not. */
function makeTally() {
  const letters = makeLetterTally();
  let explained = 0;
  let unexplained = 0;

  return {
    add(bytes: Buffer): void {
      if (explained >= PLENTY ? isUtf8(bytes) : isAscii(bytes)) return;
      const before = explained;
      const text = bytes.toString('latin1').replace(UTF8_CHARACTER, (character) => {
        explained += character.length;
        return ' ';
      });
      unexplained += letters.add(explained === before ? bytes : Buffer.from(text, 'latin1'));
    },
    guess(): FoundEncoding {
      // In Japanese encodings, sequences that fit UTF-8 occur by chance, but rarely.
      if (unexplained * 2 <= explained || explained >= PLENTY) return { encoding: 'utf-8', bom: false, doubt: null };
      const encoding = explained === 0 ? letters.guess() : null;
      return { encoding: encoding ?? 'windows-1252', bom: false, doubt: encoding === null ? UNKNOWN : null };
    },
  };
}

/** Number of bytes fitting UTF-8 that cannot be a coincidence. From then on, text that is all UTF-8 is not counted, which saves time. */
const PLENTY = 100_000;

const UNKNOWN =
  'The encoding of this file cannot be told for certain, and a wrong guess would change names: name it with --encoding, such as windows-1252, windows-1250, macintosh, cp850, shift_jis or gb18030, or save the file as CSV UTF-8.';

async function tallyFile(
  source: { path: string; signal?: AbortSignal | undefined },
  tally: ReturnType<typeof makeTally>,
): Promise<void> {
  const bytes = await openBytes(source);
  try {
    let rest: Buffer = Buffer.alloc(0);
    for (let chunk = await bytes.read(); chunk; chunk = await bytes.read()) {
      const all = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
      const whole = wholeCharacters(all);
      rest = Buffer.from(all.subarray(whole.length));
      tally.add(whole);
    }
    tally.add(rest);
  } finally {
    await bytes.close();
  }
}
