import { createReadStream } from 'node:fs';

/** A number of physical lines, starting with this one. */
export type LineSpan = { line: number; lines: number };

/** The byte range of lines, without the line break at the end. */
export type BytePlace = { from: number; to: number };

const [LF, CR] = [0x0a, 0x0d];

/** Even, so that no UTF-16 unit is split. */
const CHUNK_BYTES = 256 * 1024;

/**
 * Finds lines in a file. CR, LF and CRLF each end one. In every supported encoding except UTF-16, these bytes are never
 * part of another character; UTF-16 has units of two bytes.
 *
 * @returns byte ranges by first line; missing lines have no entry
 */
export async function linePlaces(
  path: string,
  { encoding, ranges }: { encoding: string; ranges: readonly LineSpan[] },
): Promise<Map<number, BytePlace>> {
  const starts = new Map<number, number>([[1, 0]]);
  const ends = new Map<number, number>();
  const firsts = new Set(ranges.map(({ line }) => line));
  const lasts = new Set(ranges.map(({ line, lines }) => line + lines - 1));
  const last = Math.max(0, ...lasts);
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
