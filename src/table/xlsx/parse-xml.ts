import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { SaxesParser } from 'saxes';
import { LimitlineError } from '../../errors.ts';
import { LIMITS, REMEDY } from './limits.ts';

/** What is told of a piece of XML, in its order. Names are without their namespace's prefix. */
export type XmlHandler = {
  open?(name: string, attributes: Record<string, string>): void;
  text?(text: string): void;
  close?(name: string): void;
};

/**
 * Goes through XML chunk by chunk, and pauses after each, so that what was told can be used up. It knows the five entities
 * of XML itself; others are a fault, so none can be made to grow.
 *
 * @throws the parser's error when it is no XML, or has what no workbook has; LimitlineError `STOPPED`.
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

/** Goes through all of it. */
export async function readXml(stream: Readable, handler: XmlHandler, signal?: AbortSignal): Promise<void> {
  for await (const _ of parseXml(stream, handler, signal));
}
