import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rowStory } from '../../../jobs/story/row-story.ts';
import { timelineOf } from '../../../src/console/pages/row/timeline.ts';
import { buyerLines, openWorkplace } from '../../support/workplace.ts';

// Promise: row-tells-its-story
test('a row whose file comes again, read otherwise, keeps who brought it in first', async () => {
  const place = await openWorkplace({
    faults: { rules: [{ on: 'company', fault: 'status', status: 422 }] },
  });
  const { context } = place;
  await place.import(buyerLines(1), { by: 'fin' });
  await place.work();
  await place.settled();
  await place.importFile(join(place.dir, 'q4.csv'), { decimal: '.' }, { by: 'root' });
  const [found] = (await context.rows.page('q4', {}, { count: 1 })).found;
  if (!found) throw new Error('the row is gone');
  const story = await rowStory(found.row, context);
  const words = story ? timelineOf(story).map((one) => one.words) : [];
  expect(words[0]).toBe('The row came in first with q4.csv (import 1 by fin).');
  expect(words).toContain('q4.csv (import 2) was imported again by root: the row is its line 2.');
});
