import { expect, test } from 'vitest';
import { openConsole, openDesk, unmarked, uploadTo } from '../../../support/desk.ts';

// Promise: control-total-stops-import
test('an upload with another sum than the control total imports nothing, and the page shows the difference', async () => {
  const web = await openConsole(await openDesk(1));
  const { location } = await uploadTo(web, ['file', 'q4.csv', 'name,country_code,requested_limit\nA,DE,1000.10\n']);
  await expect.poll(async () => (await web.get(location)).text).toContain('Control total');
  const of = /name="of" value="(\w+)"/.exec((await web.get(location)).text)?.[1] ?? '';
  const submit = (total: string) => web.post(`${location}/submit`, { of, total });

  expect((await submit('much')).status).toBe(422);
  // A control total that may mean a thousand or one is refused.
  expect(await submit('1.000')).toMatchObject({ status: 422, text: expect.stringContaining('can mean two amounts') });
  const asked = async (total: string) => unmarked((await web.post(`${location}/confirm`, { of, total })).text);
  const other = await asked('1,00');
  expect(other).toContain('The control total is 1.00, but the amounts of this file add up to 1,000.10, 999.10 more.');
  expect(other).not.toContain('Request 1 limit');
  expect(await asked('1.000,10')).toContain('Request 1 limit');
  expect((await submit('1,000.00')).status).toBe(303);
  await expect
    .poll(async () => (await web.get(location)).text)
    .toContain('The control total is 1,000.00, but the amounts of this file add up to 1,000.10, 0.10 more.');
  expect((await submit('1.000,10')).status).toBe(303);
  await expect
    .poll(async () => (await web.get(`${location}/import`)).headers.get('location'))
    .toContain('/portfolios/');
  expect(unmarked((await web.get(location)).text)).toContain('The control total 1,000.10 agrees with the file.');
});
