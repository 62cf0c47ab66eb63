import { expect, test } from 'vitest';
import { readAhead } from '../src/read-ahead.ts';

/** Batches 1 to 3, with notes of what was done; the one that fails is not given. */
async function* batches(did: string[], fails?: number) {
  try {
    for (const batch of [1, 2, 3]) {
      if (batch === fails) throw new Error(`batch ${batch}`);
      did.push(`read ${batch}`);
      yield batch;
    }
  } finally {
    did.push('closed');
  }
}

test('the next batch is read while the consumer has one, and the order stays', async () => {
  const did: string[] = [];
  for await (const batch of readAhead(batches(did))) {
    await new Promise(setImmediate);
    did.push(`used ${batch}`);
  }
  expect(did).toEqual(['read 1', 'read 2', 'used 1', 'read 3', 'used 2', 'closed', 'used 3']);
});

test('a fault of the source comes behind the batches before it', async () => {
  const used: number[] = [];
  const read = async () => {
    for await (const batch of readAhead(batches([], 3))) used.push(batch);
  };
  await expect(read()).rejects.toThrow('batch 3');
  expect(used).toEqual([1, 2]);
});

test('a consumer that ends early closes the source', async () => {
  const did: string[] = [];
  for await (const batch of readAhead(batches(did))) if (batch === 1) break;
  expect(did).toEqual(['read 1', 'read 2', 'closed']);
});
