import type { Readable } from 'node:stream';
import { ownText } from '../../files/own-text.ts';
import { unescaped } from './escapes.ts';
import { LIMITS, REMEDY } from './limits.ts';
import { readXml } from './parse-xml.ts';
import { makeTextParts } from './text-parts.ts';

/**
 * Reads the texts that cells name by number (ECMA-376, part 1, 18.4). They are in memory as long as the workbook is read.
 *
 * @throws Error in words when one is longer, or all together are larger, than they may be.
 */
export async function readSharedTexts(stream: Readable, signal: AbortSignal | undefined): Promise<string[]> {
  const texts: string[] = [];
  let bytes = 0;
  const tooLong = () =>
    new Error(`text ${texts.length + 1} of its shared texts is longer than any cell's in Excel; ${REMEDY}`);
  const parts = makeTextParts(['t'], tooLong);
  const handler = {
    open(name: string) {
      if (name === 'si') parts.clear();
      parts.open(name);
    },
    text: parts.add,
    close(name: string) {
      parts.close(name);
      if (name !== 'si') return;
      const text = parts.text();
      bytes += OVERHEAD_BYTES + (BEYOND_LATIN_1.test(text) ? 2 : 1) * text.length;
      if (bytes > LIMITS.sharedBytes) {
        throw new Error(`only its first ${texts.length} texts fit into memory; save the sheet as CSV UTF-8`);
      }
      texts.push(ownText(unescaped(text)));
    },
  };
  await readXml(stream, handler, signal);
  return texts;
}

/** What V8 takes for a text beside its characters, for its place in the list, and for that list while it grows. */
const OVERHEAD_BYTES = 56;

/** A text takes a byte for each of its characters, or two if one of them needs two. */
const BEYOND_LATIN_1 = /[^\0-\xff]/;
