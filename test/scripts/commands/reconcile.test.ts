import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { NO_MORE_WORDS } from '../../../src/ledger/nightly/compare-reports.ts';
import { openContextOf } from '../../support/context-of.ts';
import { openDesk } from '../../support/desk.ts';

test('reconcile leaves a report with its files, says where they are, and --last prints it again and looks at nothing', async () => {
  const desk = await openDesk(2);
  expect(await desk.limitline('reconcile', '--last')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('has no report yet; npx limitline reconcile makes one'),
  });
  await desk.limitline('import', 'q4.csv');
  const calm = await desk.limitline('reconcile');
  expect(calm).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^Nothing was found: all that we keep agrees\.\n/),
  });
  expect(calm.stdout.replace(/\s+/g, ' ')).toContain(NO_MORE_WORDS);

  const context = await openContextOf(desk);
  await context.ledger.hincrby(context.keys.sums('q4', 'a'), 'rows', 5);
  const found = await desk.limitline('reconcile', '--json');
  expect(found.status).toBe(2);
  const { findings, gone, report } = JSON.parse(found.stdout);
  expect(findings).toMatchObject([{ portfolio: 'q4', check: 'counts', change: 'new', isMended: true }]);
  expect([gone, report.by]).toEqual([[], expect.stringContaining('command line')]);
  expect(await readFile(join(report.files.folder, 'items.csv'), 'utf8')).toContain('\r\nledger,Counts and sums');
  expect(await readFile(join(report.files.folder, 'report.html'), 'utf8')).toContain('<title>Nightly report of ');

  const again = await desk.limitline('reconcile', '--last');
  expect(again.status).toBe(2);
  expect(again.stdout).toMatch(/^1 finding, mended\. Since the report of .*: 1 new\.\n/);
  expect(again.stdout).toContain(`${report.files.folder}/report.html`);
  expect(await context.reports.list({ count: 9 })).toHaveLength(2);
  const { entries } = await context.audit.read.page({ count: 9, walk: 9, filter: { what: 'ledger reconciled' } });
  expect(entries).toHaveLength(4);
  expect(entries[0]?.facts).toEqual({ count: 1, items: 1, report: report.id });
});
