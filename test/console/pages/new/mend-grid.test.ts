import { expect, test } from 'vitest';
import { conflictView } from '../../../../src/console/pages/new/mend-grid.ts';

const CONFLICT = { latest: 2, cells: [] };
const COLUMN = { list: 'problems', column: 'website', from: 'ftp:', to: 'https:' } as const;

// Promise: typed-outlives-session
test.each([
  ['lines', { edits: [{ line: 4, cells: new Map([[3, '30']]) }] }],
  ['a text for a whole column', { edits: [], column: COLUMN }],
  ['both', { edits: [{ line: 4, text: 'a,b' }], column: COLUMN }],
])('a page with %s typed over another version says that it stays, and where to go on', (_typed, change) => {
  const { markup } = conflictView('u1', CONFLICT, change);
  expect(markup.match(/data-typed="[^"]*"/g)).toEqual(['data-typed="/new/u1?list=problems"']);
});

test('a page on which nothing was typed may be left', () => {
  expect(conflictView('u1', CONFLICT).markup).not.toContain('data-typed');
});
