import { expect, test } from 'vitest';
import type { Person } from '../../../../src/people/person.ts';
import { openConsole, openDesk, uploadTo } from '../../../support/desk.ts';

const FAY: Person = { by: 'fay', roles: ['finance'] };
const BEN: Person = { by: 'ben', roles: ['finance'] };
const file = (n: number) => `Firma,Land,HR,Betrag\nMuster ${n} GmbH,DE,HRB ${n},1000\n`;

test('the reading of another person’s file is offered with name and content, applied by a click, and recorded', async () => {
  const desk = await openDesk(1);
  const now = { who: FAY };
  const web = await openConsole(desk, { identify: async () => now.who });
  const submit = async (location: string) => {
    await expect.poll(async () => (await web.get(location)).text).toContain('name="of"');
    const of = /name="of" value="(\w+)"/.exec((await web.get(location)).text)?.[1] ?? '';
    expect((await web.post(`${location}/submit`, { of })).status).toBe(303);
    await expect
      .poll(async () => (await web.get(`${location}/import`)).headers.get('location'))
      .toContain('/portfolios/');
  };
  const fays = await uploadTo(web, ['file', 'fays.csv', file(1)]);
  await expect.poll(async () => (await web.get(fays.location)).text).toContain('This file cannot be imported yet');
  const columns = { 'column-0': 'name', 'column-1': 'country_code', 'column-2': '', 'column-3': 'requested_limit' };
  const constant = { 'constant-name-0': 'company_id', 'constant-value-0': 'company_fay' };
  const more = { 'constant-name-1': 'city', 'constant-value-1': 'Ulm' };
  expect((await web.post(`${fays.location}/reading`, { ...columns, ...constant, ...more })).status).toBe(303);
  await submit(fays.location);

  now.who = BEN;
  const { location } = await uploadTo(web, ['file', 'bens.csv', file(2)]);
  await expect.poll(async () => (await web.get(location)).text).toContain('This file cannot be imported yet');
  const { text } = await web.get(location);
  expect(text).toMatch(
    /It has the same columns as fays\.csv\.[\s\S]*fay changed how that file is read[\s\S]*city always Ulm[\s\S]*Betrag as requested_limit/,
  );
  expect(text).toMatch(/name="offered" value="yes"[\s\S]*Read this one the same way/);
  expect(text).not.toContain('company_fay');
  expect((await web.post(`${location}/reading`, { offered: 'yes' })).status).toBe(303);
  await expect
    .poll(async () => (await web.get(location)).text)
    .toMatch(/it is read the way that fay set for that file/);
  await submit(location);

  const { entries } = await web.context.audit.read.page({ count: 50, walk: 99, filter: {} });
  const told = entries.filter(
    ({ by, facts }) => by === 'ben' && JSON.stringify(facts ?? {}).includes('city always Ulm'),
  );
  expect(told.map(({ what }) => what)).toEqual(['import submitted', 'reading of a file changed']);
  expect(told.every(({ facts }) => JSON.stringify(facts).includes('"readBy":["fay"]'))).toBe(true);
});
