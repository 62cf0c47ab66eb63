import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { retryRows } from '../../../jobs/operators/retry-rows.ts';
import { exportedText } from '../../support/exported.ts';
import { openWorkplace } from '../../support/workplace.ts';

const HEADER = 'name,country_code,company_registration_number,request_reference,requested_limit';
const asking = (...lines: string[]) => [HEADER, ...lines];
const acme = (amount: number, reference = '') => `Acme AG,DE,HRB 1,${reference},${amount}`;
const zinc = (amount: number) => `Zinc AG,DE,HRB 2,,${amount}`;

async function openPlace(refusing = '') {
  const rules =
    refusing === '' ? [] : [{ on: 'limit' as const, match: refusing, fault: 'status' as const, status: 422 }];
  const place = await openWorkplace({ faults: { rules } });
  return {
    ...place,
    importLines: (...lines: string[]) => place.import(asking(...lines)),
    results: async (): Promise<Record<string, string>[]> => parse(await exportedText(place.context), { columns: true }),
    errors: () => exportedText(place.context, { only: 'errors' }),
    /** What was requested of the service, in any order. */
    requested: () =>
      place.standIn
        .things('limit')
        .map(({ body }) => Number(Object(body).requested_limit))
        .sort((a, b) => a - b),
  };
}

test('the mended amount of a refused row takes its place, without any reference, and retry sends no other', async () => {
  const { importLines, work, settled, standIn, results, errors, requested, ...place } =
    await openPlace('"requested_limit":900');
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
  // Nothing of it wants mending, and nothing brings it back but its own line.
  expect(parse(await errors())).toHaveLength(1);
  await standIn.setFaults({ rules: [] });
  expect(await retryRows({ portfolio: 'q4', state: 'cancelled' }, place.context)).toBe(0);
  expect(requested()).toEqual([5, 800]);
  // Its company is known still.
  expect(standIn.counts().made.company).toBe(2);
});

test('of two files in turns the one imported last stands, and what was sent is not asked for as it was before', async () => {
  const { importLines, importFile, dir, errors, work, settled, requested, context } = await openPlace();
  for (const amount of [1, 2, 1, 1, 2]) expect(await importLines(acme(amount))).toMatchObject({ rows: 1, invalid: 0 });
  expect((await context.portfolios.read('q4')).states).toMatchObject({ queued: 1, cancelled: 1 });
  expect((await context.portfolios.allImports('q4')).map(({ number }) => number)).toEqual([1, 2]);
  await work();
  expect(await settled()).toMatchObject({ states: { done: 1, cancelled: 1 }, replaced: 1 });
  expect(requested()).toEqual([2]);
  // What was sent keeps its words, and the old ones do not come back beside it, however they are brought.
  const gone = expect.stringMatching(
    / line 2 of portfolio q4 \(2, done\) took its place and was sent\. Leave /,
  );
  for (const _round of [1, 2]) {
    const old = await importLines(acme(1));
    expect(old).toMatchObject({ rows: 0, invalid: 1, replaced: 0 });
    expect(old.problems).toMatchObject([{ line: 2, column: 'requested_limit', value: '1', message: gone }]);
  }
  const path = join(dir, 'q4.errors.csv');
  await writeFile(path, await errors());
  expect(await importFile(path)).toMatchObject({ rows: 0, invalid: 1, problems: [{ message: gone }] });
  // Another amount is a request of its own, and so is what a reference names; that is said.
  const besides = await importLines(acme(3), acme(1, 'R-1'));
  expect(besides).toMatchObject({ rows: 2, replaced: 0 });
  const message = expect.stringContaining('line 2 of portfolio q4 (2, done)');
  expect(besides.warnings[0]).toMatchObject({ line: 2, column: 'requested_limit', value: '3', message });
  await settled();
  expect(requested()).toEqual([1, 2, 3]);
});

describe('a row whose own line is in the new file', () => {
  test.each([
    ['before', [acme(1), acme(2)]],
    ['behind', [acme(2), acme(1)]],
    ['far behind', [acme(2), ...Array.from({ length: 600 }, (_none, n) => `Tin ${n},DE,HRB 9${n},,7`), acme(1)]],
  ])('stays, wherever it stands: %s', async (_where, lines) => {
    const { importLines, context } = await openPlace();
    await importLines(acme(1));
    expect(await importLines(...lines)).toMatchObject({ rows: lines.length, invalid: 0, replaced: 0 });
    expect((await context.portfolios.read('q4')).states).toMatchObject({ queued: lines.length, cancelled: 0 });
  });
});

describe('a line of which nobody can tell which row it corrects is a problem', () => {
  test('where its buyer has several that were not sent', async () => {
    const { importLines } = await openPlace();
    await importLines(acme(1), acme(2));
    const imported = await importLines(acme(3));
    expect(imported).toMatchObject({ rows: 0, invalid: 1, replaced: 0, lacking: 2 });
    expect(imported.problems[0]?.message).toMatch(
      /2 requests .* line [23] of portfolio q4 \([12], queued\), line [23] of .*errors-csv.*request_reference/,
    );
    // Named, it is a request of its own.
    expect(await importLines(acme(3, 'R-3'))).toMatchObject({ rows: 1, invalid: 0, replaced: 0 });
  });

  test('where an earlier line of the file has corrected the one row, however often it is imported', async () => {
    const { importLines, report } = await openPlace();
    await importLines(acme(1));
    for (const replaced of [1, 0]) {
      const imported = await importLines(acme(2), acme(3), zinc(4));
      expect(imported).toMatchObject({ rows: 2, invalid: 1, replaced });
      expect(imported.problems).toMatchObject([
        { line: 3, message: expect.stringContaining('earlier line of this file') },
      ]);
    }
    expect(await report()).toMatchObject({ rows: 3, replaced: 1, invalid: 1 });
  });

  test('and stays one while it comes again unchanged in its errors file, though all others were sent meanwhile', async () => {
    const { importLines, work, settled, errors, dir, importFile, requested } = await openPlace();
    await importLines(acme(1), acme(2));
    await importLines(acme(3));
    await work();
    await settled();
    const path = join(dir, 'errors.csv');
    for (const _round of [1, 2]) {
      await writeFile(path, await errors());
      expect(await importFile(path)).toMatchObject({ rows: 0, invalid: 1 });
    }
    expect(requested()).toEqual([1, 2]);
    await writeFile(path, (await errors()).replace(',,3,', ',R-3,3,'));
    expect(await importFile(path)).toMatchObject({ rows: 1, invalid: 0 });
  });

  test('where it is unknown what became of the one that was sent', async () => {
    const place = await openWorkplace({
      faults: { rules: [{ on: 'limit', match: 'HRB 1"', fault: 'status', status: 500 }] },
    });
    await place.import(asking(acme(1)));
    await place.work();
    expect(await place.settled()).toMatchObject({ states: { held: 1 } });
    const imported = await place.import(asking(acme(2)));
    expect(imported).toMatchObject({ rows: 0, invalid: 1 });
    expect(imported.problems[0]?.message).toContain('limitline resolve');
  });
});

describe('the column row of an errors file', () => {
  test('keeps it out of every portfolio but its own, and is there in each round', async () => {
    const { importLines, dir, importFile, work, settled, errors, context, requested } = await openPlace('HRB 1"');
    await importLines(acme(900), zinc(5));
    await work();
    await settled();
    const path = join(dir, 'q4.errors.csv');
    const round = (await errors()).replace(',900,', ',800,');
    await writeFile(path, round);
    // Run under its own name it would be a request of its own, beside the row that it mends.
    const stray = await importFile(path, {}, { portfolio: 'q4.errors' });
    expect(stray.faults).toMatchObject([{ line: 0, column: 'row', value: expect.stringMatching(/^q4\//) }]);
    expect(stray.faults[0]?.message).toBe(
      'This errors file mends rows of portfolio "q4", not of "q4.errors" (the first is in line 2). Import it into that one: npx limitline run FILE --portfolio "q4".',
    );
    expect(await context.portfolios.names()).toEqual(['q4']);
    // A line that is still wrong goes on to say what it mends.
    await writeFile(path, round.replace(',800,', ',0,'));
    expect(await importFile(path)).toMatchObject({ invalid: 1 });
    const named = /,q4\/[\w-]{16},/.exec(round)?.[0] ?? 'none';
    const again = (await errors()).split('\n').filter((line) => line.includes(named));
    expect(again.some((line) => line.includes(',0,'))).toBe(true);
    expect(requested()).toEqual([5]);
  });

  test('names the row that its line mends, of several of one buyer, and across rounds', async () => {
    const { importLines, dir, importFile, work, settled, errors, standIn, requested } = await openPlace('HRB 1"');
    await importLines(acme(900), acme(700));
    await work();
    expect(await settled()).toMatchObject({ states: { refused: 2 } });
    const path = join(dir, 'errors.csv');
    const round = await errors();
    expect(round).toMatch(/,900,q4\/[\w-]{16},,"The service refused/);
    await writeFile(path, round.replace(',900,', ',800,'));
    expect(await importFile(path)).toMatchObject({ lines: 2, rows: 2, invalid: 0, replaced: 1 });
    await settled();
    // The same errors file, mended otherwise: what stands in the place of the row by now is meant.
    await standIn.setFaults({ rules: [] });
    await writeFile(path, round.replace(',900,', ',850,'));
    expect(await importFile(path)).toMatchObject({ lines: 2, rows: 2, invalid: 0, replaced: 1 });
    expect(await settled()).toMatchObject({ rows: 4, replaced: 2, states: { done: 2, cancelled: 2 } });
    expect(requested()).toEqual([700, 850]);
    expect(parse(await errors())).toHaveLength(1);
    // Now that it was sent, the row cannot be mended any more.
    await writeFile(path, round.replace(',900,', ',1,'));
    const late = await importFile(path);
    expect(late.problems).toMatchObject([
      { column: 'row', message: expect.stringMatching(/^changed after it was requested/) },
    ]);
  });

  test.each([
    ['nothing', (row: string) => row.slice(0, -1), /names no row/],
    ['a row that there is not', (row: string) => `${row.slice(0, -3)}AAA`, /has no such row/],
  ])('is a problem where it names %s', async (_what, change, words) => {
    const { importLines, dir, importFile, errors } = await openPlace();
    await importLines(acme(1));
    const path = join(dir, 'errors.csv');
    await writeFile(path, (await errors()).replace(',1,q4/', ',2,q4/').replace(/q4\/[\w-]{16}/, change));
    const imported = await importFile(path);
    expect(imported).toMatchObject({ rows: 0, invalid: 1 });
    expect(imported.problems).toMatchObject([{ line: 2, column: 'row', message: expect.stringMatching(words) }]);
  });

  test('is a problem where two lines mend one row, or one asks for it as it was', async () => {
    const { importLines, dir, importFile, errors } = await openPlace();
    await importLines(acme(1));
    const [header = '', line = ''] = (await errors()).split('\r\n');
    const path = join(dir, 'errors.csv');
    await writeFile(path, [header, line.replace(',1,', ',2,'), line.replace(',1,', ',3,')].join('\n'));
    expect(await importFile(path)).toMatchObject({ rows: 1, problems: [{ line: 3, column: 'row' }] });
    await writeFile(path, [header, line, line.replace(',1,', ',3,')].join('\n'));
    expect(await importFile(path)).toMatchObject({ rows: 1, problems: [{ line: 3, column: 'row' }] });
  });

  test('is a column of the team itself elsewhere', async () => {
    const place = await openPlace();
    await place.import(['name,requested_limit,row', 'Acme AG,5,12']);
    expect(await place.import(['name,requested_limit,row', 'Acme AG,6,13'])).toMatchObject({ rows: 1, replaced: 1 });
  });
});

describe('rows of earlier imports that the file lacks', () => {
  test('stay and are counted, and are given up with --replace, but for those that were sent or are in it', async () => {
    const { importLines, work, settled, dir, importFile, errors, requested, context } = await openPlace('HRB 3"');
    await importLines(acme(1), 'Tin AG,DE,HRB 3,,3');
    const workers = await work();
    expect(await settled()).toMatchObject({ states: { done: 1, refused: 1 } });
    await workers.stop();
    await importLines(zinc(2), 'Lead AG,DE,HRB 4,,4');
    expect(await importLines(zinc(2))).toMatchObject({ rows: 1, lacking: 2, givenUp: 0 });
    const path = join(dir, 'new.csv');
    // A broken line is in the file all the same.
    const broken = `${HEADER},contact_email\n${zinc(2)},\nTin AG,DE,HRB 3,,3,nobody\n`;
    await writeFile(path, broken);
    expect(await importFile(path, {}, { replace: true })).toMatchObject({
      rows: 1,
      invalid: 1,
      lacking: 0,
      givenUp: 1,
    });
    expect((await context.portfolios.read('q4')).states).toMatchObject({
      done: 1,
      refused: 1,
      queued: 1,
      cancelled: 1,
    });
    await work();
    await settled();
    expect(requested()).toEqual([1, 2]);
    const left = (await errors()).split('\r\n').filter((line) => line.includes('Lead'));
    expect(left).toEqual([]);
  });

  test('are not given up by an errors file, which has but some lines', async () => {
    const { importLines, errors, dir, importFile } = await openPlace();
    await importLines(acme(1), zinc(2));
    const path = join(dir, 'errors.csv');
    await writeFile(path, await errors());
    await expect(importFile(path, {}, { replace: true })).rejects.toMatchObject({ code: 'USAGE' });
  });
});

test('two corrections imported at the same moment leave one of them to be requested', async () => {
  const { importLines, dir, importFile, work, settled, requested } = await openPlace();
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
