import { expect, test } from 'vitest';
import { vocabularyOf } from '../../src/portfolio/columns/judge-header.ts';
import { detectDelimiter, sepLineOf } from '../../src/table/detect-delimiter.ts';

test.each([
  ['name,requested_limit\nA,1', ','],
  ['name;requested_limit\nA;1', ';'],
  ['name\trequested_limit\nA\t1', '\t'],
  ['name|requested_limit\nA|1', '|'],
  ['name', ','],
  ['"last, first";name;requested_limit', ';'],
  ['a,b;name;requested_limit', ';'],
  ['Firma;Ort\nA, B;C\nD, E;F', ';'],
])('the delimiter of %j is %j', (start, delimiter) => {
  expect(detectDelimiter(start, { vocabulary: vocabularyOf() })).toBe(delimiter);
});

test.each([
  ['sep=;', ';'],
  ['"sep=,"', ','],
  ['SEP=\t', '\t'],
  ['sep=x', null],
  ['name;sep=;', null],
])('the line %j names %j', (line, delimiter) => {
  expect(sepLineOf(line)).toBe(delimiter);
});
