import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { importPortfolio } from '../../../jobs/import/import-portfolio.ts';
import { makeReadAhead } from '../../../jobs/import/read-ahead.ts';
import type { Problem } from '../../../src/portfolio/problem.ts';
import { importDepsOf, openWorkplace } from '../../support/workplace.ts';

/** A file as numbered batches, with a record of the batches read and whether the file was closed. */
function fileOf(count: number, { faultAt = 0 } = {}) {
  const seen = { read: [] as number[], isClosed: false };
  async function* read() {
    try {
      for (let batch = 1; batch <= count; batch += 1) {
        if (batch === faultAt) throw new Error('unreadable');
        seen.read.push(batch);
        yield batch;
      }
    } finally {
      seen.isClosed = true;
    }
  }
  return { seen, read };
}

test('the next batch is read while one is stored, and none beyond it', async () => {
  const { seen, read } = fileOf(4);
  const put: number[] = [];
  for await (const batch of makeReadAhead().batches(read)) {
    await expect.poll(() => seen.read).toEqual([1, 2, 3, 4].slice(0, batch + 1));
    put.push(batch);
  }
  expect(put).toEqual([1, 2, 3, 4]);
  expect(seen.isClosed).toBe(true);
});

test('a file that becomes unreadable throws after the batches before the fault were stored', async () => {
  const { seen, read } = fileOf(3, { faultAt: 3 });
  const put: number[] = [];
  const reading = async () => {
    for await (const batch of makeReadAhead().batches(read)) {
      await expect.poll(() => seen.read.at(-1)).toBe(2);
      put.push(batch);
    }
  };
  await expect(reading()).rejects.toThrow('unreadable');
  expect(put).toEqual([1, 2]);
});

// Promise: next-batch-waits-for-rows
test('a batch that cannot be stored closes the file, also while the next batch waits for it', async () => {
  const ahead = makeReadAhead();
  const { seen, read } = fileOf(3);
  let asked = 0;
  const store = ahead.buyersOf({
    read: () => Promise.reject(),
    write: () => Promise.reject(),
    unsent: async () => {
      asked += 1;
      return new Set<string>();
    },
  });
  async function* asking() {
    for await (const batch of read()) {
      if (batch > 1) await store.unsent([{ key: 'a', row: { portfolio: 'q4', row: 'b' } }]);
      yield batch;
    }
  }
  const putting = async () => {
    for await (const _batch of ahead.batches(asking)) {
      await expect.poll(() => seen.read).toEqual([1, 2]);
      expect(asked).toBe(0);
      throw new Error('not put');
    }
  };
  await expect(putting()).rejects.toThrow('not put');
  expect([asked, seen.isClosed]).toEqual([1, true]);
});

// Promise: next-batch-waits-for-rows
test('a line is compared with the company_id of the previous batch, even if that is stored slowly', async () => {
  const place = await openWorkplace();
  // The first batch has 32 lines.
  const lines = Array.from({ length: 34 }, (_line, at) => `Buyer ${at} Ltd,GB,${at < 31 ? '' : 'company_1'},1000`);
  const path = join(place.dir, 'q4.csv');
  await writeFile(path, `name,country_code,company_id,requested_limit\n${lines.join('\n')}\n`);
  const warnings: Problem[] = [];
  const deps = importDepsOf(place.context);
  const putNew: typeof deps.rows.putNew = async (...given) => {
    for (let turns = 0; turns < 50; turns += 1) await place.context.portfolios.read('q4');
    return deps.rows.putNew(...given);
  };
  const onBatch = (batch: { warnings: Problem[] }) => warnings.push(...batch.warnings);
  await importPortfolio(
    { portfolio: 'q4', path, reading: {}, replace: false },
    { ...deps, rows: { ...deps.rows, putNew }, onBatch, stopping: new AbortController().signal },
  );
  expect(warnings.filter(({ message }) => message.includes('company_id')).map(({ line }) => line)).toEqual([34, 35]);
});
