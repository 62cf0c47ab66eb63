import { expect, test } from 'vitest';
import { makeTrailReader } from '../../src/audit/read-trail.ts';
import { NOTE, openTrails } from '../support/audit.ts';

// Promise: audit-by-each-portfolio
test('an entry about 300 portfolios is found by each of them', async () => {
  const { process, admin, keys } = await openTrails();
  const names = Array.from({ length: 300 }, (_none, at) => `portfolio-of-buyers-in-region-${at}`);
  const portfolios = names.join(', ');
  await process().note({ ...NOTE, what: 'calls resolved', about: portfolios, facts: { portfolios } });
  const reader = makeTrailReader({ connection: admin, keys });
  const parts: unknown[] = [];
  for (const about of [names[0], names[20], names[299]]) {
    const { entries } = await reader.page({ count: 5, walk: 100, filter: { about: about ?? '' } });
    expect(entries, about).toHaveLength(1);
    parts.push(entries[0]?.facts?.part);
  }
  expect(parts).toEqual([undefined, 2, 3]);
});
