import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { SaxesParser } from 'saxes';
import { LimitlineError } from '../../errors.ts';

/** Callbacks for the parts of an XML stream. Names come without a namespace prefix. */
export type XmlHandler = {
  open?(name: string, attributes: Record<string, string>): void;
  text?(text: string): void;
  close?(name: string): void;
};

/**
 * Parses XML chunk by chunk, and pauses after each so that the caller can use the results. Only XML's five entities are
 * known; any other is an error, so none can expand without limit.
 *
 * @throws the parser's error for invalid XML or exceeded limits; LimitlineError `STOPPED`.
 */
export async function* parseXml(stream: Readable, handler: XmlHandler, signal?: AbortSignal): AsyncGenerator<void> {
  const parser = new SaxesParser();
  const decoder = new StringDecoder('utf8');
  let silentBytes = 0;
  let depth = 0;
  const local = (name: string) => name.slice(name.indexOf(':') + 1);
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    silentBytes = 0;
    depth += 1;
    if (depth > LIMITS.depth) throw new Error(`its elements are more than ${LIMITS.depth} deep; ${REMEDY}`);
    handler.open?.(local(name), attributes);
  });
  parser.on('text', (text) => handler.text?.(text));
  parser.on('cdata', (text) => handler.text?.(text));
  parser.on('closetag', ({ name }) => {
    silentBytes = 0;
    depth -= 1;
    handler.close?.(local(name));
  });
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (signal?.aborted)
      throw new LimitlineError('STOPPED', 'Reading the workbook was given up: the process is stopping.');
    silentBytes += chunk.length;
    parser.write(decoder.write(chunk));
    if (silentBytes > LIMITS.silentBytes) throw new Error(`it has a text that is longer than any cell's; ${REMEDY}`);
    yield;
  }
  parser.close();
}

export async function readXml(stream: Readable, handler: XmlHandler, signal?: AbortSignal): Promise<void> {
  for await (const _ of parseXml(stream, handler, signal));
}

/** The text of a cell, or a text that cells share, while it is put together from XML elements. */
type TextParts = {
  clear(): void;
  open(element: string): void;
  add(text: string): void;
  close(element: string): void;
  text(): string;
};

/**
 * Puts together texts from XML elements.
 *
 * @param elements those that contain text; a Japanese text's pronunciation is left out.
 * @param tooLong makes the error for a text that is longer than Excel allows.
 */
export function makeTextParts(elements: readonly string[], tooLong: () => Error): TextParts {
  let text = '';
  let isWithinText = false;
  let isPhonetic = false;
  return {
    clear() {
      text = '';
    },
    open(element) {
      if (element === PHONETIC) isPhonetic = true;
      isWithinText = !isPhonetic && elements.includes(element);
    },
    add(part) {
      if (!isWithinText) return;
      text += part;
      if (text.length > LIMITS.textLength) throw tooLong();
    },
    close(element) {
      isWithinText = false;
      if (element === PHONETIC) isPhonetic = false;
    },
    text: () => text,
  };
}

const PHONETIC = 'rPh';

/**
 * Limits for a workbook's content, checked while reading: a small file can unpack to more than any memory. Most are
 * Excel's own ("Excel specifications and limits"), so Excel's workbooks never exceed them.
 */
export const LIMITS = {
  /** Most rows, as in Excel; and most columns, up to XFD. */
  rows: 1_048_576,
  columns: 16_384,
  /** Most UTF-16 units of a text: twice Excel's 32,767, because an escape such as `_x000D_` takes several for one character. */
  textLength: 65_534,
  /** Excel's limit for cell formats. */
  styles: 65_490,
  /** Excel's limit for a number format's code. */
  formatLength: 255,
  /** Most sheets. Excel has no limit, but a person does not look through more, and each sheet is a file in the archive. */
  sheets: 1_000,
  /** Most characters of a sheet's name, of which Excel allows 31, and of a part's path. */
  nameLength: 255,
  /** Most bytes of memory for shared texts: enough for the names and streets of some half a million buyers. */
  sharedBytes: 80 * 1024 * 1024,
  /** Most levels of nested elements; a sheet has some ten. */
  depth: 64,
  /** Most bytes between two elements: those of the longest text with each character written as `&#x1F600;`. */
  silentBytes: 1024 * 1024,
} as const;

/** The advice for a workbook that Excel would not have written. */
export const REMEDY = 'open it in Excel and save it again, or save the sheet as CSV UTF-8';
