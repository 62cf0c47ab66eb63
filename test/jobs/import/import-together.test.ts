import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { importPortfolio } from '../../../jobs/import/import-portfolio.ts';
import { openContext } from '../../../src/context.ts';
import { makeSilentLog } from '../../../src/log.ts';
import { startCommand } from '../../support/command.ts';
import { openFaultPlace } from '../../support/fault-place.ts';
import { buyerLines, importDepsOf, openWorkplace } from '../../support/workplace.ts';

type Place = Awaited<ReturnType<typeof openWorkplace>>;

/** A header and so many lines that lead to rows. After every seventh line follows an invalid or a duplicate one. */
function mixedLines(rows: number, from = 1) {
  const [header = '', ...good] = buyerLines(from - 1 + rows);
  const lines = [header];
  let [invalid, duplicate] = [0, 0];
  for (const [place, line] of good.slice(from - 1).entries()) {
    lines.push(line);
    if (place % 7 !== 6) continue;
    const isBroken = place % 2 === 0;
    lines.push(isBroken ? `Broken ${place},Atlantis,,1` : line);
    if (isBroken) invalid += 1;
    else duplicate += 1;
  }
  return { text: `${lines.join('\n')}\n`, rows, invalid, duplicate, lines: lines.length - 1 };
}

/** An import with a ledger connection of its own, as in another process. `onBatch` may delay it between two batches. */
async function importAs(place: Place, path: string, onBatch: () => void = () => {}) {
  const own = await openContext({ settings: place.context.settings, log: makeSilentLog() });
  const stopping = new AbortController().signal;
  const payload = { portfolio: 'q4', path, reading: {}, replace: false };
  try {
    return await importPortfolio(payload, { ...importDepsOf(own), onBatch, stopping });
  } finally {
    await own.close();
  }
}

/** The counts that a report has to show for a file. */
const counted = ({ lines, rows, invalid, duplicate }: ReturnType<typeof mixedLines>) => ({
  lines,
  rows,
  invalid,
  duplicate,
});

// Promise: every-line-accounted-for
test('one file imported twice simultaneously has each of its lines counted once', async () => {
  const place = await openWorkplace();
  const file = mixedLines(600);
  const path = join(place.dir, 'q4.csv');
  await writeFile(path, file.text);
  let over = false;
  let most = 0;
  const looking = (async () => {
    while (!over) {
      const { startedMs } = await place.context.portfolios.read('q4');
      if (startedMs) most = Math.max(most, (await place.report()).lines);
    }
  })();
  await Promise.all([importAs(place, path), importAs(place, path)]);
  over = true;
  await looking;
  expect(await place.report()).toMatchObject(counted(file));
  expect(most).toBeLessThanOrEqual(file.lines);
});

test('after two simultaneous imports the report shows all rows, and the faulty lines of the later import', async () => {
  const place = await openWorkplace();
  const [early, late] = [mixedLines(600), mixedLines(300, 1_001)];
  await writeFile(join(place.dir, 'early.csv'), early.text);
  await writeFile(join(place.dir, 'late.csv'), late.text);
  let second: Promise<unknown> | undefined;
  await importAs(place, join(place.dir, 'early.csv'), () => {
    second ??= importAs(place, join(place.dir, 'late.csv'));
  });
  await second;
  const { invalid, duplicate } = late;
  const rows = early.rows + late.rows;
  expect(await place.report()).toMatchObject({ rows, invalid, duplicate, lines: rows + invalid + duplicate });
  expect((await place.context.portfolios.read('q4')).file?.fileName).toBe('late.csv');
});

test('a second import of the same file counts every line after the first was killed, and does not wait for it', async () => {
  const place = await openFaultPlace();
  const file = mixedLines(6_000);
  const path = join(place.dir, 'q4.csv');
  await writeFile(path, file.text);
  const command = startCommand(['import', path], { cwd: place.dir, env: place.childEnv });
  const { portfolios } = place.context;
  await expect.poll(async () => (await portfolios.read('q4')).invalid, { interval: 5 }).toBeGreaterThan(10);
  command.child.kill('SIGKILL');
  await command.ended;
  expect((await place.report()).rows).toBeLessThan(file.rows);
  await importAs(place, path);
  expect(await place.report()).toMatchObject({ ...counted(file), finished: null });
  await expect.poll(async () => (await portfolios.read('q4')).importing).toBe(false);
  expect(await portfolios.read('q4')).toMatchObject({ interrupted: false });
});

// Promise: replace-beside-another-import
test('--replace cancels no rows of a later import, and is refused while another import runs', async () => {
  const { import: importLines, context } = await openWorkplace();
  const later = { id: 'f'.repeat(64), fileName: 'later.csv', reading: '{}' };
  const lines = ['name,requested_limit', 'Zinc AG,2'];
  const other = await context.portfolios.startImport('q4', later);
  await expect(importLines(lines, { replace: true })).rejects.toMatchObject({ code: 'USAGE' });
  await other.end();
  await importLines(lines);
  const run = await context.portfolios.startReplacing('q4', later);
  await importLines(lines);
  const [found] = await context.rows.behind('q4', 'queued', { line: 0, count: 1 });
  if (!found || !run) throw new Error('no row or import');
  const problem = { step: 'limit', message: 'given up' } as const;
  const leaveOut = (begun: string) => context.rows.leaveOut(found.row, { importId: run.number, begun }, problem);
  expect([await leaveOut(run.begun), await leaveOut('99')]).toEqual([false, true]);
  await run.end();
});
