import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type FormFile, openConsole, openDesk, plainText, unmarked, uploadTo } from '../../../support/desk.ts';

const CSV = `name,country_code,website,requested_limit,currency
Alder GmbH,DE,ftp://alder.example,1000,EUR
Birch GmbH,DE,ftp://birch.example,2000,EUR
Cedar GmbH,DE,,much,EUR
Dogwood GmbH,DE,,4000.50,EUR
`;

// Promises: dialog-before-import, preview-counts-new-requests
test('import and removal need a confirmation, and problem lines are corrected by column, left out and restored by version', async () => {
  const desk = await openDesk(1);
  const web = await openConsole(desk);
  const { location } = await uploadTo(web, ['file', 'q9.csv', CSV]);
  const look = async (query = '') => (await web.get(`${location}${query}`)).text;
  await expect.poll(() => look()).toContain('2 × <bdi>website</bdi>');
  const column = await look('?list=problems&column=website');
  expect(column).toContain('Alder GmbH');
  expect(column).not.toContain('value="Cedar GmbH"');
  // The name of the buyer is the first field of a line, and the field with the problem follows.
  expect(column).toMatch(/Line 2, name[\s\S]*Line 2, website[\s\S]*Line 2, country_code/);

  const list = { list: 'problems', column: 'website' };
  const nothing = await web.post(`${location}/mend`, {
    ...list,
    version: '1',
    everywhere: 'yes',
    from: 'gopher',
    to: '',
  });
  expect(nothing).toMatchObject({ status: 422, text: expect.stringContaining('“gopher”') });
  const all = { ...list, version: '1', everywhere: 'yes', from: 'ftp:', to: 'https:', 'leave-3': 'yes' };
  expect((await web.post(`${location}/mend`, all)).status).toBe(303);
  await expect.poll(() => look()).toContain('Request all: 2 limits, EUR 5,000.50 in total');
  expect(await look()).toContain('This is version 2.');
  expect(await look()).toMatch(
    /The largest requests[\s\S]*Dogwood GmbH[\s\S]*EUR[^<]*<\/bdi> <data class="amount" value="4000.5">/,
  );
  expect(await look()).toMatch(/What version 2 changed[\s\S]*<bdi>ftp:[^<]*<\/bdi>[\s\S]*<bdi>https:/);

  expect((await web.post(`${location}/back`, { version: '2', to: '1' })).status).toBe(303);
  await expect.poll(() => look()).toContain('This is version 3, the same as version 1.');
  const corrected = await look('?list=problems&column=website');
  const ids = [...corrected.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  expect(corrected).toContain('Replace in all');
  expect(ids.filter((id, place) => ids.indexOf(id) !== place)).toEqual([]);
  expect((await web.post(`${location}/back`, { version: '2', to: '1' })).status).toBe(409);
  expect((await web.post(`${location}/back`, { version: '3', to: '2' })).status).toBe(303);
  await expect.poll(() => look()).toContain('Request all: 2 limits, EUR 5,000.50 in total');

  const of = /name="of" value="(\w+)"/.exec(await look())?.[1] ?? '';
  expect((await web.post(`${location}/confirm`, { of: 'other' })).status).toBe(409);
  expect((await web.post(`${location}/confirm`, { of, total: 'a lot' })).status).toBe(422);
  const { text } = await web.post(`${location}/confirm`, { of, total: '5.000,50', unsaved: '1' });
  expect(text).toMatch(
    /2 limits[\s\S]*EUR[\s\S]*<data class="amount" value="5000.5">5,000\.50[\s\S]*Time needed[\s\S]*q9[\s\S]*1 invalid, 1 by hand[\s\S]*Control total[\s\S]*5,000\.50[\s\S]*1 change of a line is not saved/,
  );
  expect(text).toMatch(/action="\/new\/[\w-]+\/submit"[\s\S]*name="total" value="5\.000,50"[\s\S]*Request 2 limits/);
  expect(await web.context.portfolios.names()).toEqual([]);

  // A wrong control total imports nothing, and the audit says so.
  expect((await web.post(`${location}/submit`, { of, total: '7' })).status).toBe(303);
  await expect.poll(() => look()).toContain('Nothing was imported.');
  const { entries } = await web.context.audit.read.page({ count: 20, walk: 99, filter: {} });
  const submitted = entries.find(({ what, facts }) => what === 'import submitted' && facts?.became !== undefined);
  expect(JSON.stringify(submitted?.facts)).toMatch(/"became":"nothing imported".*control total/);

  expect((await web.get(`${location}/remove`)).text).toMatch(/Remove <bdi>q9\.csv<\/bdi>\?[\s\S]*Keep it/);
  expect((await web.post(`${location}/remove`, {})).status).toBe(303);
  expect((await web.get(location)).status).toBe(404);
});

test('a file without a valid line cannot be imported, and the page gives the reason', async () => {
  const desk = await openDesk(1);
  const web = await openConsole(desk);
  const { location } = await uploadTo(web, ['file', 'q9.csv', CSV.split('\n').slice(0, 2).join('\n')]);
  await expect.poll(async () => (await web.get(location)).text).toContain('Nothing can be imported yet.');
  const { text } = await web.get(location);
  expect(text).toContain('No line of this file can be requested');
  expect(text).not.toMatch(/Import: nothing|Control total/);
  const of = /name="of" value="(\w+)"/.exec(text)?.[1] ?? '';
  for (const act of ['confirm', 'submit']) {
    const answer = await web.post(`${location}/${act}`, { of });
    expect(answer).toMatchObject({ status: 422, text: expect.stringContaining('No line of this file') });
  }
  expect(await web.context.portfolios.names()).toEqual([]);
});

test('the replacement in all lines is also offered when only one column has problems', async () => {
  const desk = await openDesk(1);
  const web = await openConsole(desk);
  const { location } = await uploadTo(web, ['file', 'q9.csv', CSV.replace('much', '3000')]);
  const look = async (query = '') => (await web.get(`${location}${query}`)).text;
  await expect.poll(() => look()).toContain('2 × <bdi>website</bdi>');
  expect(await look('?list=problems&column=website')).toContain('Replace in all');
});

test('the preview includes what the portfolio already has: another currency, companies and the sum for an approval', async () => {
  const desk = await openDesk(0, {}, { APPROVE_ABOVE: '3000' });
  const head = 'name,country_code,requested_limit,currency\n';
  const file = (currency: string) => `${head}Elm ${currency},DE,1000,${currency}\n`;
  await writeFile(join(desk.cwd, 'q9.csv'), file('EUR'));
  await desk.limitline('run', 'q9.csv', '--yes', '--no-results');
  const web = await openConsole(desk);
  const words = 'This file is in USD. This portfolio’s other files are in EUR. Sums of both have no currency.';
  const { location } = await uploadTo(web, ['file', 'q9.csv', `${file('USD')}Elm EUR,DE,1500,USD\nElm,DE,much,USD\n`]);
  const look = async () => (await web.get(location)).text;
  await expect.poll(look).toContain(words);
  // The companies are those of the limits, so this stands before the lines that are not requested.
  expect(plainText(await look())).toMatch(
    /About the limits: 1 of them is .* 1 of their companies exists already\. 1 line would not be requested/,
  );
  expect(unmarked(await look())).toContain(
    'The portfolio asks for 3,500.00 with this file, what was requested before included. That is above 3,000.00',
  );
  const of = /name="of" value="(\w+)"/.exec(await look())?.[1] ?? '';
  expect((await web.post(`${location}/confirm`, { of })).text).toContain(words);
  expect((await web.post(`${location}/portfolio`, { portfolio: 'usd' })).status).toBe(303);
  await expect.poll(look).toContain('Request all');
  expect(await look()).not.toContain('Sums of both');
});

// Promise: lacking-rows-said
test('the preview counts the rows that the file lacks, and the confirmation counts those that replacing cancels', async () => {
  const desk = await openDesk(1);
  await desk.limitline('run', 'q4.csv', '--yes', '--no-results');
  const head = 'name,country_code,requested_limit\n';
  await writeFile(join(desk.cwd, 'q4.csv'), `${head}Elm GmbH,DE,2000\n`);
  await desk.limitline('import', 'q4.csv', '--yes');
  const web = await openConsole(desk);
  const look = async (location: string) => plainText((await web.get(location)).text);
  const { location } = await uploadTo(web, ['file', 'q4.csv', `${head}Fir GmbH,DE,3000\n`]);
  await expect
    .poll(() => look(location))
    .toContain('2 rows are not in this file (1 of them not sent yet) and stay: Elm GmbH , Buyer 1 GmbH .');
  const confirmed = async (at: string) => {
    const of = /name="of" value="(\w+)"/.exec((await web.get(at)).text)?.[1] ?? '';
    return plainText((await web.post(`${at}/confirm`, { of, replace: 'yes' })).text);
  };
  expect(await confirmed(location)).toContain(
    '1 earlier row of this portfolio that is not in this file and was not sent yet is cancelled.',
  );
  const cut = await uploadTo(web, ['file', 'q4.csv', `${head}Fir GmbH,DE,3000\nElm GmbH,D`]);
  await expect.poll(() => look(cut.location)).toContain('2 rows are not in this file');
  expect(await confirmed(cut.location)).toContain('No earlier row is cancelled: the file ends within its last line');
  const whole = await uploadTo(web, ['file', 'q4.csv', `${head}Elm GmbH,DE,2000\nBuyer 1 GmbH,DE,9\n`]);
  await expect.poll(() => look(whole.location)).toContain('1 row is not in this file and stays: Buyer 1 GmbH .');
});

test('the confirmation of an import names the supplier if there is one', async () => {
  const web = await openConsole(await openDesk(1));
  const supplier: FormFile = ['supplier', 'us.csv', 'name,country_code\n<b>Us</b> GmbH,DE\n'];
  for (const more of [[], [supplier]]) {
    const { location } = await uploadTo(web, ['file', 'q9.csv', CSV], ...more);
    const look = async () => (await web.get(location)).text;
    await expect.poll(look).toContain('Control total');
    const of = /name="of" value="(\w+)"/.exec(await look())?.[1] ?? '';
    const { text } = await web.post(`${location}/confirm`, { of });
    if (more.length === 0) expect(text).not.toContain('<dt>Supplier</dt>');
    else expect(text).toMatch(/<dt>Supplier<\/dt><dd><bdi><bdi>&lt;b&gt;Us&lt;\/b&gt; GmbH<\/bdi>/);
  }
});
