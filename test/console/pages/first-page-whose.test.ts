import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { firstWords } from '../../../src/ledger/rows/first-rows.ts';
import { refusedAlikeWords } from '../../../src/ledger/schema/pause-reasons.ts';
import { as, byHeader, openConsole, openDesk, plainText } from '../../support/desk.ts';

const FIONA = as('fiona@example.com', 'finance');
const FRANK = as('frank', 'finance');
const OLAF = as('olaf', 'operator');
const VERA = as('vera', 'viewer');

const EVERYBODY = { FIONA, FRANK, OLAF, VERA };

/**
 * A portfolio whose only importer is Fiona, and what the first page and its live updates show each person: own tasks
 * and colleagues’ tasks.
 */
async function openHers(rows: number, command: string, faults = {}) {
  const desk = await openDesk(rows, faults);
  await desk.limitline(command, 'q4.csv', '--yes', ...(command === 'run' ? ['--no-results'] : []));
  const web = await openConsole(desk, byHeader);
  const { ledger, keys } = web.context;
  const set = (...fields: string[]) => ledger.hset(keys.portfolio('q4'), ...fields);
  await set('owner', 'fiona@example.com');
  const parts = (markup: string) => {
    const [own = '', others = ''] = plainText(markup).split('For colleagues');
    return { own, others };
  };
  const page = async (who: Record<string, string>) =>
    parts((await web.get('/', who)).text.split('id="needs-you"')[1]?.split('id="under-way"')[0] ?? '');
  const live = async (who: Record<string, string>) => {
    const { fragments } = JSON.parse((await web.get('/newest/events', who)).text);
    return parts(fragments.find(({ id }: { id: string }) => id === 'needs-you').html);
  };
  return { ...web, desk, set, page, live };
}

// Promise: first-page-what-waits
test.each([
  ['first rows', firstWords(5), 'q4 is paused after its first 5 rows'],
  [
    'refused alike',
    refusedAlikeWords(5, 'limit', { status: 400, message: 'refused with status 400', body: 'no' }),
    'q4 is paused, since its first answers were all refused alike',
  ],
  ['by request', 'by request', 'q4 is paused'],
])('a paused portfolio is listed as a task of those who may resume it: %s', async (kind, why, words) => {
  const { set, page, live, get } = await openHers(3, 'import');
  await set('paused', why, 'first', '5', ...(kind === 'first rows' ? ['firstOver', why] : []));
  const task = new RegExp(`${words} .*3,007\\.50 .*Look`);
  for (const shown of [live, page])
    for (const [name, who] of Object.entries(EVERYBODY)) {
      const mayResume = name === 'OLAF' || (name === 'FIONA' && kind !== 'by request');
      const { own, others } = await shown(who);
      expect.soft(task.test(own), `${name}: ${own}`).toBe(mayResume);
      expect.soft(others, name).not.toContain('is paused');
    }
  expect(plainText((await get('/', FRANK)).text)).toContain('Paused Somebody with the role operator may resume it.');
});

test('five paused portfolios are listed by name, and the others are counted', async () => {
  const { page, desk, context } = await openHers(1, 'import');
  for (const number of [1, 2, 3, 4, 5, 6]) {
    await desk.limitline('import', 'q4.csv', '--portfolio', `more${number}`, '--yes');
    await context.portfolios.pause(`more${number}`, 'by request');
  }
  const { own } = await page(OLAF);
  expect(own.match(/more\d is paused/g)).toHaveLength(5);
  expect(own).toContain('1 more portfolio is paused');
});

test('a paused portfolio without open rows is not listed as a task', async () => {
  const { set, live, page } = await openHers(1, 'run');
  await set('paused', firstWords(5), 'firstOver', firstWords(5));
  expect((await page(FIONA)).own + (await live(OLAF)).own).not.toContain('is paused');
});

// Promise: first-page-what-waits
test('rejected rows are a task of people who may send them again, and a colleague’s task for other finance people', async () => {
  const rules = [{ on: 'limit', match: 'HRB 1"', fault: 'status', status: 400 }];
  const { page, live, get } = await openHers(2, 'run', { rules });
  const words = '1 rejected by the service in q4';
  for (const shown of [live, page]) {
    // The task shows the amount and the time of the rejection.
    expect((await shown(FIONA)).own).toMatch(new RegExp(`${words} 1,001\\.50 20\\d\\d-\\d\\d-\\d\\d \\d\\d:\\d\\d `));
    expect((await shown(OLAF)).own).toContain(words);
    // Frank may correct the lines, as on the portfolio’s page.
    expect(await shown(FRANK)).toMatchObject({
      own: expect.not.stringContaining(words),
      others: expect.stringMatching(/1 rejected by the service in q4 .*File to correct/),
    });
    expect((await shown(VERA)).own).not.toContain(words);
  }
  const text = plainText((await get('/portfolios/q4', FRANK)).text);
  expect(text).toContain('may send rejected rows again');
  expect(text).toContain('File to correct');
});

test('live updates are masked for viewers only, whoever reads first', async () => {
  const { set, live, get, desk } = await openHers(3, 'import');
  await set('paused', firstWords(5), 'first', '5', 'firstOver', firstWords(5));
  await cp(join(desk.cwd, 'q4.csv'), join(desk.cwd, 'anna@example.com.csv'));
  await desk.limitline('import', 'anna@example.com.csv', '--portfolio', 'other', '--yes');
  const listFor = async (who: Record<string, string>) => (await get('/newest/events', who)).text;
  expect(await listFor(VERA)).not.toContain('anna@');
  // The owner’s name is an e-mail address, which is masked for viewers.
  expect((await live(FIONA)).own).toContain('is paused after');
  expect(await listFor(FIONA)).toContain('anna@');
  expect(await listFor(VERA)).not.toContain('anna@');
});
