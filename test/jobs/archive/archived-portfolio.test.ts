import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { archivePortfolio } from '../../../jobs/archive/archive-portfolio.ts';
import { restorePortfolio } from '../../../jobs/archive/restore-portfolio.ts';
import { recoverResults } from '../../../jobs/recover/recover-results.ts';
import { type Context, openContext } from '../../../src/context.ts';
import { ANY_DOCUMENT } from '../../../src/documents/folder.ts';
import { makeSilentLog } from '../../../src/log.ts';
import { retryRows } from '../../support/approved-portfolio.ts';
import { freshPrefix } from '../../support/ledger.ts';
import { acme, asking, checkedFile, exportedText, openCorrections, zinc } from '../../support/workplace.ts';

const signal = new AbortController().signal;
const NO_CALLS = { company: 0, document: 0, limit: 0, token: 0, throttled: 0 };

/** An archived portfolio with finished rows, and one that the service refused. */
async function openArchived() {
  const place = await openCorrections('"requested_limit":6666');
  const { context, importLines } = place;
  const lines = [acme(1000), zinc(2000), 'Tin AG,DE,HRB 3,,6666'];
  await place.work();
  await importLines(...lines);
  const before = { report: await place.settled(), results: await exportedText(context) };
  const archived = await archivePortfolio(context, 'q4', { by: 'alice', signal });
  return { ...place, lines, before, archived, importAgain: () => importLines(...lines) };
}

/** The warnings of `check` about other requests, for a file that is not imported yet. */
async function foreseen(path: string, portfolio: string, context: Context): Promise<string[]> {
  const { warnings, invalid } = await checkedFile({ path, portfolio }, context);
  expect(invalid).toEqual([]);
  return warnings.map(({ message }) => message).filter((message) => message.includes('another request'));
}

// Promise: archived-not-requested-again
test('archived requests are not sent again, and a corrected amount gets a warning of them', async () => {
  const { importAgain, import: bring, settled, requested, context, dir, standIn } = await openArchived();
  const archived = 'q4 is archived: npx limitline restore "q4" brings its rows back.';
  await expect(importAgain()).rejects.toMatchObject({ code: 'USAGE', message: archived });
  const path = join(dir, 'q4.csv');
  await expect(foreseen(path, 'q4', context)).rejects.toMatchObject({ code: 'USAGE', message: archived });
  const other =
    'The same buyer has another request, a line of portfolio q4 (1,000, done): this limit is requested as well.';
  await writeFile(path, asking(acme(1500)).join('\n'));
  expect(await foreseen(path, 'q5', context)).toEqual([other]);
  await bring(asking(acme(1000), zinc(2000)), { portfolio: 'q5' });
  expect(await settled('q5')).toMatchObject({ states: { skipped: 2, done: 0 }, calls: NO_CALLS });
  const ids = standIn.things('limit').map(({ id }) => id);
  const q5 = await exportedText(context, { portfolio: 'q5' });
  expect(ids.filter((id) => q5.includes(id))).toEqual(ids);
  const mended = await bring(asking(acme(1500)), { portfolio: 'q6' });
  expect(mended.warnings.map(({ message }) => message)).toContain(other);
  await settled('q6');
  expect(requested()).toEqual([1000, 1500, 2000]);
});

// Promise: restored-requests-nothing
test('a restored portfolio is unchanged, repeats no request, and can retry its refused row', async () => {
  const { importAgain, import: bring, settled, requested, context, before, standIn } = await openArchived();
  // Another portfolio with the same buyers is imported meanwhile.
  const bringing = bring(asking(acme(1000), zinc(2500)), { portfolio: 'q5' });
  await Promise.all([bringing, restorePortfolio(context, 'q4', { signal })]);
  await settled('q5');
  expect(await exportedText(context)).toBe(before.results);
  // A token call may be counted after the last row is done.
  const { calls } = before.report;
  expect(await settled('q4')).toEqual({ ...before.report, calls: { ...calls, token: expect.any(Number) } });
  const search = await context.rows.page('q4', { text: 'zinc' }, { count: 5 });
  expect(search.found.map(({ result }) => result.request.name)).toEqual(['Zinc AG']);
  standIn.setFaults({ rules: [] });
  expect(await retryRows({ portfolio: 'q4', state: 'refused' }, context)).toEqual({ rows: 1 });
  expect((await settled('q4')).states).toMatchObject({ done: 3, refused: 0 });
  await importAgain();
  expect(await settled('q4')).toMatchObject({ states: { done: 3 }, causes: [] });
  expect(requested()).toEqual([1000, 2000, 2500, 6666]);
  expect(await context.portfolios.compare(['q4'])).toEqual([]);
});

test('the results file of an archive recovers a lost Redis', async () => {
  const { archived, context, dir, requested } = await openArchived();
  const prefix = { LIMITLINE_PREFIX: freshPrefix() };
  const lost = await openContext({ settings: { ...context.settings, ...prefix }, log: makeSilentLog() });
  onTestFinished(() => lost.close());
  await expect(restorePortfolio(lost, 'q4', { signal })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const path = join(dir, 'q4.results.csv');
  await writeFile(path, gunzipSync(await readFile(join(archived.folder, 'results.csv.gz'))));
  const recovered = await recoverResults({ path, write: true }, { ...lost, signal, documents: ANY_DOCUMENT } as never);
  expect(recovered).toMatchObject({ rows: 3, put: { limit: 2, company: 3 } });
  expect(requested()).toEqual([1000, 2000]);
});
