import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { SaxesParser } from 'saxes';

/** What is heard of a piece of XML. Names are without their namespace's prefix. */
export type XmlEars = {
  open?(name: string, attributes: Record<string, string>): void;
  text?(text: string): void;
  close?(name: string): void;
};

/** No cell holds more than 32,767 characters (Excel's limits); a text of this length is no workbook's. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;

/**
 * Goes through XML chunk by chunk, and pauses after each, so that what was heard can be used up.
 *
 * @throws the parser's error when it is no XML, or holds a text that no cell can have.
 */
export async function* parseXml(stream: Readable, ears: XmlEars): AsyncGenerator<void> {
  const parser = new SaxesParser();
  const decoder = new StringDecoder('utf8');
  let silentBytes = 0;
  const local = (name: string) => name.slice(name.indexOf(':') + 1);
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    silentBytes = 0;
    ears.open?.(local(name), attributes);
  });
  parser.on('text', (text) => ears.text?.(text));
  parser.on('cdata', (text) => ears.text?.(text));
  parser.on('closetag', ({ name }) => {
    silentBytes = 0;
    ears.close?.(local(name));
  });
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    silentBytes += chunk.length;
    parser.write(decoder.write(chunk));
    if (silentBytes > MAX_TEXT_BYTES) throw new Error('it holds a text that is longer than any cell');
    yield;
  }
  parser.close();
}

/** Goes through all of it. */
export async function readXml(stream: Readable, ears: XmlEars): Promise<void> {
  for await (const _ of parseXml(stream, ears));
}
