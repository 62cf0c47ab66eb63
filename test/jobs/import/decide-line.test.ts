import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { resolveCalls } from '../../../jobs/operators/resolve-calls.ts';
import { acme, asking, exportedText, openCorrections, openWorkplace, zinc } from '../../support/workplace.ts';

describe('a correction is a problem if it is unclear which row it corrects', () => {
  // Promise: unclear-correction-refused
  test('a line is a problem if its buyer has several unsent rows', async () => {
    const { importLines } = await openCorrections();
    await importLines(acme(1), acme(2));
    const imported = await importLines(acme(3));
    expect(imported).toMatchObject({ rows: 0, invalid: 1, replaced: 0, lacking: 0 });
    expect(imported.problems[0]?.message).toMatch(
      /2 requests .* line [23] of portfolio q4 \([12], queued\), line [23] of .*request_reference of its own, in the file that report --format errors-csv/,
    );
    // With a reference it is a request of its own.
    expect(await importLines(acme(3, 'R-3'))).toMatchObject({ rows: 1, invalid: 0, replaced: 0 });
  });

  // Promise: unclear-correction-refused
  test('a line is a problem if an earlier line of the file corrects the same row, also on a repeated import', async () => {
    const { importLines, report } = await openCorrections();
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

  // Promise: unchanged-stays-a-problem
  test('the line stays a problem while its errors file is imported unchanged, and nothing is sent', async () => {
    const { importLines, work, settled, errors, dir, importFile, requested } = await openCorrections();
    await importLines(acme(1), acme(2));
    await importLines(acme(3));
    await work();
    await settled();
    const path = join(dir, 'errors.csv');
    for (const _round of [1, 2]) {
      await writeFile(path, await errors());
      expect(await importFile(path)).toMatchObject({ rows: 0, invalid: 1 });
    }
    expect(requested()).toEqual([]);
    await writeFile(path, (await errors()).replace(',,3,', ',R-3,3,'));
    expect(await importFile(path)).toMatchObject({ rows: 1, invalid: 0 });
  });

  // Promise: unclear-correction-refused
  test('a line is a problem if the call of the sent row is in doubt', async () => {
    const place = await openWorkplace({
      faults: { rules: [{ on: 'limit', match: 'HRB 1"', fault: 'status', status: 500 }] },
    });
    await place.import(asking(acme(1)));
    await place.work();
    expect(await place.settled()).toMatchObject({ states: { held: 1 } });
    const imported = await place.import(asking(acme(2)));
    expect(imported).toMatchObject({ rows: 0, invalid: 1 });
    expect(imported.problems[0]?.message).toContain('npx limitline report "q4" --state held');
  });

  // Promise: unchanged-stays-a-problem
  test.each<['made' | 'not made', object[], number]>([
    ['made', [{ rows: 0 }, { rows: 1 }], 1],
    ['not made', [{ rows: 1 }, { rows: 1 }], 0],
  ])('an unchanged errors file is imported after a person said that the row was %s', async (is, imports, invalid) => {
    const rule = { on: 'limit', fault: 'status', status: 500, times: 1 } as const;
    const { context, dir, importFile, settled, work, ...place } = await openWorkplace({ faults: { rules: [rule] } });
    await place.import(asking(acme(1)));
    const workers = await work();
    await settled();
    await workers.stop();
    await place.import(asking(acme(2)));
    const [held] = await context.rows.inState('q4', 'held', { count: 1 });
    const made = is === 'made' ? `bl_${'0'.repeat(32)}` : undefined;
    const path = join(dir, 'errors.csv');
    const keep = async () => writeFile(path, await exportedText(context, { only: 'errors' }));
    await keep();
    await resolveCalls({ portfolio: 'q4', row: held?.row.key ?? '', made, by: 'olga' }, context);
    for (const imported of imports) {
      const { problems, ...found } = await importFile(path);
      expect(found).toMatchObject({ ...imported, invalid });
      if (made)
        expect(problems[0]?.message).toMatch(/line 2 of portfolio q4 \(1, (queued|done)\) .* was made. It was:/);
      await keep();
    }
    // With a reference the line is a request of its own.
    await writeFile(path, (await readFile(path, 'utf8')).replaceAll(',,2,', ',R-2,2,'));
    if (made) expect(await importFile(path)).toMatchObject({ rows: 2, invalid: 0 });
  });

  test('a line that was corrected since then is no problem when its errors file is imported again', async () => {
    const rule = { on: 'limit', fault: 'status', status: 500, times: 1 } as const;
    const { context, dir, importFile, settled, work, ...place } = await openWorkplace({ faults: { rules: [rule] } });
    await place.import(asking(acme(1)));
    const workers = await work();
    await settled();
    await place.import(asking(acme(2)));
    const path = join(dir, 'errors.csv');
    await writeFile(path, await exportedText(context, { only: 'errors' }));
    await context.portfolios.pause('q4', 'by the test');
    const [held] = await context.rows.inState('q4', 'held', { count: 1 });
    await resolveCalls({ portfolio: 'q4', row: held?.row.key ?? '', by: 'olga' }, context);
    expect(await importFile(path)).toMatchObject({ rows: 1, replaced: 1 });
    await context.portfolios.resume('q4');
    expect(await settled()).toMatchObject({ states: { done: 1, cancelled: 1 } });
    await workers.stop();
    expect(await importFile(path)).toMatchObject({ rows: 1, invalid: 0, requestedBefore: 1 });
  });
});
