import { expect, test } from 'vitest';
import { MAX_RECORD_LENGTH, makePhysicalLines } from '../../src/table/physical-lines.ts';

/** All lines that these pieces of text complete; without an end, more text may follow. */
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

test('CR, LF and CRLF each end a line, also if a CRLF is split between two pieces', () => {
  const expected = [
    [1, 'a'],
    [2, 'b'],
    [3, ''],
    [4, 'c'],
  ];
  expect(linesOf(['a\rb\n\r\nc'])).toEqual(expected);
  expect(linesOf(['a\rb\n\r', '\nc'])).toEqual(expected);
});

test('a line is not returned while more of it may follow', () => {
  expect(linesOf(['a\nb', 'c'], { ended: false })).toEqual([[1, 'a']]);
  expect(linesOf(['a\r'], { ended: false })).toEqual([]);
});

test.each([
  ['continues to the line that balances the quotation marks', 'a,"x\ny"\nb', 'a,"x\ny"'],
  ['continues past lines with an even number of quotation marks', 'a,"x\n"""",y\nz"\nb', 'a,"x\n"""",y\nz"'],
  ['is null if no line balances them', 'a,"x\ny\n', null],
])('the text of an open quotation mark %s', (_what, text, expected) => {
  const lines = makePhysicalLines();
  lines.feed(text);
  lines.end();
  lines.peek();
  expect(lines.throughQuotes()).toBe(expected);
});

test('the text of an open quotation mark is unsure while more may follow, and null beyond the maximum length', () => {
  const lines = makePhysicalLines();
  lines.feed('a,"x\ny');
  lines.peek();
  expect(lines.throughQuotes()).toBe('unsure');
  lines.feed('z'.repeat(MAX_RECORD_LENGTH));
  expect(lines.throughQuotes()).toBeNull();
});
