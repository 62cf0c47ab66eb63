import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { dryRunWords } from '../../../scripts/look/dry-run.ts';
import { acme, checkedFile, exportedText, HEADER, openCorrections, zinc } from '../../support/workplace.ts';

describe('the column row of an errors file', () => {
  // Promise: errors-file-own-portfolio-only
  test('keeps the file out of every other portfolio, and is written again in each round', async () => {
    const { importLines, dir, importFile, work, settled, errors, context, requested } = await openCorrections('HRB 1"');
    await importLines(acme(900), zinc(5));
    await work();
    await settled();
    const path = join(dir, 'q4.errors.csv');
    const round = (await errors()).replace(',900,', ',800,');
    await writeFile(path, round);
    // Under its own portfolio name, the line would be a request of its own beside the row that it corrects.
    const stray = await importFile(path, {}, { portfolio: 'q4.errors' });
    expect(stray.faults).toMatchObject([{ line: 0, column: 'row', value: expect.stringMatching(/^q4\//) }]);
    expect(stray.faults[0]?.message).toBe(
      'This errors file mends lines of portfolio "q4", not of "q4.errors" (the first is in line 2). Import it into that one: npx limitline run FILE --portfolio "q4".',
    );
    expect(await context.portfolios.names()).toEqual(['q4']);
    // A line that is still wrong keeps the id of the row that it corrects.
    await writeFile(path, round.replace(',800,', ',0,'));
    expect(await importFile(path)).toMatchObject({ invalid: 1 });
    const named = /,q4\/[\w-]{16},/.exec(round)?.[0] ?? 'none';
    const again = (await errors()).split('\n').filter((line) => line.includes(named));
    expect(again.some((line) => line.includes(',0,'))).toBe(true);
    expect(requested()).toEqual([5]);
  });

  // Promise: errors-file-own-account-only
  test.each([
    ['each line', (text: string) => text],
    ['one line', (text: string) => text.replace('https://prod.example', '')],
  ])('an import is refused if %s of an errors file belongs to another account', async (_case, change) => {
    const { dir, importFile, context } = await openCorrections();
    const account = 'https://prod.example';
    const line = (name: string) => `${name},5,q4/0123456789abcdef,,It is refused,${account},`;
    const header = 'name,requested_limit,row,limitline_line,problem,limitline_account,limitline_from';
    const path = join(dir, 'errors.csv');
    await writeFile(path, change([header, line('Acme AG'), line('Zinc AG'), ''].join('\n')));
    const stray = await importFile(path);
    expect(stray.faults).toMatchObject([{ line: 0, column: 'limitline_account', value: account }]);
    expect(stray.faults[0]?.message).toMatch(
      /^Line [23] belongs to account "https:\/\/prod\.example", but this is account "http:.*": set SERVICE_ACCOUNT or SERVICE_URL for that account and import the file there\. If .* limitline_account, write "http:.*" there again\.$/,
    );
    expect(await context.portfolios.names()).toEqual([]);
    // A file derived from an errors file still belongs to its account through limitline_account.
    await writeFile(path, `name,requested_limit,limitline_account\nAcme AG,5,${account}\n`);
    expect((await importFile(path)).faults).toHaveLength(1);
    await writeFile(path, `name,requested_limit,limitline_account\nAcme AG,5,${context.account}\nZinc AG,5,\n`);
    expect(await importFile(path)).toMatchObject({ faults: [], rows: 2 });
  });

  // Promise: check-counts-replaced-rows
  test('check and import count the same rows that the file would replace', async () => {
    const { importLines, dir, importFile, work, settled, errors, context } = await openCorrections('HRB 1"');
    await importLines(acme(900), zinc(5));
    await work();
    await settled();
    const path = join(dir, 'q4.errors.csv');
    await writeFile(path, (await errors()).replace(',900,', ',800,'));
    expect(dryRunWords(await checkedFile({ path }, context))).toContain(
      ' 1 row of an earlier import would be replaced by the line of this file that corrects it.',
    );
    expect(await importFile(path)).toMatchObject({ replaced: 1 });
  });

  // Promises: errors-file-names-row, errors-file-own-portfolio-only
  test('an errors file whose lines led to no row is kept out of other portfolios as well', async () => {
    const { import: importText, dir, importFile, errors, context } = await openCorrections();
    await importText(['name,requested_limit', 'Acme AG,much']);
    const path = join(dir, 'q4.errors.csv');
    const round = await errors();
    expect(round).toMatch(/,q4 #[0-9a-f]{12} line 2\r\n$/);
    await writeFile(path, round.replace('much', '5'));
    const stray = await importFile(path, {}, { portfolio: 'q4.errors' });
    expect(stray.faults[0]?.message).toMatch(/^This errors file mends lines of portfolio "q4", not of "q4.errors"/);
    expect(stray.faults).toMatchObject([{ column: 'limitline_from', value: 'q4' }]);
    expect(await context.portfolios.names()).toEqual(['q4']);
    // A portfolio name that a program damaged is ignored.
    await writeFile(path, round.replace('much', '5').replace(',q4 #', ',?ód? #'));
    expect(await importFile(path)).toMatchObject({ rows: 1, invalid: 0 });
  });

  test.each(['2026', '12'])(
    'limitline_from of an errors file does not look like a date, also in portfolio %s',
    async (portfolio) => {
      const { dir, importFile, context } = await openCorrections();
      const path = join(dir, 'first.csv');
      await writeFile(path, 'name,requested_limit\nAcme AG,much\n');
      await importFile(path, {}, { portfolio });
      const text = await exportedText(context, { only: 'errors', portfolio });
      const [row]: Record<string, string>[] = parse(text, { columns: true });
      const cell = row?.limitline_from ?? '';
      expect(cell).toMatch(new RegExp(`^${portfolio} #[0-9a-f]{12} line 2$`));
      const errors = join(dir, 'errors.csv');
      await writeFile(errors, text.replace('much', '5'));
      expect(await importFile(errors, {}, { portfolio })).toMatchObject({ rows: 1, invalid: 0 });
    },
  );

  // Promise: errors-file-names-row
  test('names the row that a line corrects, among several of one buyer and across rounds', async () => {
    const { importLines, dir, importFile, work, settled, errors, standIn, requested } = await openCorrections('HRB 1"');
    await importLines(acme(900), acme(700));
    await work();
    expect(await settled()).toMatchObject({ states: { refused: 2 } });
    const path = join(dir, 'errors.csv');
    const round = await errors();
    expect(round).toMatch(/,900,q4\/[\w-]{16},,"The service refused/);
    await writeFile(path, round.replace(',900,', ',800,'));
    expect(await importFile(path)).toMatchObject({ lines: 2, rows: 2, invalid: 0, replaced: 1 });
    await settled();
    // The same errors file with another correction means the row that took the place of the first.
    await standIn.setFaults({ rules: [] });
    await writeFile(path, round.replace(',900,', ',850,'));
    expect(await importFile(path)).toMatchObject({ lines: 2, rows: 2, invalid: 0, replaced: 1 });
    expect(await settled()).toMatchObject({ rows: 4, replaced: 2, states: { done: 2, cancelled: 2 } });
    expect(requested()).toEqual([700, 850]);
    expect(parse(await errors())).toHaveLength(1);
    // The row was sent, so it can no longer be corrected.
    await writeFile(path, round.replace(',900,', ',1,'));
    const late = await importFile(path);
    expect(late.problems).toMatchObject([
      { column: 'row', message: expect.stringMatching(/^changed after it was requested/) },
    ]);
  });

  test.each([
    ['nothing', (row: string) => row.slice(0, -1), /names no row/],
    ['an unknown row', (row: string) => `${row.slice(0, -3)}AAA`, /has no such row/],
  ])('is a problem if it names %s', async (_what, change, words) => {
    const { importLines, dir, importFile, errors } = await openCorrections();
    await importLines(acme(1));
    const path = join(dir, 'errors.csv');
    await writeFile(path, (await errors()).replace(',1,q4/', ',2,q4/').replace(/q4\/[\w-]{16}/, change));
    const imported = await importFile(path);
    expect(imported).toMatchObject({ rows: 0, invalid: 1 });
    expect(imported.problems).toMatchObject([{ line: 2, column: 'row', message: expect.stringMatching(words) }]);
  });

  test('is a problem if two lines correct one row, or one repeats it unchanged', async () => {
    const { importLines, dir, importFile, errors } = await openCorrections();
    await importLines(acme(1));
    const [header = '', line = ''] = (await errors()).split('\r\n');
    const path = join(dir, 'errors.csv');
    await writeFile(path, [header, line.replace(',1,', ',2,'), line.replace(',1,', ',3,')].join('\n'));
    expect(await importFile(path)).toMatchObject({ rows: 1, problems: [{ line: 3, column: 'row' }] });
    await writeFile(path, [header, line, line.replace(',1,', ',3,')].join('\n'));
    expect(await importFile(path)).toMatchObject({ rows: 1, problems: [{ line: 3, column: 'row' }] });
  });

  // Promise: check-names-every-problem
  test('is the same problem in check and import if a line of another buyer has the same row id', async () => {
    const { importLines, dir, importFile, errors, context } = await openCorrections();
    await importLines(acme(1));
    const [header = '', line = ''] = (await errors()).split('\r\n');
    const path = join(dir, 'errors.csv');
    const copied = line.replace('Acme', 'Oak').replace('HRB 1', 'HRB 9');
    await writeFile(path, [header, line.replace(',1,', ',2,'), copied].join('\n'));
    const foreseen = await checkedFile({ path }, context);
    expect(foreseen.invalid).toEqual([3]);
    const imported = await importFile(path);
    expect(imported).toMatchObject({ rows: 1, problems: [{ line: 3, column: 'row' }] });
    expect(imported.problems[0]?.message).toMatch(
      /: keep one of the two, or empty this cell if the line is another request\.$/,
    );
    expect(foreseen.lines.flatMap((one) => (one.kind === 'row' ? [] : one.problems))).toEqual(imported.problems);
  });

  test("is the team's own column in any other file", async () => {
    const place = await openCorrections();
    await place.import(['name,requested_limit,row', 'Acme AG,5,12']);
    expect(await place.import(['name,requested_limit,row', 'Acme AG,6,13'])).toMatchObject({ rows: 1, replaced: 1 });
  });
});

// Promise: errors-line-of-other-line
test.each([
  ['corrected', '2000', { rows: 1, replaced: 0 }, [1000, 2000]],
  ['still unreadable', '2OO0', { rows: 0, replaced: 0, invalid: 1 }, [1000]],
])(
  'a line that led to no row, alone in its errors file and %s, replaces no row of another line',
  async (_case, amount, imported, sent) => {
    const place = await openCorrections();
    const unreadable = acme(2000).replace('2000', '2O00');
    await place.importLines(acme(1000), unreadable);
    const path = join(place.dir, 'errors.csv');
    const [header = '', ...lines] = (await place.errors()).split('\r\n');
    const alone = lines.filter((line) => line.includes('2O00'));
    await writeFile(path, [header, ...alone].join('\n').replace('2O00', amount));
    const { before: _before, replaced, doubted } = await checkedFile({ path }, place.context);
    expect({ replaced, doubted }).toEqual({ replaced: 0, doubted: 0 });
    expect(await place.importFile(path)).toMatchObject(imported);
    await place.work();
    await place.settled();
    expect(place.requested()).toEqual(sent);
  },
);

// Promise: errors-file-after-its-file
test('a line of an errors file stays a problem in each round after its original file was corrected and sent', async () => {
  const place = await openCorrections();
  const path = join(place.dir, 'list.csv');
  const write = async (...lines: string[]) => {
    await writeFile(path, [HEADER, ...lines].join('\n'));
    return place.importFile(path);
  };
  await write(acme(1000).replace('1000', 'x'), zinc(5));
  const errors = join(place.dir, 'list.errors.csv');
  await writeFile(errors, (await place.errors()).replace(',x,', ',2000,'));
  await write(acme(1000), zinc(5));
  await place.work();
  await place.settled();
  for (const round of [1, 2]) {
    expect((await checkedFile({ path: errors }, place.context)).invalid, `check in round ${round}`).toEqual([2]);
    expect(await place.importFile(errors)).toMatchObject({
      problems: [
        { message: expect.stringMatching(/^A later import of the file that this line comes from requested a limit/) },
      ],
    });
    await writeFile(errors, await place.errors());
  }
  await place.settled();
  expect(place.requested()).toEqual([5, 1000]);
});

// Promise: errors-line-of-other-line
test('an errors file corrected in two parts requests both limits of one buyer', async () => {
  const place = await openCorrections();
  const [first, second] = [acme(1000).replace('1000', '1OOO'), acme(2000).replace('2000', '2O00')];
  await place.importLines(first, second);
  const path = join(place.dir, 'errors.csv');
  const errors = (await place.errors()).replace('1OOO', '1000').replace('2O00', '2000');
  const [header = '', one = '', two = ''] = errors.split('\r\n');
  for (const part of [one, two, two.replace('2000', '2500')]) {
    await writeFile(path, [header, part, ''].join('\n'));
    const isCorrected = part.includes('2500');
    expect((await checkedFile({ path }, place.context)).replaced).toBe(isCorrected ? 1 : 0);
    expect(await place.importFile(path)).toMatchObject({ rows: 1, replaced: isCorrected ? 1 : 0 });
  }
  await place.work();
  await place.settled();
  expect(place.requested()).toEqual([1000, 2500]);
});

// Promise: errors-file-after-its-file
test('a line of a second-round errors file is a problem only if its original file requested a limit since', async () => {
  const place = await openCorrections();
  const write = async (name: string, text: string) => {
    await writeFile(join(place.dir, name), text);
    return place.importFile(join(place.dir, name));
  };
  const list = (...lines: string[]) => [HEADER, ...lines].join('\n');
  await write('list.csv', list(acme(1000).replace('1000', 'x'), zinc(5).replace(',5', ',y')));
  await write('list.errors.csv', (await place.errors()).replace(',x,', ',z,'));
  const errors = (await place.errors()).replace(',z,', ',2000,').replace(',y,', ',7,');
  await write('list.csv', list(acme(1000)));
  await write('other.csv', list(zinc(6)));
  await place.work();
  await place.settled();
  await writeFile(join(place.dir, 'later.csv'), errors);
  const { lines, invalid } = await checkedFile({ path: join(place.dir, 'later.csv') }, place.context);
  expect({ lines: lines.length, invalid }).toEqual({ lines: 2, invalid: [2] });
  expect(await place.importFile(join(place.dir, 'later.csv'))).toMatchObject({
    rows: 1,
    problems: [
      { line: 2, message: expect.stringContaining('requested a limit of the same buyer, line 2 of portfolio') },
    ],
  });
  await place.settled();
  expect(place.requested()).toEqual([6, 7, 1000]);
});

// Promise: errors-file-after-its-file
test('an errors file saved under the name of its file can be corrected in parts and imported again', async () => {
  const place = await openCorrections();
  const path = join(place.dir, 'list.csv');
  const give = async (text: string) => {
    await writeFile(path, text);
    const invalid = (await checkedFile({ path }, place.context)).invalid.length;
    const imported = await place.importFile(path);
    expect(imported.invalid).toBe(invalid);
    return imported;
  };
  await give([HEADER, acme(1000).replace('1000', '1OOO'), acme(2000).replace('2000', '2O00')].join('\n'));
  const errors = (await place.errors()).replace('1OOO', '1000').replace('2O00', '2000');
  await give(errors.split('\r\n').slice(0, 2).join('\n'));
  await place.work();
  await place.settled();
  expect(await give(errors)).toMatchObject({ rows: 2, invalid: 0 });
  await place.settled();
  expect(place.requested()).toEqual([1000, 2000]);
});
