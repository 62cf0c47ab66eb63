import { expect, test } from 'vitest';
import { forgetPortfolio } from '../../../jobs/archive/forget-portfolio.ts';
import { makeArchives } from '../../../src/ledger/archive/archives.ts';
import { keyContents } from '../../support/key-contents.ts';
import { MARK, MARKED_HEADER, markedLine } from '../../support/marked-file.ts';
import { openWorkplace } from '../../support/workplace.ts';

const wish = { by: 'anna', signal: new AbortController().signal };

test('a finished portfolio is forgotten, and its requests are not made again', async () => {
  const place = await openWorkplace();
  const { context, standIn } = place;
  await place.import([MARKED_HEADER, ...[1, 2, 3].map(markedLine)]);
  const workers = await place.work();
  await place.settled();
  await workers.stop();
  await forgetPortfolio('q4', wish, context);
  const left = await keyContents(context);
  expect(left.filter(({ key, value }) => MARK.test(key) || MARK.test(value))).toEqual([]);
  const archives = makeArchives({ connection: context.ledger, keys: context.keys });
  expect(await archives.read('q4')).toMatchObject({ is: 'forgotten', states: { done: 3 }, requested: '3007.50' });
  const made = await standIn.made();
  const again = await place.import([MARKED_HEADER, ...[1, 2, 3].map(markedLine)], { portfolio: 'q5' });
  expect(again.problems).toEqual([]);
  expect((await place.report('q5')).states).toMatchObject({ skipped: 3 });
  expect(await standIn.made()).toEqual(made);
});
