import { createReadStream } from 'node:fs';
import { LimitlineError } from '../../errors.ts';
import { readBytes } from '../../files/text.ts';
import { findQuoteFault, readSound } from '../cells.ts';
import type { Delimiter, Dialect } from '../dialect.ts';
import { charactersOf, makeDecoder } from '../encodings/decoders.ts';
import { makeEncoder, makeEncodingTest } from '../encodings/encoders.ts';
import { harmless } from '../formulas.ts';
import { indexOrLength } from '../physical-lines.ts';

/** The correction of a record: new texts for some cells, or a new text for a broken record as a whole. */
export type RecordMend = {
  /** The physical line on which the record starts, and its number of lines. */
  line: number;
  lines: number;
} & ({ cells: ReadonlyMap<number, string>; before: readonly string[] } | { text: string; before: string });

type TextFile = { path: string; dialect: Pick<Dialect, 'encoding' | 'delimiter'> };

/**
 * The bytes of a text file with some cells replaced, in the file's encoding and dialect. All other bytes stay, damaged
 * ones too. A cell that a spreadsheet would run as a formula gets an apostrophe.
 *
 * @throws LimitlineError `USAGE` where the encoding lacks a character, or a record differs from what was shown
 */
export async function* mendText(file: TextFile, mends: readonly RecordMend[]): AsyncGenerator<Buffer> {
  const { path, dialect } = file;
  const sorted = [...mends].sort((a, b) => a.line - b.line);
  const places = await linePlaces(path, { encoding: dialect.encoding, ranges: sorted });
  let copied = 0;
  for (const mend of sorted) {
    const place = places.get(mend.line);
    if (!place || place.from < copied) throw changedLine(mend.line);
    // What stands between two near records is read with the second one, since each read opens the file.
    const isNear = place.from - copied < CHUNK_BYTES;
    if (!isNear) yield* createReadStream(path, { start: copied, end: place.from - 1 });
    const from = isNear ? copied : place.from;
    const bytes = await readBytes(path, from, place.to);
    yield bytes.subarray(0, place.from - from);
    yield* mendedRecord(bytes.subarray(place.from - from), mend, dialect);
    copied = place.to;
  }
  yield* createReadStream(path, { start: copied });
}

/**
 * The number of bytes for the first `units` UTF-16 units of a text. `bytes` are the same text in the file. A damaged
 * byte is one unit (see `encodings/utf8.ts`) and one byte.
 */
function bytePlace(bytes: Buffer, text: string, { encoding, units }: { encoding: string; units: number }): number {
  if (encoding.startsWith('utf-16')) return units * 2;
  if (encoding === 'utf-8') return utf8Length(text.slice(0, units));
  return charactersOf(encoding) ? units : walked(bytes, encoding, units);
}

/** The byte range of lines, without the line break at the end. */
type BytePlace = { from: number; to: number };

/**
 * Finds lines in a file. CR, LF and CRLF each end one. In every supported encoding except UTF-16, these bytes are never
 * part of another character; UTF-16 has units of two bytes.
 *
 * @returns byte ranges by first line; missing lines have no entry
 */
async function linePlaces(
  path: string,
  { encoding, ranges }: { encoding: string; ranges: readonly LineSpan[] },
): Promise<Map<number, BytePlace>> {
  const starts = new Map<number, number>([[1, 0]]);
  const ends = new Map<number, number>();
  const firsts = new Set(ranges.map(({ line }) => line));
  const lasts = new Set(ranges.map(({ line, lines }) => line + lines - 1));
  const last = ranges.reduce((most, { line, lines }) => Math.max(most, line + lines - 1), 0);
  let line = 1;
  let afterCr = false;
  const meet = (unit: number, at: number, width: number): void => {
    if (unit === LF && afterCr) {
      if (firsts.has(line)) starts.set(line, at + width);
    } else if (unit === LF || unit === CR) {
      if (lasts.has(line)) ends.set(line, at);
      line += 1;
      if (firsts.has(line)) starts.set(line, at + width);
    }
    afterCr = unit === CR;
  };
  let size = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>) {
    if (line <= last + 1) meetAll(chunk, { encoding, from: size, meet });
    size += chunk.length;
  }
  if (lasts.has(line)) ends.set(line, size);
  const found = ranges.flatMap(({ line: first, lines }) => {
    const [from, to] = [starts.get(first), ends.get(first + lines - 1)];
    return from === undefined || to === undefined ? [] : [[first, { from, to }] as const];
  });
  return new Map(found);
}

function mendedRecord(bytes: Buffer, mend: RecordMend, dialect: TextFile['dialect']): Buffer[] {
  const { encoding, delimiter } = dialect;
  // Decoding UTF-16BE swaps the bytes of its input, so it works on a copy.
  const text = decoded(Buffer.from(bytes), encoding);
  const encode = encoderOf(encoding, mend.line);
  if ('text' in mend) {
    if (text.toWellFormed() !== mend.before.toWellFormed()) throw changedLine(mend.line);
    return [encode(mend.text)];
  }
  const spans = cellSpans(text, delimiter);
  const [cells = []] = spans ? readSound([text], delimiter) : [];
  const isAsBefore = cells.every((cell, at) => cell.toWellFormed() === (mend.before[at] ?? '').toWellFormed());
  if (!spans || !isAsBefore) throw changedLine(mend.line);
  const pieces: Buffer[] = [];
  let copied = 0;
  for (const [at, cell] of [...mend.cells].sort(([a], [b]) => a - b)) {
    const missing = at - spans.length + 1;
    const span = spans[at] ?? { from: text.length, to: text.length };
    const from = bytePlace(bytes, text, { encoding, units: span.from });
    const written = writtenCell(harmless(cell), delimiter, text[span.from] === '"');
    pieces.push(bytes.subarray(copied, from), encode(delimiter.repeat(Math.max(0, missing)) + written));
    copied = bytePlace(bytes, text, { encoding, units: span.to });
    for (let more = 0; more < missing; more += 1) spans.push({ from: text.length, to: text.length });
  }
  return [...pieces, bytes.subarray(copied)];
}

function decoded(bytes: Buffer, encoding: string): string {
  const decoder = makeDecoder(encoding);
  return decoder.decode(bytes) + decoder.end();
}

function encoderOf(encoding: string, line: number): (text: string) => Buffer {
  const encode = makeEncoder(encoding);
  const isWritable = makeEncodingTest(encoding);
  return (text) => {
    if (text.isWellFormed() && isWritable(text)) return encode(text);
    const sign = [...text].find((one) => !one.isWellFormed() || !isWritable(one)) ?? '';
    const message = `Line ${line}: the file is written in ${encoding.toUpperCase()}, which has no character "${sign.toWellFormed()}": write the cell without that character.`;
    throw new LimitlineError('USAGE', message);
  };
}

function changedLine(line: number): LimitlineError {
  const message = `Line ${line} has changed since it was shown: load the page again, and correct it there.`;
  return new LimitlineError('USAGE', message);
}

/** A cell's range in its record's text, including quotation marks; `to` is exclusive. */
type CellSpan = { from: number; to: number };

/** The ranges of a record's cells (RFC 4180, section 2); null if its quotation marks are faulty. */
function cellSpans(text: string, delimiter: Delimiter): CellSpan[] | null {
  if (findQuoteFault(text, delimiter)) return null;
  const spans: CellSpan[] = [];
  for (let from = 0; ; ) {
    const to = text[from] === '"' ? behindQuotes(text, from) : indexOrLength(text, delimiter, from);
    spans.push({ from, to });
    if (to >= text.length) return spans;
    from = to + 1;
  }
}

/** The cell as the file should have it: quoted if it was, or if it needs to be. */
function writtenCell(cell: string, delimiter: Delimiter, wasQuoted: boolean): string {
  const needsQuotes = wasQuoted || cell.includes(delimiter) || /["\r\n]/.test(cell);
  return needsQuotes ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** The index after the closing quotation mark, which a sound record has. */
function behindQuotes(text: string, from: number): number {
  let at = text.indexOf('"', from + 1);
  while (text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at + 1;
}

/** The length of a text in its file, in bytes of UTF-8. A lone surrogate stands for a byte that was not UTF-8, and counts as one. */
function utf8Length(text: string): number {
  if (text.isWellFormed()) return Buffer.byteLength(text);
  let length = 0;
  for (const character of text) length += character.isWellFormed() ? Buffer.byteLength(character) : 1;
  return length;
}

/**
 * How many bytes the first `units` UTF-16 units of a text take in its file. Decodes byte by byte, as the reading of a damaged line does.
 */
function walked(bytes: Buffer, encoding: string, units: number): number {
  const fresh = () => new TextDecoder(encoding, { fatal: true });
  let decoder = fresh();
  let [found, pending] = [0, 0];
  for (let at = 0; at < bytes.length; at += 1) {
    if (found >= units && pending === 0) return at;
    try {
      const text = decoder.decode(bytes.subarray(at, at + 1), { stream: true });
      found += text.length;
      pending = text === '' ? pending + 1 : 0;
    } catch {
      decoder = fresh();
      found += Math.max(pending, 1);
      // The byte that did not fit is counted by itself: it may be a character of its own.
      if (pending > 0) at -= 1;
      pending = 0;
    }
  }
  return bytes.length;
}

/** Lines of a file that belong to one record: the first physical line, and how many. */
type LineSpan = { line: number; lines: number };

const [LF, CR] = [0x0a, 0x0d];

/** Bytes that are read at once. The number is even, so that no UTF-16 unit is split. */
const CHUNK_BYTES = 256 * 1024;

type Meeting = { encoding: string; from: number; meet: (unit: number, at: number, width: number) => void };

function meetAll(chunk: Buffer, { encoding, from, meet }: Meeting): void {
  if (!encoding.startsWith('utf-16')) {
    for (let at = 0; at < chunk.length; at += 1) meet(chunk[at] ?? 0, from + at, 1);
    return;
  }
  const [low, high] = encoding === 'utf-16le' ? [0, 1] : [1, 0];
  for (let at = 0; at + 1 < chunk.length; at += 2) {
    meet((chunk[at + low] ?? 0) + 256 * (chunk[at + high] ?? 0), from + at, 2);
  }
}
