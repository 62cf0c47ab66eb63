import { describe, expect, test } from 'vitest';
import { aboveOf, findHeader, HEADER_WITHIN_LINES, type HeaderJudgement } from '../../src/table/find-header.ts';
import type { RawRecord } from '../../src/table/records.ts';

/** The judgement of a record by its first cell. */
const JUDGEMENTS: Record<string, HeaderJudgement> = {
  header: { score: 2, isComplete: true, canBe: true },
  likely: { score: 1.5, isComplete: false, canBe: true },
  alike: { score: 1.5, isComplete: false, canBe: false },
  text: { score: 0, isComplete: false, canBe: false },
};

const vocabulary = {
  judgeHeader({ cells: [word = ''] }: Pick<RawRecord, 'cells'>): HeaderJudgement {
    const judgement = JUDGEMENTS[word];
    if (!judgement) throw new Error(`nothing is known of ${word}`);
    return judgement;
  },
};

const recordsOf = (words: string[]) => words.map((word, at) => ({ line: at + 1, cells: [word], fault: null }));

describe('the header', () => {
  test.each([
    ['the first record, if it has all needed columns', ['header', 'header'], 0],
    ['the first record with all needed columns', ['text', 'likely', 'header', 'header'], 2],
    ['the first record with the most columns, if none has all', ['text', 'likely', 'likely'], 1],
    ['the first record, if another one only resembles a header', ['text', 'alike', 'text'], 0],
    ['the first record, if it resembles a header itself', ['alike', 'likely', 'text'], 0],
    ['the first record, if no record resembles a header', ['text', 'text'], 0],
  ])('is %s', (_what, words, place) => {
    expect(findHeader(recordsOf(words), vocabulary)).toBe(place);
  });

  test('is only looked for in the first lines', () => {
    const titles = (count: number) => Array.from({ length: count }, () => 'text');
    const last = HEADER_WITHIN_LINES - 1;
    expect(findHeader(recordsOf([...titles(last), 'header']), vocabulary)).toBe(last);
    expect(findHeader(recordsOf([...titles(last + 1), 'header']), vocabulary)).toBe(0);
  });
});

test('text above the header is reported with its lines, without blank cells', () => {
  const records = [
    { line: 2, cells: [' List ', '', 'Q4'] },
    { line: 4, cells: ['', ''] },
    { line: 5, cells: ['name', 'limit'] },
  ];
  expect(aboveOf(records, { from: 1, header: 5 })).toEqual({ from: 1, to: 4, texts: ['List Q4', ''] });
  expect(aboveOf(records, { from: 1, header: 2 })).toBeNull();
});
