import { expect, test } from 'vitest';
import { MAX_RECORD_LENGTH, makePhysicalLines } from '../../src/table/physical-lines.ts';

/** All lines that can be told from these pieces of text; without an end, more text may come. */
function linesOf(pieces: string[], { ended = true } = {}) {
  const lines = makePhysicalLines();
  const found: [number, string][] = [];
  const take = () => {
    for (let due = lines.peek(); due; due = lines.peek()) {
      found.push([due.line, due.text]);
      lines.pass();
    }
  };
  for (const piece of pieces) {
    lines.feed(piece);
    take();
  }
  if (ended) lines.end();
  take();
  return found;
}

test('CR, LF and CRLF end a line alike, also where a CRLF comes in two pieces', () => {
  const expected = [
    [1, 'a'],
    [2, 'b'],
    [3, ''],
    [4, 'c'],
  ];
  expect(linesOf(['a\rb\n\r\nc'])).toEqual(expected);
  expect(linesOf(['a\rb\n\r', '\nc'])).toEqual(expected);
});

test('a line is not told as long as more of it may come', () => {
  expect(linesOf(['a\nb', 'c'], { ended: false })).toEqual([[1, 'a']]);
  expect(linesOf(['a\r'], { ended: false })).toEqual([]);
});

test.each([
  ['goes on to the line that evens them out', 'a,"x\ny"\nb', 'a,"x\ny"'],
  ['goes past lines that have an even number', 'a,"x\n"""",y\nz"\nb', 'a,"x\n"""",y\nz"'],
  ['is none where no line evens them out', 'a,"x\ny\n', null],
])('a text through quotation marks %s', (_what, text, expected) => {
  const lines = makePhysicalLines();
  lines.feed(text);
  lines.end();
  lines.peek();
  expect(lines.throughQuotes()).toBe(expected);
});

test('a text through quotation marks is unsure while more may come, and none where it is too long', () => {
  const lines = makePhysicalLines();
  lines.feed('a,"x\ny');
  lines.peek();
  expect(lines.throughQuotes()).toBe('unsure');
  lines.feed('z'.repeat(MAX_RECORD_LENGTH));
  expect(lines.throughQuotes()).toBeNull();
});
