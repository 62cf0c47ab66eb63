import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkOverwritable } from '../../../scripts/report/output.ts';
import { makeStoreLooks } from '../../../src/documents/store.ts';
import { openDesk } from '../../support/desk.ts';
import { makeFolder } from '../../support/workplace.ts';

// Promise: out-spares-imported
test('a report overwrites an earlier report, but no file that was imported into its portfolio', async () => {
  const { limitline, read, cwd } = await openDesk(1);
  const list = await read('q4.csv');
  await limitline('import', 'q4.csv', '--yes');
  for (const format of ['csv', 'errors-csv']) {
    expect(await limitline('report', 'q4', '--format', format, '--out', 'q4.csv')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^limitline: q4\.csv is a file that was imported, .* with --out\.\n$/m),
    });
    expect(await read('q4.csv')).toBe(list);
  }
  const written = await limitline('report', 'q4', '--format', 'csv', '--out', 'results.csv');
  expect(written).toMatchObject({ status: 0 });
  expect(await limitline('report', 'q4', '--format', 'csv', '--out', 'results.csv')).toEqual(written);
  // An errors file may be overwritten by the next one after its import.
  await writeFile(join(cwd, 'q5.csv'), 'name,requested_limit\nAcme,none\n');
  await limitline('import', 'q5.csv', '--yes');
  const errors = ['report', 'q5', '--format', 'errors-csv', '--out', 'errors.csv'];
  await limitline(...errors);
  expect(await limitline('import', 'errors.csv', '--portfolio', 'q5', '--yes')).toMatchObject({ status: 2 });
  expect(await limitline(...errors)).toMatchObject({ status: 0 });
});

test('--out - means standard output, and makes no file of this name', async () => {
  const { limitline, start, cwd } = await openDesk(1);
  await limitline('run', 'q4.csv', '--no-results', '--yes');
  const [report = '', trail = ''] = await Promise.all([
    limitline('report', 'q4', '--format', 'csv').then(({ stdout }) => stdout),
    start('audit', 'export', '--out', '-').ended.then(({ stdout }) => stdout),
  ]);
  expect((await start('report', 'q4', '--format', 'csv', '--out', '-').ended).stdout).toBe(report);
  expect(trail).toContain('"what":"audit trail exported"');
  expect(await readdir(cwd)).not.toContain('-');
});

// Promise: out-spares-imported
test('no command overwrites a file that was imported into another portfolio', async () => {
  const { limitline, read, cwd } = await openDesk(1);
  await writeFile(join(cwd, 'q5.csv'), 'name,requested_limit\nAcme,100\n');
  await limitline('import', 'q4.csv', '--yes');
  await limitline('import', 'q5.csv', '--yes');
  const list = await read('q4.csv');
  for (const command of [
    ['report', 'q5', '--format', 'csv'],
    ['audit', 'export'],
    ['events', 'export'],
  ]) {
    expect(await limitline(...command, '--out', 'q4.csv')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^limitline: q4\.csv is a file that was imported, .* with --out\.\n$/m),
    });
    expect(await read('q4.csv')).toBe(list);
  }
});

// Promise: out-spares-lists
test('no command overwrites a list of buyers, also when it was edited after its import', async () => {
  const { limitline, read, cwd } = await openDesk(1);
  await limitline('import', 'q4.csv', '--yes');
  const list = `${await read('q4.csv')}Late GmbH,DE,HRB 77,5000\n`;
  await writeFile(join(cwd, 'q4.csv'), list);
  for (const format of ['csv', 'table']) {
    expect(await limitline('report', 'q4', '--format', format, '--out', 'q4.csv')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^limitline: q4\.csv is a list of buyers, .* with --out\.\n$/m),
    });
  }
  expect(await read('q4.csv')).toBe(list);
});

// Promise: out-spares-answers
test('no command overwrites a file with answers that somebody filled in', async () => {
  const { limitline, json, read, cwd } = await openDesk(2, {
    rules: [{ on: 'limit', match: 'HRB 2', fault: 'reset', made: true, times: 1 }],
  });
  // A column of the team's own that is called id has no answers.
  await writeFile(
    join(cwd, 'q4.csv'),
    (await read('q4.csv')).replace(/^(.*)$/gm, (line) =>
      line ? `${line},${line.startsWith('name') ? 'id' : '7'}` : '',
    ),
  );
  await limitline('run', 'q4.csv', '--yes');
  expect(await json('report', 'q4')).toMatchObject({ states: { done: 1, held: 1 } });
  const held = ['report', 'q4', '--state', 'held', '--out', 'held.csv'];
  const decided = ['report', 'q4', '--state', 'approved', '--format', 'csv', '--out', 'decided.csv'];
  const all = ['report', 'q4', '--format', 'csv', '--out', 'all.csv'];
  for (const command of [held, decided, all, held, decided, all]) {
    expect(await limitline(...command)).toMatchObject({ status: 0 });
  }
  for (const [command, name, answer] of [
    [held, 'held.csv', 'bl_1'],
    [decided, 'decided.csv', '2026-01-02'],
  ] as const) {
    const [header = '', line = ''] = (await read(name)).split('\r\n');
    const filled = `${header}\r\n${line}${answer}\r\n`;
    await writeFile(join(cwd, name), filled);
    expect(await limitline(...command)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^limitline: \S+\.csv has answers that somebody filled in, .* with --out\.\n$/m),
    });
    expect(await read(name)).toBe(filled);
  }
});

test.each([
  ['line;id\n3;bl_1\n', 'has answers'],
  ['buyer_limit_id,status,decided_at\nbl_1,approved,2026-01-02\n', 'has answers'],
  ['line;id\n3;\n', undefined],
  ['some text\n', undefined],
  ['', undefined],
  ['id,line of business\n7,trade\n', undefined],
  ['Firma;Betrag\nAcme;1000\n', 'is a list of buyers'],
])('a file with %j may be overwritten only when it has no list or answers', async (content, why) => {
  const out = join(await makeFolder(), 'out.csv');
  await writeFile(out, content);
  const storedFiles = makeStoreLooks({ dir: await makeFolder() });
  const checked = checkOverwritable(out, { storedFiles });
  if (why === undefined) await checked;
  else await expect(checked).rejects.toMatchObject({ code: 'USAGE', message: expect.stringContaining(why) });
});

test('any file may be overwritten when nothing was imported', async () => {
  const out = join(await makeFolder(), 'out.csv');
  await writeFile(out, '');
  const storedFiles = makeStoreLooks({ dir: await makeFolder() });
  await checkOverwritable(out, { storedFiles });
  await checkOverwritable(out, { storedFiles }, [{ id: 'other' }]);
});
