import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { expect, test } from 'vitest';
import { moneyNotes } from '../../../src/ledger/counts/money.ts';
import { retryRows } from '../../support/approved-portfolio.ts';
import {
  acme,
  asking,
  HEADER as CORRECTIONS_HEADER,
  exportedText,
  openCorrections,
  openWorkplace,
  zinc,
} from '../../support/workplace.ts';

const HEADER = 'name,request_reference,requested_limit,currency,contact_email';

test('each left-out line counts once with its amount, however often its file is imported', async () => {
  const { import: importLines, report } = await openWorkplace();
  const all = [
    HEADER,
    'Acme,R1,100.10,EUR,',
    'Beta,R2,20.05,EUR,nobody',
    'Acme,R1,100.10,EUR,',
    'Gamma,R3,many,EUR,',
    'Total,,220.25,,',
  ];
  for (let time = 0; time < 2; time += 1) {
    await importLines(all);
    expect((await report())?.money).toMatchObject({
      in_file: { lines: 5, amount: '220.25' },
      left_out: { lines: 4, amount: '120.15', without_amount: 2 },
      waiting: { lines: 1, amount: '100.10' },
    });
  }
  // An invalid line whose request already has a row counts as that row.
  await importLines([HEADER, 'Acme,R1,100.10,EUR,nobody', 'Beta,R2,20.05,EUR,']);
  expect((await report())?.money).toMatchObject({
    in_file: { lines: 2, amount: '120.15' },
    left_out: { lines: 0, amount: '0.00' },
    waiting: { lines: 2, amount: '120.15' },
  });
});

// Promise: other-currency-in-no-sum
test('an amount in another currency is in no sum of the left-out lines', async () => {
  const { import: importLines, report } = await openWorkplace();
  await importLines([
    HEADER,
    'Acme,R1,100.10,EUR,',
    'Beta,R2,20.05,USD,nobody',
    'Gamma,R3,7 USD,,',
    'Delta,R4,? 9,EUR,',
    'Eta,R5,0,EUR,',
    'Theta,R6,many,EUR,',
  ]);
  expect((await report())?.money).toMatchObject({
    in_file: { lines: 6, amount: '100.10' },
    left_out: { lines: 5, amount: '0.00', without_amount: 5, in_another_currency: 3 },
  });
});

test('the report gives the reason why an amount is in no sum, until a later import changes it', async () => {
  const { import: importLines, report } = await openWorkplace();
  const header = 'name,request_reference,requested_limit';
  const said = async () => {
    const found = await report();
    return found ? moneyNotes(found.money, found) : [];
  };
  await importLines([header, 'Acme,R1,100 USD', 'Beta,R2,5.00 EUR', 'Gamma,R3,99999999999999999.99', 'Delta,R4,many']);
  expect(await said()).toEqual([
    'Of the lines left out, 1 is in another currency, 1 has an amount of too many digits, 1 is a total or has no amount above zero that can be read: they are in no sum, and among the lines to fix.',
  ]);
  await importLines([header, 'Acme,R1,100 USD', 'Beta,R2,5.00 EUR']);
  expect(await said()).toEqual([
    'Of the lines left out, 1 is in another currency: it is in no sum, and among the lines to fix.',
  ]);
  await importLines([header, 'Acme,R1,100 USD', 'Beta,R2,5.00 USD']);
  expect(await said()).toEqual([]);
  await importLines([header, 'Acme,R1,100 USD', 'Total,,100 USD']);
  expect(await said()).toEqual([
    'Of the lines left out, 1 is a total or has no amount above zero that can be read: it is in no sum, and among the lines to fix.',
  ]);
});

test('an amount in thousands counts as unreadable', async () => {
  const { import: importLines, report } = await openWorkplace();
  await importLines(['name,country_code,requested_limit,unit', 'Acme,DE,1000,', 'Beta,DE,7,TEUR']);
  expect((await report())?.money.left_out).toEqual({ lines: 1, amount: '0.00', without_amount: 1 });
});

// Promise: faulty-line-of-replaced-row
test('an invalid line whose row was cancelled or replaced counts as left out, in results and errors file', async () => {
  const { importLines, importFile, report, results, errors, dir, work, settled, ...place } = await openCorrections();
  const isLeftOut = async (amount: string, problem: unknown) => {
    expect((await report())?.money.left_out).toEqual({ lines: 1, amount });
    expect((await results()).filter(({ state }) => state === 'cancelled')).toMatchObject([
      { name: 'Acme AG', problem },
    ]);
    const inErrors: { name: string }[] = parse(await errors(), { columns: true });
    expect(inErrors.filter(({ name }) => name === 'Acme AG')).toHaveLength(1);
  };
  await importLines(acme(1000), zinc(7));
  const path = join(dir, 'without.csv');
  await writeFile(path, `${asking(zinc(7)).join('\n')}\n`);
  expect(await importFile(path, {}, { replace: true })).toMatchObject({ givenUp: 1 });
  await place.import([`${CORRECTIONS_HEADER},contact_email`, `${acme(1000)},nobody`, `${zinc(7)},`]);
  await isLeftOut('1000.00', expect.stringMatching(/^contact_email: .*; given up/));
  expect((await report())?.money.in_file).toMatchObject({ lines: 2, amount: '1007.00' });
  // The row was retried. It counts, and its invalid line no longer does.
  expect(await retryRows({ portfolio: 'q4', state: 'cancelled', line: 2 }, place.context)).toEqual({ rows: 1 });
  expect((await report())?.money).toMatchObject({ in_file: { lines: 2, amount: '1007.00' }, left_out: { lines: 0 } });
  // The first file is imported again after its replacing amount was sent. Its line counts beside the replaced row.
  await importLines(acme(1000), zinc(7));
  await importLines(acme(2000), zinc(7));
  await work();
  await settled();
  await importLines(acme(1000), zinc(7));
  await isLeftOut('1000.00', expect.stringMatching(/^requested_limit: .* replaced it and was sent/));
  expect((await report())?.money.in_file).toMatchObject({ lines: 3, amount: '3007.00' });
});

// Promise: lines-no-longer-named
test('import counts left-out lines that reports no longer show because another file was imported', async () => {
  const { import: importLines, importFile, context, dir } = await openWorkplace();
  await importLines([
    HEADER,
    'Acme,R1,100,EUR,',
    'Beta,R2,20,EUR,nobody',
    'Acme,R1,100,EUR,',
    'Gamma,R3,many,EUR,',
    'Delta,R4,5,EUR,nobody',
  ]);
  // An invalid line whose request has a row counts as that row, and is in no errors file.
  await importLines([
    HEADER,
    'Acme,R1,100,EUR,nobody',
    'Beta,R2,20,EUR,nobody',
    'Gamma,R3,many,EUR,',
    'Delta,R4,,EUR,',
  ]);
  const [header = '', ...lines] = (await exportedText(context, { only: 'errors' })).trim().split('\n');
  const cut = join(dir, 'cut.csv');
  const mended = lines.filter((line) => line.startsWith('Beta')).map((line) => line.replace('nobody', 'b@beta.de'));
  await writeFile(cut, `${[header, ...mended].join('\n')}\n`);
  expect(await importFile(cut)).toMatchObject({ rows: 1, invalid: 0, gone: 2, goneFile: 'q4.csv' });
  // The file is now the last import itself, and lacks nothing.
  expect(await importFile(cut)).toMatchObject({ gone: 0 });
  const whole = join(dir, 'whole.csv');
  await importLines([HEADER, 'Gamma,R3,many,EUR,', 'Delta,R4,,EUR,']);
  // The same file again contains the same lines.
  await writeFile(join(dir, 'q4.csv'), `${[HEADER, 'Gamma,R3,many,EUR,', 'Delta,R4,,EUR,'].join('\n')}\n`);
  expect(await importFile(join(dir, 'q4.csv'))).toMatchObject({ gone: 0 });
  await writeFile(whole, await exportedText(context, { only: 'errors' }));
  expect(await importFile(whole)).toMatchObject({ invalid: 2, gone: 0 });
  // Any other file hides them: reports show its own lines from now on.
  expect(await importLines([HEADER, 'Beta,R5,20,EUR,'])).toMatchObject({ gone: 2 });
});

// Promise: lines-no-longer-named
test('a line that the new file contains or corrects does not count as gone', async () => {
  const { importFile, dir } = await openWorkplace();
  const bring = async (name: string, ...lines: string[]) => {
    await writeFile(join(dir, name), `${[HEADER, ...lines].join('\n')}\n`);
    return importFile(join(dir, name), {}, { portfolio: 'q4' });
  };
  await bring('jan.csv', 'Acme,R1,100,EUR,', 'Beta,R2,xx,EUR,', 'Gamma,R3,many,EUR,', 'Delta,R4,,EUR,');
  const corrected = ['Beta,R2,310,EUR,', 'Delta,R4,,EUR,'];
  // One line is corrected, one is unchanged, and one is missing.
  const second = await bring('jan.csv', 'Acme,R1,100,EUR,', ...corrected);
  expect(second).toMatchObject({ invalid: 1, gone: 1 });
  // The missing line is not in the current file of this name, so no file is suggested.
  expect(second).not.toHaveProperty('goneFile');
  // Another reference is another request.
  const february = await bring('feb.csv', 'Acme,R1,100,EUR,', 'Delta,R5,,EUR,');
  expect(february).toMatchObject({ gone: 1, goneFile: 'jan.csv' });
  expect(await bring('march.csv', 'Delta,R5,50,EUR,')).toMatchObject({ gone: 0 });
});

// Promise: lines-no-longer-named
test.each<[string, string[], number]>([
  ['corrects both in another order', ['Gamma,R3,300,EUR,', 'Acme,R1,100,EUR,', 'Beta,R2,310,EUR,'], 0],
  ['has only another line of the buyer, which was there before', ['Beta,R9,90,EUR,', 'Gamma,R3,300,EUR,'], 1],
  ['corrects one of two', ['Acme,R1,100,EUR,', 'Gamma,R3,300,EUR,'], 1],
])('import counts the invalid lines that are gone: a file of the same name %s', async (_name, lines, gone) => {
  const { importFile, dir } = await openWorkplace();
  const bring = async (...lines: string[]) => {
    await writeFile(join(dir, 'jan.csv'), `${[HEADER, ...lines].join('\n')}\n`);
    return importFile(join(dir, 'jan.csv'), {}, { portfolio: 'q4' });
  };
  await bring('Acme,R1,100,EUR,', 'Beta,R9,90,EUR,', 'Beta,R2,xx,EUR,', 'Gamma,R3,many,EUR,');
  expect(await bring(...lines)).toMatchObject({ invalid: 0, gone });
});

// Promise: lines-no-longer-named
test('one line of a file of the same name corrects at most one invalid line, and none without a name', async () => {
  const { importFile, dir } = await openWorkplace();
  const bring = async (...lines: string[]) => {
    await writeFile(join(dir, 'jan.csv'), `${['name,city,requested_limit', ...lines].join('\n')}\n`);
    return importFile(join(dir, 'jan.csv'), {}, { portfolio: 'q4' });
  };
  await bring('Acme,Ulm,100', 'Beta,Ulm,xx', 'Beta,Ulm,yy', ',Ulm,300');
  expect(await bring('Gamma,Ulm,300', 'Acme,Ulm,100', 'Acme,Ulm,7', 'Beta,Ulm,310')).toMatchObject({ gone: 3 });
});

// Promise: lines-no-longer-named
test.each<[string, string[], string[], number]>([
  ['the line below, which moved up', ['Acme,Ulm,1o00', 'Acme,Ulm,500'], ['Acme,Ulm,500'], 1],
  ['another buyer, where no cell was sound', [',,abc'], ['Beta,,500'], 1],
  ['the corrected line, and the one below', ['Acme,Ulm,1o00', 'Acme,Ulm,500'], ['Acme,Ulm,1000', 'Acme,Ulm,500'], 0],
])(
  'import counts the gone lines if a file of the same name has, in place of an invalid line, %s',
  async (_name, before, after, gone) => {
    const { importFile, dir } = await openWorkplace();
    const bring = async (lines: string[]) => {
      await writeFile(join(dir, 'jan.csv'), `${['name,city,requested_limit', ...lines].join('\n')}\n`);
      return importFile(join(dir, 'jan.csv'), {}, { portfolio: 'q4' });
    };
    await bring(before);
    expect(await bring(after)).toMatchObject({ invalid: 0, gone });
  },
);

// Promise: lines-no-longer-named
test('an errors file with its header alone lacks all lines of its file', async () => {
  const { import: importLines, importFile, context, dir } = await openWorkplace();
  await importLines([HEADER, 'Acme,R1,100,EUR,', 'Beta,R2,many,EUR,', 'Gamma,R3,many,EUR,']);
  const [header] = (await exportedText(context, { only: 'errors' })).split('\n');
  const path = join(dir, 'errors.csv');
  await writeFile(path, `${header}\n`);
  expect(await importFile(path)).toMatchObject({ lines: 0, isPart: true, gone: 2, goneFile: 'q4.csv' });
  // Nothing is left that another one could lack.
  await writeFile(path, `${header}\n\n`);
  expect(await importFile(path)).toMatchObject({ gone: 0 });
});

// Promise: lines-no-longer-named
test('an errors file with rows of an earlier file alone lacks the faulty lines of the last one', async () => {
  const { import: importLines, importFile, context, dir } = await openWorkplace();
  await importLines([HEADER, 'Acme,R1,many,EUR,']);
  const [header, first] = (await exportedText(context, { only: 'errors' })).split('\r\n');
  await importLines([HEADER, 'Beta,R2,many,EUR,', 'Gamma,R3,many,EUR,']);
  const second = await exportedText(context, { only: 'errors' });
  const bring = async (text: string) => {
    const path = join(dir, 'errors.csv');
    await writeFile(path, text);
    return importFile(path);
  };
  expect(await bring(`${header}\n${first}\n`)).toMatchObject({ lines: 1, isPart: true, gone: 2 });
  // A copy of the last file that cannot be read stops no import.
  const { file } = await context.portfolios.read('q4');
  await writeFile(context.imports.open(file?.id ?? '').path, 'PK\u0003\u0004');
  expect(await bring(second.split('\r\n').slice(0, 2).join('\n'))).toMatchObject({ lines: 1, gone: 1 });
  // The errors file of a file whose errors file was imported since has the same lines.
  await importLines([HEADER, 'Beta,R2,many,EUR,', 'Gamma,R3,many,EUR,']);
  expect(await bring(second)).toMatchObject({ invalid: 2, gone: 0 });
  expect(await bring(second.replaceAll('many', 'lots'))).toMatchObject({ invalid: 2, gone: 0 });
});

// Promise: line-of-unknown-origin
test('a line of an errors file without its origin does not count as gone', async () => {
  const { import: importLines, importFile, context, dir } = await openWorkplace();
  await importLines([HEADER, 'Acme,R1,100,EUR,nobody', 'Beta,R2,many,EUR,', 'Gamma,R3,many,EUR,']);
  const [header = '', ...lines] = (await exportedText(context, { only: 'errors' })).trim().split('\r\n');
  const emptied = lines.map((line) => line.replace(/q4 #[0-9a-f]{12} line \d+$/, ''));
  const bring = async (...kept: (string | undefined)[]) => {
    const path = join(dir, 'errors.csv');
    await writeFile(path, `${[header, ...kept].join('\n')}\n`);
    return importFile(path);
  };
  expect(emptied[0]).not.toBe(lines[0]);
  // One line is missing, and one may be either of the two others.
  expect(await bring(lines[0], emptied[1])).toMatchObject({ gone: 1, unknownOrigin: 1 });
  await importLines([HEADER, 'Acme,R1,100,EUR,nobody', 'Beta,R2,many,EUR,', 'Gamma,R3,many,EUR,']);
  expect(await bring(...emptied)).toMatchObject({ gone: 0, unknownOrigin: 3 });
});

// Promise: line-of-unknown-origin
test.each<[string, string[], object]>([
  ['says which lines these were', ['limitline_line', 'limitline_account'], { gone: 1, unknownOrigin: 0 }],
  ['does not say which of them is left', ['limitline_from'], { gone: 1, unknownOrigin: 1 }],
])(
  'import counts a deleted line as gone, and one of unknown origin as unknown: an errors file with deleted columns %s',
  async (_name, deleted, found) => {
    const { import: importLines, importFile, context, dir } = await openWorkplace();
    await importLines([HEADER, 'Acme,R1,100,EUR,nobody', 'Beta,R2,many,EUR,']);
    const lines: string[][] = parse(await exportedText(context, { only: 'errors' }));
    const kept = lines[0]?.map((name) => !deleted.includes(name)) ?? [];
    const path = join(dir, 'errors.csv');
    const text = stringify(lines.slice(0, 2).map((cells) => cells.filter((_cell, at) => kept[at])));
    await writeFile(path, text.replace('nobody', 'a@b.example'));
    expect(await importFile(path)).toMatchObject({ rows: 1, invalid: 0, isPart: true, ...found });
  },
);
