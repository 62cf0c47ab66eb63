import { isAscii, isUtf8 } from 'node:buffer';
import { wholeCharacters } from '../../files/whole-characters.ts';
import { openBytes } from '../bytes.ts';
import { makeLetterTally } from './letter-tally.ts';
import { UTF8_CHARACTER } from './utf8.ts';

/** What the bytes of a file say about its encoding. */
export type FoundEncoding = {
  encoding: string;
  bom: boolean;
  /** Why the encoding is uncertain, and which options to name it with; null if it is certain. */
  doubt: string | null;
};

/**
 * Finds the encoding of a file, trying in this order: its byte order mark; UTF-16, by its zeros; UTF-8, if two thirds of the bytes above
 * ASCII are valid (damaged lines are reported one by one); the code page in which its letters follow each other as in European languages,
 * see `letter-tally.ts`, if no other comes near. In any other case the encoding is in doubt and the file is refused.
 *
 * It reads the whole file, since the first umlaut may be on the last line: a gigabyte in about half a second.
 *
 * @param rereadable false for a pipe: then only the first bytes are used
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

/** Tables are mostly ASCII. So in UTF-16 nearly every other byte is zero, and the bytes between are hardly ever zero. */
function wideEncoding(start: Buffer): 'utf-16le' | 'utf-16be' | null {
  const zeros = [0, 0];
  for (let at = 0; at < start.length; at += 1) if (start[at] === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros.map((count) => count / (start.length / 2));
  if (odd > MANY_ZEROS && even < FEW_ZEROS) return 'utf-16le';
  return even > MANY_ZEROS && odd < FEW_ZEROS ? 'utf-16be' : null;
}

/** Even a table of Japanese names has some digits, delimiters and Latin letters in every line. */
const MANY_ZEROS = 0.2;
const FEW_ZEROS = 0.01;

/** Counts the bytes above ASCII that are valid UTF-8 and those that are not, and keeps where the latter are. */
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
      // In Japanese text, characters of three bytes occur by chance, if there are not many of them.
      if (unexplained * 2 <= explained || explained >= PLENTY) return { encoding: 'utf-8', bom: false, doubt: null };
      const encoding = explained === 0 ? letters.guess() : null;
      return { encoding: encoding ?? 'windows-1252', bom: false, doubt: encoding === null ? UNKNOWN : null };
    },
  };
}

/** This much valid UTF-8 is not chance, and counting further would take another pass over the file. */
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
