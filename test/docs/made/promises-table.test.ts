import { describe, expect, test } from 'vitest';
import { allHoldings, allPromises, holdingsOf, promisesOf } from './promises-table.ts';

const promises = allPromises();
const ids = new Set(promises.map(({ id }) => id));

test('each marked sentence of the pages has a test that names its id', () => {
  const held = new Set(allHoldings().flatMap((one) => one.ids));
  const unheld = promises.filter(({ id }) => !held.has(id));
  expect(unheld, 'write `// Promise: ID` above the test that holds the sentence').toEqual([]);
});

test('each id that a test names marks a sentence of a page', () => {
  const vain = allHoldings().filter((one) => one.title === '' || one.ids.some((id) => !ids.has(id)));
  expect(vain, 'write `<!-- promise: ID -->` behind the sentence of a page, or take the line out of the test').toEqual(
    [],
  );
});

test('no id marks two sentences', () => {
  expect(promises.filter(({ id }, at) => promises.findIndex((one) => one.id === id) !== at)).toEqual([]);
});

describe('the sentence of a mark is found', () => {
  test.each([
    [
      'Not this. The second is, and goes\nover lines. <!-- promise: one --> Nor that.',
      'The second is, and goes over lines.',
    ],
    ['A first one. It leans on that. <!-- promise: one -->', 'A first one. It leans on that.'],
    ['- an item of a list <!-- promise: one -->\n- another', 'an item of a list'],
    ['| a | a cell; <!-- promise: one --> | b |', 'a cell;'],
    ['The first.\n\n2. Numbered. <!-- promise: one -->', 'Numbered.'],
  ])('in %j', (text, sentence) => {
    expect(promisesOf('docs/a.md', text)).toEqual([{ page: 'docs/a.md', id: 'one', sentence }]);
  });

  test('the two marks of one paragraph belong to two sentences', () => {
    const text = 'First. <!-- promise: one --> Second. <!-- promise: two -->';
    expect(promisesOf('docs/a.md', text).map(({ sentence }) => sentence)).toEqual(['First.', 'Second.']);
  });
});

test.each([
  ["// Promise: one\ntest('a title', () => {", 'a title'],
  ["// Promise: one\ntest.each([['linux'], ['win32']])('a title of %s', () => {", 'a title of %s'],
  ["// Promise: one\ntest.runIf(process.platform === 'linux')('a title', () => {", 'a title'],
  ["// Promise: one\n['a case of a table', 1],", 'a case of a table'],
  ['  // Promise: one\n  test(\n    `a title`,', 'a title'],
])('the title of the test is found in %j', (text, title) => {
  expect(holdingsOf('test/a.test.ts', text)).toEqual([{ file: 'test/a.test.ts', title, ids: ['one'] }]);
});

test('one test may name several ids', () => {
  expect(holdingsOf('test/a.test.ts', "// Promises: one, two\ntest('a', () => {")[0]?.ids).toEqual(['one', 'two']);
});
