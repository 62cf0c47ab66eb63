import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { LimitlineError } from '../../errors.ts';
import { readSound } from '../cells.ts';
import type { Delimiter, Dialect } from '../dialect.ts';
import { makeDecoder } from '../encodings/decoders.ts';
import { makeEncoder, makeEncodingTest } from '../encodings/encoders.ts';
import { harmless } from '../formulas.ts';
import { findQuoteFault } from '../quote-fault.ts';
import { bytePlace } from './byte-place.ts';
import { type BytePlace, linePlaces } from './line-places.ts';

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
    if (place.from > copied) yield* createReadStream(path, { start: copied, end: place.from - 1 });
    yield* mendedRecord(await bytesAt(path, place), mend, dialect);
    copied = place.to;
  }
  yield* createReadStream(path, { start: copied });
}

/** A record is at most a megabyte long. */
async function bytesAt(path: string, { from, to }: BytePlace): Promise<Buffer> {
  const handle = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(to - from), 0, to - from, from);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
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
    const message = `Line ${line}: the file is written in ${encoding.toUpperCase()}, which has no sign for "${sign.toWellFormed()}": write it in another way.`;
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
    const to = text[from] === '"' ? behindQuotes(text, from) : endOfPlain(text, from, delimiter);
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

function endOfPlain(text: string, from: number, delimiter: Delimiter): number {
  const found = text.indexOf(delimiter, from);
  return found === -1 ? text.length : found;
}

/** The index after the closing quotation mark, which a sound record has. */
function behindQuotes(text: string, from: number): number {
  let at = text.indexOf('"', from + 1);
  while (text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at + 1;
}
