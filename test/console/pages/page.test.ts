import { expect, test } from 'vitest';
import { z } from 'zod';
import { digits, text } from '../../../src/console/pages/page.ts';
import { ROLES } from '../../../src/people/person.ts';
import { as, byHeader } from '../../support/desk.ts';
import { openThreeRows } from '../../support/three-rows.ts';

/** Every query parameter that some page reads. */
const NAMES =
  'from text after before by what about day did done list page asked rule section check line portfolio cause';

/** Values that no page writes. `&` repeats the name. */
const ODD = ['', 'x', '-1', '99999999999999999999', '%00', '%E2%80%AE', 'a&b'];

test('no query parameter changes the status of a page', async () => {
  const { get, rowOf } = await openThreeRows(byHeader);
  const paths = [
    '/',
    '/archived',
    '/audit',
    '/declined',
    '/health',
    '/held',
    '/keys',
    '/lowered',
    '/me',
    '/new',
    '/nightly',
    '/users',
    '/work',
  ];
  const wrong: string[] = [];
  for (const path of [...paths, '/portfolios/q4', '/portfolios/q4/held', await rowOf('refused')]) {
    const answer = await get(path, as('zoe', ...ROLES));
    for (const value of ODD) {
      const query = NAMES.split(' ').flatMap((name) => value.split('&').map((one) => `${name}=${one}`));
      const { status } = await get(`${path}?${query.join('&')}`, as('zoe', ...ROLES));
      if (status !== answer.status) wrong.push(`${path} with ${value}: ${status}, not ${answer.status}`);
    }
  }
  expect(wrong).toEqual([]);
});

test.each([
  [{}, { name: '', number: 0 }],
  [
    { name: ' x ', number: '0042' },
    { name: ' x ', number: 42 },
  ],
  [
    { name: ['a', 'b'], number: ['1', '2'] },
    { name: '', number: 0 },
  ],
  [
    { name: 'a', number: '12345' },
    { name: 'a', number: 0 },
  ],
  [
    { name: 'a', number: '-1' },
    { name: 'a', number: 0 },
  ],
  [
    { name: 'a', number: '1 ' },
    { name: 'a', number: 0 },
  ],
])('the query %j is parsed as %j', (query, read) => {
  expect(z.object({ name: text, number: digits(4) }).parse(query)).toEqual(read);
});
