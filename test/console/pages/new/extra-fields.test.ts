import { expect, test } from 'vitest';
import { openConsole, openDesk, uploadTo } from '../../../support/desk.ts';

// Promise: mapped-fields-are-said
test('a column that is mapped to a path is shown as sent, and the confirmation names it', async () => {
  const web = await openConsole(await openDesk(1));
  const file = 'name,country_code,requested_limit,company.address.postal_code\nA,DE,1000,89073\n';
  const { location } = await uploadTo(web, ['file', 'q4.csv', file]);
  const look = async () => (await web.get(location)).text;
  await expect.poll(look).toContain('Control total');
  const rowOf = async () => /<tr[^>]*>(?:(?!<\/tr>)[\s\S])*name="path-3"[\s\S]*?<\/tr>/.exec(await look())?.[0] ?? '';
  expect(await rowOf()).toContain('To send it, write its name as the path');
  expect(await rowOf()).toContain('selected="">not sent<');

  const path = 'company.address.postal_code';
  expect((await web.post(`${location}/reading`, { 'column-3': '', 'path-3': path })).status).toBe(303);
  await expect
    .poll(look)
    .toContain(`Also sent, although the service does not describe these fields: ${path} as ${path}.`);
  expect(await rowOf()).toContain('selected="">sent by its path<');
  expect(await rowOf()).not.toContain('not sent');
  const of = /name="of" value="(\w+)"/.exec(await look())?.[1] ?? '';
  const { text } = await web.post(`${location}/confirm`, { of });
  expect(text).toMatch(/Sent, though not described by the service<\/dt><dd><bdi>company\.address\.postal_code as/);
});

// Promise: read-not-sent
test('the preview does not count a column that is only read as sent, and names it', async () => {
  const web = await openConsole(await openDesk(1));
  const file = 'name,Kundennummer,requested_limit,currency\nA,K-1,1000,EUR\n';
  const { location } = await uploadTo(web, ['file', 'q4.csv', file]);
  await expect
    .poll(async () => (await web.get(location)).text)
    .toContain(
      '2 of 4 columns are sent; the others stay in your results. Columns read, but not sent: Kundennummer, currency.',
    );
});

test('a path that cannot be sent is refused with the reason, and the form keeps what was typed', async () => {
  const web = await openConsole(await openDesk(1));
  const { location } = await uploadTo(web, ['file', 'q4.csv', 'name,requested_limit,Wunsch\nA,1000,x\n']);
  await expect.poll(async () => (await web.get(location)).text).toContain('Control total');
  const typed = { 'column-2': '', 'path-2': 'company.id', decimal: ',', headerLine: '1', 'constant-name-0': 'state' };
  const fields = { ...typed, 'constant-value-0': 'Bayern', portfolio: 'q4' };
  for (const form of ['reading', 'portfolio']) {
    const { status, text } = await web.post(`${location}/${form}`, fields);
    expect(status).toBe(422);
    expect(text).toContain('company.id has a column of its own: write company_id in place of the path.');
    expect(text).toContain('name="path-2" value="company.id"');
    expect(text).toMatch(/<option value="," selected(="")?>/);
    expect(text).toContain('value="Bayern"');
    expect(text).toContain('Control total');
  }
  expect((await web.get(location)).text).not.toContain('value="company.id"');
});
