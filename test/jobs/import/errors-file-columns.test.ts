import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDesk } from '../../support/desk.ts';
import { openCorrections } from '../../support/workplace.ts';

const LIST = 'name,country_code,Ort,Filiale,requested_limit\nAcme AG,XX,Ulm,7,1000\nZinc AG,DE,Bonn,8,2000\n';
const WORDS =
  'This errors file lacks the column Ort, which q4.csv has. Its lines are requested without it: if that is not meant, add it again.';

async function openErrors() {
  const desk = await openDesk(1);
  const write = (name: string, text: string) => writeFile(join(desk.cwd, name), text);
  await write('q4.csv', LIST);
  await desk.limitline('run', 'q4.csv', '--no-results');
  const errors = (await desk.limitline('report', 'q4', '--format', 'errors-csv')).stdout.replace('XX', 'DE');
  return { ...desk, write, errors };
}

// Promise: errors-file-lacks-columns
test('check and import name the columns that an errors file lost, and no others', async () => {
  const { limitline, write, errors } = await openErrors();
  await write('errors.csv', errors);
  expect((await limitline('check', 'errors.csv', '--portfolio', 'q4')).stdout).not.toContain('This errors file lacks');
  await write('errors.csv', errors.replace(',Ort,Filiale', '').replace(',Ulm,7', ''));
  const checked = await limitline('check', 'errors.csv', '--portfolio', 'q4');
  expect(checked.stdout).toContain(`file: ${WORDS} (a warning)`);
  expect(checked.status).toBe(0);
  expect((await limitline('import', 'errors.csv', '--portfolio', 'q4', '--yes')).stderr).toContain(WORDS);
});

test('an errors file is taken where the copy of the file before is gone', async () => {
  const { import: importLines, errors, dir, context, importFile } = await openCorrections();
  await importLines(LIST.trimEnd().split('\n'));
  const path = join(dir, 'errors.csv');
  await writeFile(
    path,
    (await errors())
      .replace('XX', 'DE')
      .replace(',Ort,', ',')
      .replace(/,(Ulm|Bonn),/g, ','),
  );
  await rm(join(context.settings.LIMITLINE_DATA, 'imports'), { recursive: true });
  expect(await importFile(path)).toMatchObject({ rows: 2, invalid: 0 });
});

// Promise: errors-file-lacks-columns
test('an errors file of several files names the columns that it lost of any of them', async () => {
  const { import: importLines, work, settled, errors, dir, importFile } = await openCorrections('"01002"');
  const header = 'name,country_code,company_registration_number';
  await importLines([`${header},requested_limit`, 'Acme AG,DE,01002,1000']);
  await work();
  await settled();
  await importLines([`${header},Ort,requested_limit`, 'Beta AG,XX,01003,Ulm,1000']);
  const whole = (await errors()).replace('XX', 'DE');
  expect(whole).toMatch(/line 2 with .*01002[\s\S]*line 2 with .*01003/);
  const path = join(dir, 'errors.csv');
  await writeFile(
    path,
    whole
      .replace(/,(Ort|city)(?=,)/, '')
      .replace(/(^Acme.*,1000),/m, '$1')
      .replace(',Ulm', ''),
  );
  const { warnings } = await importFile(path);
  expect(warnings.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/^This errors file lacks the column Ort, which /),
  );
});

// Promise: errors-file-lacks-columns
test('a value for all lines counts as a column of both files', async () => {
  const { limitline, write, errors } = await openErrors();
  const withoutCity = errors.replace(',Ort,Filiale', '').replace(',Ulm,7', '');
  await write('errors.csv', withoutCity);
  await write('ulm.json', '{"columns":{},"constants":{"city":"Ulm"}}');
  const check = (portfolio: string, ...more: string[]) =>
    limitline('check', 'errors.csv', '--portfolio', portfolio, ...more);
  expect((await check('q4', '--map', 'ulm.json')).stdout).not.toContain('This errors file lacks');
  await write('ulm.csv', 'name,country_code,requested_limit\nAcme AG,XX,1000\n');
  await limitline('run', 'ulm.csv', '--map', 'ulm.json', '--no-results');
  const made = (await limitline('report', 'ulm', '--format', 'errors-csv')).stdout.replace('XX', 'DE');
  await write('errors.csv', made);
  expect((await check('ulm')).stdout).not.toContain('This errors file lacks');
  await write('errors.csv', made.replace(',city,', ',').replace(',Ulm,', ','));
  expect((await check('ulm')).stdout).toContain('This errors file lacks the column city, which ulm.csv has.');
});

// Promise: errors-file-lacks-columns
test('a column that is sent by a path counts', async () => {
  const desk = await openDesk(1);
  const write = (name: string, text: string) => writeFile(join(desk.cwd, name), text);
  await write('q4.csv', LIST);
  await desk.limitline('run', 'q4.csv', '--no-results', '--map', 'Filiale=company.branch:number');
  const errors = (await desk.limitline('report', 'q4', '--format', 'errors-csv')).stdout.replace('XX', 'DE');
  expect(errors).toContain(',company.branch:number,');
  const check = () => desk.limitline('check', 'errors.csv', '--portfolio', 'q4');
  await write('errors.csv', errors);
  expect((await check()).stdout).not.toContain('This errors file lacks');
  await write(
    'errors.csv',
    errors.replace(',company.branch:number', '').replace(',Ulm,7', ',Ulm').replace(',7,1000', ',1000'),
  );
  expect((await check()).stdout).toContain('This errors file lacks the column Filiale, which q4.csv has.');
});
