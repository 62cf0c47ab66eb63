import { expect, test } from 'vitest';
import { openConsole, openDesk, uploadTo } from '../../../support/desk.ts';

/** An upload with two columns that may be the amount. */
async function openUpload() {
  const web = await openConsole(await openDesk(1));
  const csv = 'Firma,Land,HR,Betrag,Wunsch\nMuster GmbH,DE,HRB 1,1000,2000\nAlder GmbH,DE,HRB 2,abc,3000\n';
  const { location } = await uploadTo(web, ['file', 'q9.csv', csv]);
  const shows = async (words: string, address = location) => {
    await expect.poll(async () => (await web.get(address)).text, { timeout: 20_000 }).toContain(words);
    return (await web.get(address)).text;
  };
  const apply = (given: Record<string, string>) =>
    web.post(`${location}/reading`, { 'column-0': 'name', 'column-1': 'country_code', headerLine: '', ...given });
  return { ...web, location, shows, apply };
}

const hidden = (text: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? '';

test('a form that was loaded before a colleague changed the reading is refused with status 409', async () => {
  const { shows, apply, post, location } = await openUpload();
  const of = hidden(await shows('name="column-4"'), 'of');
  expect((await apply({ of, 'column-4': 'requested_limit' })).status).toBe(303);
  await shows('Request all: 2 limits, 5,000.00 in total');
  expect((await apply({ of, 'column-3': 'requested_limit', 'column-4': '' })).status).toBe(409);
  expect((await post(`${location}/portfolio`, { of, portfolio: 'other' })).status).toBe(409);
  await shows('Request all: 2 limits, 5,000.00 in total');
});

test('removing an upload that was corrected or submitted after the question was loaded is refused', async () => {
  const { get, post, shows, apply, location } = await openUpload();
  await shows('name="column-4"');
  await apply({ 'column-3': 'requested_limit' });
  const of = hidden(await shows('Request all: 1 limit'), 'of');
  const ask = async (words: string) => hidden(await shows(words, `${location}/remove`), 'seen');
  const first = await ask('Nothing of it was requested.');
  expect((await post(`${location}/mend`, { version: '1', of, list: 'problems', 'cell-3-3': '500' })).status).toBe(303);
  expect((await post(`${location}/remove`, { seen: first })).status).toBe(409);
  const second = await ask('Nothing of it was requested.');
  await post(`${location}/submit`, { of: hidden(await shows('Request all: 2 limits'), 'of') });
  expect((await post(`${location}/remove`, { seen: second })).status).toBe(409);
  await expect.poll(async () => (await get(`${location}/import`)).headers.get('location')).toBe('/portfolios/q9');
  const third = await ask('What was imported of it into q9 stays.');
  expect((await post(`${location}/remove`, { seen: third })).status).toBe(303);
});
