import type { Readable } from 'node:stream';
import { unescaped } from './escapes.ts';
import { kept, LIMITS, REMEDY } from './limits.ts';
import { readXml } from './parse-xml.ts';

/**
 * Reads the texts that cells name by number (ECMA-376, part 1, 18.4). They stand in memory as long as the workbook is read.
 *
 * @throws Error in words when one is longer, or all together are larger, than they may be.
 */
export async function readSharedTexts(stream: Readable, signal: AbortSignal | undefined): Promise<string[]> {
  const texts: string[] = [];
  let text = '';
  let bytes = 0;
  let hears = false;
  // How a Japanese text is pronounced stands beside it, and is no part of it.
  let isPhonetic = false;
  const ears = {
    open(name: string) {
      if (name === 'si') text = '';
      if (name === 'rPh') isPhonetic = true;
      hears = name === 't' && !isPhonetic;
    },
    text(part: string) {
      if (!hears) return;
      text += part;
      if (text.length > LIMITS.textLength) {
        throw new Error(`text ${texts.length + 1} of its shared texts is longer than any cell's in Excel; ${REMEDY}`);
      }
    },
    close(name: string) {
      if (name === 't') hears = false;
      if (name === 'rPh') isPhonetic = false;
      if (name !== 'si') return;
      bytes += OVERHEAD_BYTES + (BEYOND_LATIN_1.test(text) ? 2 : 1) * text.length;
      if (bytes > LIMITS.sharedBytes) {
        throw new Error(`its ${texts.length} first texts are all that fits into memory; save the sheet as CSV UTF-8`);
      }
      texts.push(kept(unescaped(text)));
    },
  };
  await readXml(stream, ears, signal);
  return texts;
}

/** What V8 takes for a text beside its characters, for its place in the list, and for that list while it grows. */
const OVERHEAD_BYTES = 56;

/** A text takes a byte for each of its characters, or two if one of them needs two. */
const BEYOND_LATIN_1 = /[^\0-\xff]/;
