import { expect, test } from 'vitest';
import { makeProblemList, problemText } from '../../../scripts/file/problems.ts';

test.each([
  [{ line: 7, column: 'name', value: 'x', message: 'bad' }, 'line 7, name "x": bad'],
  [{ line: 7, column: 'name', value: '', message: 'needed' }, 'line 7, name: needed'],
  [{ line: 7, column: null, value: null, message: 'ragged' }, 'line 7: ragged'],
  [{ line: 7, column: null, value: 'a\nb', message: 'odd' }, 'line 7 "a\\nb": odd'],
  [{ line: 0, column: null, value: null, message: 'empty' }, 'file: empty'],
  [{ line: 0, column: 'name', value: null, message: 'few' }, 'file, name: few'],
])('the problem %o reads %s', (problem, text) => {
  expect(problemText(problem)).toBe(text);
});

test('a list of problems shows the first thousand, says that there are more, and counts all of them', () => {
  const written: string[] = [];
  const list = makeProblemList((text) => written.push(text));
  const problems = Array.from({ length: 1_500 }, (_none, n) => ({
    line: n + 2,
    column: null,
    value: null,
    message: 'bad',
  }));
  list.add({ problems, warnings: problems.slice(0, 1) });
  expect(list.counts).toEqual({ problems: 1_500, warnings: 1, changed: 0 });
  expect(list.problems).toHaveLength(1_000);
  expect(written).toHaveLength(1_002);
  expect(written[1_000]).toContain('more than 1000 problems');
  expect(written[1_001]).toBe('line 2: bad (a warning)');
});
