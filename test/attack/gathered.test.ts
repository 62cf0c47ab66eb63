import { expect, test } from 'vitest';
import { makeGathered } from '../../src/ledger/calls/batches.ts';

test('a full batch is sent before the earlier one is answered, and one that is not full waits', async () => {
  const sent: number[] = [];
  const first = Promise.withResolvers<void>();
  const take = makeGathered<number, number>(
    async (items) => {
      sent.push(items.length);
      if (sent.length === 1) await first.promise;
      return items;
    },
    5,
    2,
  );
  const alone = take(0);
  await new Promise((done) => setTimeout(done, 5));
  const others = [1, 2, 3, 4, 5].map(take);
  await new Promise((done) => setTimeout(done, 50));
  // A full batch of five has gathered.
  expect(sent).toEqual([1, 5]);
  first.resolve();
  expect(await Promise.all([alone, ...others])).toEqual([0, 1, 2, 3, 4, 5]);
});
