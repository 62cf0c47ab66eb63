import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openConsole, openDesk, uploadTo } from '../../support/desk.ts';

const HEADER = 'name,country_code,requested_limit';
const textOf = (...lines: string[]) => `${[HEADER, ...lines].join('\n')}\n`;
const [ACME, BETA, CEDAR, DELTA] = ['Acme GmbH,DE,1000', 'Beta AG,DE,2000', 'Cedar SE,DE,3000', 'Delta Ltd,GB,70'];

// Promise: given-up-rows-come-back-said
test('check, import and the console report cancelled rows that the file would request after all', async () => {
  const desk = await openDesk(0);
  const { cwd, limitline } = desk;
  await writeFile(join(cwd, 'q4.csv'), textOf(ACME, BETA, CEDAR));
  await limitline('import', 'q4.csv');
  // Beta is replaced by a corrected line, so it was not cancelled by anybody.
  await writeFile(join(cwd, 'beta.csv'), textOf('Beta AG,DE,2500'));
  await limitline('import', 'beta.csv', '--portfolio', 'q4');
  await limitline('cancel', 'q4');

  const file = textOf(ACME, 'Beta AG,DE,2500', DELTA);
  await writeFile(join(cwd, 'q4.csv'), file);
  const checked = await limitline('check', 'q4.csv', '--portfolio', 'q4');
  expect(checked.stdout).toContain(' 2 of these limits were given up before and would be requested after all.');
  const web = await openConsole(desk);
  const { location } = await uploadTo(web, ['file', 'q4.csv', file]);
  const look = async () => (await web.get(location)).text;
  await expect.poll(look).toContain('2 of them were given up before and are requested after all.');
  const of = /name="of" value="(\w+)"/.exec(await look())?.[1] ?? '';
  expect((await web.post(`${location}/confirm`, { of })).text).toContain('2 of them were given up before');

  const imported = await limitline('import', 'q4.csv');
  expect(imported.stderr).toContain('2 rows that had been given up are requested after all.');
  const again = await limitline('import', 'q4.csv');
  expect(again.stderr).not.toContain('given up');
  expect((await limitline('check', 'q4.csv', '--portfolio', 'q4')).stdout).not.toContain('given up');

  await writeFile(join(cwd, 'q4.csv'), textOf('Beta AG,DE,2000'));
  expect((await limitline('check', 'q4.csv', '--portfolio', 'q4')).stdout).not.toContain('given up');
});

// Promise: given-up-rows-come-back-said
test('rows cancelled in another portfolio are reported, unless a third portfolio requests them', async () => {
  const desk = await openDesk(0);
  const { cwd, limitline } = desk;
  const checked = async (file: string) => (await limitline('check', file)).stdout;
  const GIVEN_UP = 'of these limits was given up before and would be requested after all.';
  await writeFile(join(cwd, 'q4.csv'), textOf(ACME, BETA));
  await writeFile(join(cwd, 'copy.csv'), textOf(ACME, DELTA));
  await limitline('import', 'q4.csv');
  expect(await checked('copy.csv')).not.toContain('given up');
  await limitline('cancel', 'q4');

  expect(await checked('copy.csv')).toContain(` 1 ${GIVEN_UP}`);
  const imported = await limitline('import', 'copy.csv', '--json');
  expect(JSON.parse(imported.stdout)).toMatchObject({ rows: 2, revived: 1 });
  expect(imported.stderr).toContain('1 row that had been given up is requested after all.');
  expect(JSON.parse((await limitline('import', 'copy.csv', '--json')).stdout)).toMatchObject({ rows: 2, revived: 0 });

  await writeFile(join(cwd, 'third.csv'), textOf(ACME, BETA));
  expect(await checked('third.csv')).toContain(` 1 ${GIVEN_UP}`);

  // Acme waits in the copy, so only Beta comes back with the first list.
  expect((await limitline('check', 'q4.csv', '--portfolio', 'q4')).stdout).toContain(` 1 ${GIVEN_UP}`);
  expect(JSON.parse((await limitline('import', 'q4.csv', '--json')).stdout)).toMatchObject({ rows: 2, revived: 1 });
});
