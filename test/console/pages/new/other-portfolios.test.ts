import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openConsole, openDesk, uploadTo } from '../../../support/desk.ts';

const HEADER = 'name,country_code,requested_limit\n';
const ALDER = 'Alder GmbH,DE,1000\n';
const BIRCH = 'Birch GmbH,DE,2000\n';

/** A preview may be some seconds old. */
const SOON = { timeout: 30_000, interval: 200 };

// Promise: preview-counts-new-requests
test('a request of another portfolio is not counted as new in the preview or the confirmation', async () => {
  const desk = await openDesk(0);
  const write = (name: string, lines: string) => writeFile(join(desk.cwd, name), `${HEADER}${lines}`);
  await write('q8.csv', ALDER);
  expect(await desk.limitline('import', 'q8.csv', '--yes')).toMatchObject({ status: 0 });
  const web = await openConsole(desk);
  const { location } = await uploadTo(web, ['file', 'q9.csv', `${HEADER}${ALDER}${BIRCH}`]);
  const look = async () => (await web.get(location)).text;
  await expect.poll(look).toContain('Request all: 1 limit, 2,000.00 in total');
  expect(await look()).toContain('1 more is being processed and will not be requested again.');
  expect(await look()).toContain(
    'This request is under way already, line 2 of q8.csv #1 in portfolio q8 (1,000, queued)',
  );
  // The sample shows only what would be requested.
  const sample = async () => (await look()).split('As it would be sent')[1] ?? '';
  expect(await sample()).toContain('Birch GmbH');
  expect(await sample()).not.toContain('Alder GmbH');
  const of = /name="of" value="(\w+)"/.exec(await look())?.[1] ?? '';
  const question = async () => (await web.post(`${location}/confirm`, { of })).text;
  expect(await question()).toMatch(
    /Requests<\/dt><dd><bdi>1 limit<[\s\S]*value="2000"[\s\S]*Not requested again<\/dt><dd><bdi>1 line</,
  );

  await write('q7.csv', BIRCH);
  expect(await desk.limitline('run', 'q7.csv', '--yes', '--no-results')).toMatchObject({ status: 0 });
  await expect.poll(question, SOON).toMatch(/Requests<\/dt><dd><bdi>0 limits<[\s\S]*value="0"[\s\S]*2 lines</);
  expect(await look()).toContain('all requested before');
  expect((await web.post(`${location}/submit`, { of })).status).toBe(303);
  const stateNow = async () => (await web.context.portfolios.read('q9')).states.skipped;
  await expect.poll(stateNow, SOON).toBe(2);
});

// Promise: second-limit-warned
test('the confirmation counts limits of buyers that have another limit', async () => {
  const desk = await openDesk(0);
  await writeFile(join(desk.cwd, 'q8.csv'), `${HEADER}${ALDER}`);
  await desk.limitline('run', 'q8.csv', '--yes', '--no-results');
  const web = await openConsole(desk);
  const { location } = await uploadTo(web, ['file', 'q9.csv', `${HEADER}${ALDER.replace('1000', '1500')}${BIRCH}`]);
  const look = async () => (await web.get(location)).text;
  await expect.poll(look, SOON).toContain('Request all: 2 limits');
  const of = /name="of" value="(\w+)"/.exec(await look())?.[1] ?? '';
  const { text } = await web.post(`${location}/confirm`, { of });
  expect(text).toContain('Request these limits?');
  expect(text).toContain(
    '1 of them is for a buyer that has another limit, open, made or in this file. It is requested on top of that one.',
  );
});

test('the confirmation names the columns with warnings', async () => {
  const web = await openConsole(await openDesk(0));
  const towns = ['Müller GmbH,DE,Bonn,1000', 'Müller GmbH,DE,Kiel,2000'].join('\n');
  const { location } = await uploadTo(web, ['file', 'q9.csv', `name,country_code,city,requested_limit\n${towns}\n`]);
  const look = async () => (await web.get(location)).text;
  await expect.poll(look, SOON).toContain('Request all: 2 limits');
  const of = /name="of" value="(\w+)"/.exec(await look())?.[1] ?? '';
  const { text } = await web.post(`${location}/confirm`, { of });
  expect(text.replace(/<(?!a )[^>]*>/g, '')).toMatch(/Warnings<a href="[^"]*\?list=warnings#mend">1 line: city/);
});

test('the preview counts a request that needs an answer apart, with a link to the held rows', async () => {
  const desk = await openDesk(0, { rules: [{ on: 'limit', fault: 'reset' }] });
  await writeFile(join(desk.cwd, 'q8.csv'), `${HEADER}${ALDER}`);
  await desk.limitline('run', 'q8.csv', '--yes', '--no-results');
  const web = await openConsole(desk);
  const { location } = await uploadTo(web, ['file', 'q9.csv', `${HEADER}${ALDER}${BIRCH}`]);
  const look = async () => (await web.get(location)).text;
  await expect
    .poll(look, SOON)
    .toContain('<a href="/held">1 more needs an answer</a> and will not be requested again.');
  expect(await look()).not.toContain('being processed');
});

test('a confirmation while the file is read again waits or says so, and does not report a change', async () => {
  const desk = await openDesk(0);
  const web = await openConsole(desk);
  const lines = Array.from({ length: 2_000 }, (_, n) => `Alder ${n} GmbH,DE,${n + 1}\n`).join('');
  const { location } = await uploadTo(web, ['file', 'q9.csv', `${HEADER}${lines}`]);
  const look = async () => (await web.get(location)).text;
  await expect.poll(look, SOON).toContain('Request all: 2,000 limits');
  const of = /name="of" value="(\w+)"/.exec(await look())?.[1] ?? '';
  expect((await web.post(`${location}/again`)).status).toBe(303);
  const { status, text } = await web.post(`${location}/confirm`, { of });
  if (status === 409) expect(text).toContain('The file is being read again');
  else expect(text).toContain('Request these limits?');
  expect((await web.post(`${location}/confirm`, { of: 'another' })).text).toContain('has changed since');
});
