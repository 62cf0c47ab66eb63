import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { importPortfolio } from '../../../jobs/import/import-portfolio.ts';
import { foreseeLacking } from '../../../jobs/import/lacking-rows.ts';
import { found } from '../../support/checked-ledger.ts';
import { openDesk } from '../../support/desk.ts';
import { acme, HEADER, importDepsOf, openCorrections, zinc } from '../../support/workplace.ts';

describe('rows of earlier imports that the file lacks', () => {
  // Promise: replace-cancels-unsent
  test('stay and are counted; --replace cancels those that were not sent and are not in an invalid line either', async () => {
    const { importLines, work, settled, dir, importFile, errors, requested, context } = await openCorrections('HRB 3"');
    await importLines(acme(1), 'Tin AG,DE,HRB 3,,3');
    const workers = await work();
    expect(await settled()).toMatchObject({ states: { done: 1, refused: 1 } });
    await workers.stop();
    await importLines(zinc(2), 'Lead AG,DE,HRB 4,,4');
    expect(await importLines(zinc(2))).toMatchObject({ rows: 1, lacking: 2, lackingSent: 1, givenUp: 0 });
    const path = join(dir, 'new.csv');
    // A row whose line is invalid is not lacking.
    const broken = `${HEADER},contact_email\n${zinc(2)},\nTin AG,DE,HRB 3,,3,nobody\n`;
    await writeFile(path, broken);
    expect(await importFile(path, {}, { replace: true })).toMatchObject({
      rows: 1,
      invalid: 1,
      lacking: 0,
      lackingSent: 1,
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

  // Promise: replace-cancels-unsent
  test('are cancelled by --replace if only their company call is in doubt, and stay if the limit call is', async () => {
    const lost = (on: 'company' | 'limit', match: string) =>
      ({ on, match, fault: 'reset', made: true, times: 1 }) as const;
    const place = await openCorrections([lost('company', 'Acme'), lost('limit', 'HRB 2"')]);
    await place.importLines(acme(1), zinc(2));
    const workers = await place.work();
    expect(await place.settled()).toMatchObject({ states: { held: 2 } });
    await workers.stop();
    const path = join(place.dir, 'new.csv');
    await writeFile(path, `${HEADER}\nTin AG,DE,HRB 3,,3\n`);
    expect(await foreseeLacking('q4', () => false, place.context)).toEqual({
      lacking: 1,
      lackingSent: 1,
      lackingNames: ['Acme AG', 'Zinc AG'],
      lackingOpen: 0,
    });
    expect(await place.importFile(path)).toMatchObject({ lacking: 1, lackingSent: 1, givenUp: 0 });
    expect(await place.importFile(path, {}, { replace: true })).toMatchObject({
      lacking: 0,
      lackingSent: 1,
      givenUp: 1,
    });
    expect(await place.report()).toMatchObject({ states: { held: 1, cancelled: 1, queued: 1 } });
    expect(await found(place)).toEqual([]);
  });

  test('are all counted if an invalid line is for a cancelled row', async () => {
    const { importLines, work, settled, dir, importFile, context } = await openCorrections();
    await importLines(acme(1), zinc(2));
    const workers = await work();
    await settled();
    await workers.stop();
    await importLines('Tin AG,DE,HRB 3,,3');
    await context.portfolios.cancel('q4');
    for (const { row } of await context.rows.inState('q4', 'queued', { count: 1 })) await context.rows.cancel(row);
    const path = join(dir, 'new.csv');
    await writeFile(path, `${HEADER},contact_email\nLead AG,DE,HRB 4,,4,\nTin AG,DE,HRB 3,,3,nobody\n`);
    expect(await importFile(path)).toMatchObject({ rows: 1, invalid: 1, lacking: 0, lackingSent: 2 });
  });

  // Promise: replace-cancels-unsent
  test.each([
    ['a header alone', ''],
    ['an invalid line alone', 'Tin AG,DE,HRB 3,,none\n'],
    ['a last line that is cut off', 'Tin AG,DE,HRB 3,,3\nLead AG,DE,HRB'],
  ])('are not cancelled by a file with %s', async (_, lines) => {
    const { importLines, dir, importFile } = await openCorrections();
    await importLines(acme(1), zinc(2));
    const path = join(dir, 'cut.csv');
    await writeFile(path, `${HEADER}\n${lines}`);
    expect(await importFile(path, {}, { replace: true })).toMatchObject({ lacking: 2, givenUp: 0 });
  });

  // Promise: replace-cancels-unsent
  test('stay, as check and the import say, if the file may be cut off within its last line', async () => {
    const { cwd, limitline } = await openDesk(0);
    await writeFile(join(cwd, 'q4.csv'), `${HEADER}\n${acme(1)}\n${zinc(2)}\n`);
    await limitline('import', 'q4.csv');
    await writeFile(join(cwd, 'cut.csv'), `${HEADER}\n${acme(1)}\nTin AG,DE,HRB`);
    const said =
      /1 row of an earlier import has no valid line in this file.*, and stays as it is\. The file ends within its last line/;
    const checked = await limitline('check', 'cut.csv', '--portfolio', 'q4');
    expect(checked.stdout).toMatch(said);
    expect(checked.stdout).not.toContain('--replace cancels');
    const imported = await limitline('import', 'cut.csv', '--portfolio', 'q4', '--replace');
    expect(imported.stderr).toMatch(said);
  });

  test('are not counted by a check of a pipe, which can be read only once', async () => {
    const { cwd, json, limitline } = await openDesk(0);
    await writeFile(join(cwd, 'q4.csv'), `${HEADER}\n${acme(1)}\n${zinc(2)}\n`);
    await limitline('import', 'q4.csv');
    const text = `${HEADER}\n${acme(3)}\n${zinc(2)}\n`;
    await writeFile(join(cwd, 'new.csv'), text);
    expect(await json('check', 'new.csv', '--portfolio', 'q4')).toMatchObject({ dryRun: { replaced: 1, lacking: 0 } });
    const pipe = join(cwd, 'pipe.csv');
    execFileSync('mkfifo', [pipe]);
    const [found] = await Promise.all([json('check', 'pipe.csv', '--portfolio', 'q4'), writeFile(pipe, text)]);
    expect(found).toMatchObject({ rows: 2, dryRun: { replaced: 0 } });
    expect(found.dryRun).not.toHaveProperty('lacking');
  });

  test('are not cancelled by an errors file, because --replace is refused for it', async () => {
    const { importLines, errors, dir, importFile } = await openCorrections();
    await importLines(acme(1), zinc(2));
    const path = join(dir, 'errors.csv');
    await writeFile(path, await errors());
    await expect(importFile(path, {}, { replace: true })).rejects.toMatchObject({ code: 'USAGE' });
  });

  // Promise: replace-cancels-unsent
  test('are not cancelled by an import that was stopped before the end of its file', async () => {
    const { importLines, dir, context } = await openCorrections();
    await importLines(acme(1));
    const path = join(dir, 'long.csv');
    const others = Array.from({ length: 300 }, (_none, n) => `Tin ${n},DE,HRB 9${n},,7`);
    await writeFile(path, `${[HEADER, ...others].join('\n')}\n`);
    const stop = new AbortController();
    const deps = { ...importDepsOf(context), onBatch: () => stop.abort(), stopping: stop.signal };
    const payload = { portfolio: 'q4', path, reading: {}, replace: true };
    await expect(importPortfolio(payload, deps)).rejects.toMatchObject({ code: 'STOPPED' });
    expect((await context.portfolios.read('q4')).states).toMatchObject({ cancelled: 0 });
  });
});
