import { expect, test } from 'vitest';

import { filterFromQuery, queryOfFilter, type RowFilter, statesOf } from '../../../src/ledger/search/row-filter.ts';

const query = (text: string) => {
  const found: Record<string, string[]> = {};
  for (const [name, value] of new URLSearchParams(text)) found[name] = [...(found[name] ?? []), value];
  return found;
};

test('a filter survives the way into a query string and back', () => {
  const filters: RowFilter[] = [
    {},
    { states: ['refused', 'held'], cause: 'k3f9', status: 'under review & more', min: '0.50', max: '100000' },
    { text: 'Müller = "Söhne" <b>' },
    { states: ['done'], outcomes: ['under_review', 'declined'], min: '1' },
  ];
  for (const filter of filters) expect(filterFromQuery(query(queryOfFilter(filter)))).toEqual(filter);
});

test('a form may give states and outcomes one by one, and empty fields are ignored', () => {
  const read = filterFromQuery(query('states=held&states=refused&states=&min=&text=+&status=&page=7'));
  expect(read).toEqual({ states: ['refused', 'held'] });
  const outcomes = filterFromQuery(query('outcomes=declined&outcomes=not_sent,approved&outcomes='));
  expect(outcomes).toEqual({ outcomes: ['approved', 'declined', 'not_sent'] });
});

test('an amount may have group separators', () => {
  expect(filterFromQuery({ min: '1,234,567.5' })).toEqual({ min: '1234567.5' });
});

test('an invalid filter is an error and is never ignored, because that would select more rows', () => {
  const wrong = [
    'states=gone',
    'outcomes=done',
    'outcomes=approved,constructor',
    'min=abc',
    'max=-1',
    'max=1e9',
    'min=12,34',
    'cause=a&cause=b',
    `text=${'x'.repeat(401)}`,
  ];
  for (const text of wrong)
    expect(() => filterFromQuery(query(text)), text).toThrow(expect.objectContaining({ code: 'USAGE' }));
});

test.each<[RowFilter, string]>([
  [{ outcomes: ['declined', 'approved'] }, 'done'],
  [{ outcomes: ['sending', 'rejected'] }, 'company documents limit refused'],
  [{ outcomes: ['not_sent'], states: ['cancelled', 'done'] }, 'cancelled'],
  [{ outcomes: ['needs_answer'], states: ['done'] }, ''],
  [{ states: ['held'] }, 'held'],
])('the filter %j reads rows in the states %j only', (filter, states) => {
  expect(statesOf(filter).join(' ')).toBe(states);
});
