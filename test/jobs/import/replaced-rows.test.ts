import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { retryRows } from '../../support/approved-portfolio.ts';
import { acme, asking, openCorrections, zinc } from '../../support/workplace.ts';

// Promise: corrected-amount-replaces
test('a corrected amount replaces a refused row without any reference, and retry does not send the old row', async () => {
  const { importLines, work, settled, standIn, results, errors, requested, ...place } =
    await openCorrections('"requested_limit":900');
  await importLines(acme(900), zinc(5));
  await work();
  expect(await settled()).toMatchObject({ states: { refused: 1, done: 1 } });
  const imported = await importLines(acme(800), zinc(5));
  expect(imported).toMatchObject({ rows: 2, invalid: 0, replaced: 1, lacking: 0 });
  expect(await settled()).toMatchObject({
    rows: 3,
    replaced: 1,
    states: { done: 2, cancelled: 1 },
    requested: '805.00',
  });
  const [first] = await results();
  expect(first).toMatchObject({ requested_limit: '900', state: 'cancelled', problem: 'replaced by line 2 of q4.csv' });
  // The replaced row needs no correction, and only its own line can bring it back.
  expect(parse(await errors())).toHaveLength(1);
  await standIn.setFaults({ rules: [] });
  expect(await retryRows({ portfolio: 'q4', state: 'cancelled' }, place.context)).toEqual({ rows: 0 });
  expect(requested()).toEqual([5, 800]);
  // Its company is still known.
  expect(standIn.counts().made.company).toBe(2);
});

// Promise: corrected-amount-replaces
test('the last of several imported amounts is sent, and the old amount is a problem afterwards', async () => {
  const { importLines, importFile, dir, errors, work, settled, requested, context } = await openCorrections();
  for (const amount of [1, 2, 1, 1, 2]) expect(await importLines(acme(amount))).toMatchObject({ rows: 1, invalid: 0 });
  expect((await context.portfolios.read('q4')).states).toMatchObject({ queued: 1, cancelled: 1 });
  expect((await context.portfolios.allImports('q4')).map(({ number }) => number)).toEqual([1, 2]);
  await work();
  expect(await settled()).toMatchObject({ states: { done: 1, cancelled: 1 }, replaced: 1 });
  expect(requested()).toEqual([2]);
  // The sent request keeps its content, and the old amount is a problem in every kind of file.
  const gone = expect.stringMatching(/ line 2 of portfolio q4 \(2, done\) replaced it and was sent\. Leave /);
  for (const _round of [1, 2]) {
    const old = await importLines(acme(1));
    expect(old).toMatchObject({ rows: 0, invalid: 1, replaced: 0 });
    expect(old.problems).toMatchObject([{ line: 2, column: 'requested_limit', value: '1', message: gone }]);
  }
  const path = join(dir, 'q4.errors.csv');
  await writeFile(path, await errors());
  expect(await importFile(path)).toMatchObject({ rows: 0, invalid: 1, problems: [{ message: gone }] });
  // Another amount or a reference is a request of its own, with a warning.
  const besides = await importLines(acme(3), acme(1, 'R-1'));
  expect(besides).toMatchObject({ rows: 2, replaced: 0 });
  const message = expect.stringContaining('line 2 of q4.csv #2 in portfolio q4 (2, done)');
  expect(besides.warnings[0]).toMatchObject({ line: 2, column: 'requested_limit', value: '3', message });
  await settled();
  expect(requested()).toEqual([1, 2, 3]);
});

describe('a row whose own line is in the new file', () => {
  // Promise: corrected-amount-replaces
  test.each([
    ['before', [acme(1), acme(2)]],
    ['behind', [acme(2), acme(1)]],
    ['far behind', [acme(2), ...Array.from({ length: 600 }, (_none, n) => `Tin ${n},DE,HRB 9${n},,7`), acme(1)]],
  ])('is not replaced, wherever in the file that line is: %s', async (_where, lines) => {
    const { importLines, context } = await openCorrections();
    await importLines(acme(1));
    expect(await importLines(...lines)).toMatchObject({ rows: lines.length, invalid: 0, replaced: 0 });
    expect((await context.portfolios.read('q4')).states).toMatchObject({ queued: lines.length, cancelled: 0 });
  });
});

// Promise: only-one-amount-requested
test('only one of several simultaneously imported corrections is requested', async () => {
  const { importLines, dir, importFile, work, settled, requested } = await openCorrections();
  await importLines(acme(1));
  const paths = await Promise.all(
    [2, 3, 2].map(async (amount, n) => {
      const path = join(dir, `mended-${n}.csv`);
      await writeFile(path, `${asking(acme(amount)).join('\n')}\n`);
      return path;
    }),
  );
  await Promise.all(paths.map((path) => importFile(path)));
  await work();
  expect(await settled()).toMatchObject({ states: { done: 1 } });
  expect(requested()).toHaveLength(1);
});
