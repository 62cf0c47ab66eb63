import { expect, test } from 'vitest';
import type { Rights } from '../../../src/console/access/access.ts';
import { ACCESS } from '../../../src/console/pages/index.ts';
import { CAUSES_SHOWN, renderCauses } from '../../../src/console/pages/portfolio/figures-view.ts';
import type { ShownCause } from '../../../src/console/pages/portfolio/portfolio-look.ts';
import { ROLES } from '../../../src/people/person.ts';
import { plainText } from '../../support/desk.ts';

const ALL: Rights = { roles: ROLES, owns: false, table: ACCESS, places: [] };

const cause = (changes: Partial<ShownCause> = {}): ShownCause => ({
  id: 'abcd1234',
  step: 'limit',
  meaning: 'refused',
  status: 422,
  words: 'too high',
  rows: 3,
  sum: '1234.50',
  sample: { row: { portfolio: 'q 4', key: 'k/1' }, line: 17 },
  ...changes,
});

test('each cause links to its rows, an example, a plan and an export, and shows its command', () => {
  const { markup } = renderCauses({ name: 'q 4', currency: 'EUR' }, [cause()], ALL);
  expect(markup).toContain('href="/portfolios/q%204?cause=abcd1234#rows"');
  expect(markup).toContain('href="/portfolios/q%204/rows/k%2F1">For example line 17<');
  expect(markup).toContain('href="/plans/new?portfolio=q+4&amp;action=retry&amp;cause=abcd1234"');
  expect(markup).toContain('href="/portfolios/q%204/downloads/errors.csv?cause=abcd1234"');
  expect(markup).toContain('npx limitline retry &#39;q 4&#39; --cause abcd1234');
  expect(markup).toContain('href="/nightly/automation?cause=abcd1234&amp;portfolio=q+4#new-rule"');
  expect(plainText(markup)).toContain('EUR 1,234.50');
});

// Promise: held-cause-offers-no-retry
test('a cause with held rows offers answering, and no retry', () => {
  const { markup } = renderCauses(
    { name: 'q4', currency: undefined },
    [cause({ meaning: 'unknown', status: null })],
    ALL,
  );
  expect(markup).toContain('href="/portfolios/q4/held"');
  expect(markup).toContain('npx limitline report q4 --state held --like-input --out held.csv');
  expect(markup).not.toContain('/plans/new');
  expect(markup).not.toContain('/nightly');
  // The errors file has no held rows.
  expect(markup).not.toContain('errors.csv');
});

test('only the largest causes are shown, and the others are counted', () => {
  const many = Array.from({ length: CAUSES_SHOWN + 5 }, (_, at) => cause({ id: `cause${at}`, sample: undefined }));
  const { markup } = renderCauses({ name: 'q4', currency: undefined }, many, ALL);
  expect(markup.match(/<li class="cause">/g)?.length).toBe(CAUSES_SHOWN);
  expect(markup).toContain('5 more causes of 15 rows');
  expect(renderCauses({ name: 'q4', currency: undefined }, many.slice(4), ALL).markup).toContain(
    '1 more cause of 3 rows',
  );
  expect(renderCauses({ name: 'q4', currency: undefined }, [], ALL).markup).toContain('No row has failed.');
});
