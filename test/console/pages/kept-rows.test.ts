import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openConsole, openDesk, plainText, unmarked } from '../../support/desk.ts';
import { buyerLines } from '../../support/workplace.ts';

// Promise: kept-rows-linked
test('the page of a portfolio links rows that stay unchanged to their new lines and problems, and the first page counts these', async () => {
  const desk = await openDesk(3);
  await desk.limitline('run', 'q4.csv', '--no-results');
  const [header = '', first = '', ...others] = buyerLines(3);
  await writeFile(join(desk.cwd, 'q4.csv'), `${[header, first.replace('GmbH', 'SE'), ...others].join('\n')}\n`);
  await desk.limitline('import', 'q4.csv');
  const web = await openConsole(desk);
  const { text } = await web.get('/portfolios/q4');
  expect(unmarked(text)).toContain('1 row stays as it was: its line in the last import cannot be used.');
  const [, address = ''] = /href="([^"]+)">The line and its problem</.exec(text) ?? [];
  const lines = unmarked((await web.get(address.replaceAll('&amp;', '&'))).text);
  expect(lines).toContain('Lines of the file that led to no row');
  expect(lines).toContain('Buyer 1 SE');
  expect(lines).toContain('changed after it was requested (name differs; sent for');
  const board = plainText((await web.get('/')).text);
  expect(board).toMatch(/What waits for people .* 1 line to fix in q4 /);
});
