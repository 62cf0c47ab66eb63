import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { SaxesParser } from 'saxes';
import { LimitlineError } from '../../errors.ts';
import { LIMITS, REMEDY } from './limits.ts';

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

/** Parses a whole stream. */
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
