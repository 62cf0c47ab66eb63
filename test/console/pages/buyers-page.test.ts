import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { FaultChange } from '../../../src/stand-in/fault-settings.ts';
import { openConsole, openDesk, plainText, unmarked } from '../../support/desk.ts';

const HEAD =
  'name,country_code,company_registration_number,business_information_source,business_information_id,requested_limit,buyer_reference,request_reference,contact_first_name,contact_last_name';

/** A console with portfolios, by name, that were run with these lines. */
async function openWith(portfolios: Record<string, readonly string[]>, who = {}, faults: FaultChange = {}) {
  const desk = await openDesk(0, faults);
  for (const [name, lines] of Object.entries(portfolios)) {
    await mkdir(desk.cwd, { recursive: true });
    await writeFile(join(desk.cwd, `${name}.csv`), [HEAD, ...lines, ''].join('\n'));
    await desk.limitline('run', `${name}.csv`, '--no-results', '--yes');
  }
  const web = await openConsole(desk, who);
  const search = async (text: string) => {
    const { status, text: page } = await web.get(`/search?${new URLSearchParams({ text })}`);
    expect(status).toBe(200);
    return [...page.matchAll(/<a href="(\/buyers\/[\w-]{16})"><bdi>(.*?)<\/bdi>/g)].map(([, href = '', name = '']) => ({
      href,
      name,
    }));
  };
  const names = async (text: string) => (await search(text)).map(({ name }) => name);
  return { ...desk, ...web, search, names };
}

const MUELLER = 'Bäckerei Müller GmbH,DE,HRB 4711,crefo,77001,1000,B-7,R-1,Anna,Adler';
const OTHERS = [
  'Café Été SARL,FR,RCS 812,crefo,77002,2000,,R-2,,',
  'שלום בע״מ,IL,IL 99,,,3500,,,,',
  'Stahl Stahlbau AG,DE,HRB 12,,,4000,,,,',
];

// Promises: buyer-found-in-all-portfolios, buyer-page-all-requests
test('a buyer is found by name, number, reference or id in all portfolios, and its page lists all requests', async () => {
  const { names, search, get, context } = await openWith({
    q3: [MUELLER, ...OTHERS, 'Nowhere Trading,DE,,,,none,,,,'],
    q4: [MUELLER.replace('1000', '1500').replace('R-1', 'R-9')],
  });
  const mueller = ['Bäckerei Müller GmbH'];
  for (const text of [
    'mül',
    'Mueller',
    'muller b',
    'BÄCK',
    'hrb-47',
    'HRB 4711',
    '77001',
    'B-7',
    'R-1',
    'r-9',
    'mül*',
  ]) {
    expect(await names(text), text).toEqual(mueller);
  }
  expect(await names('ete')).toEqual(['Café Été SARL']);
  expect(await names('Été')).toEqual(['Café Été SARL']);
  expect(await names('שלו')).toEqual(['שלום בע״מ']);
  // Both words of its name match, and it is listed once.
  expect(await names('stahl')).toEqual(['Stahl Stahlbau AG']);
  expect((await names('hrb')).length).toBe(2);
  for (const text of ['', 'x', '*', '%', '\u0000\u0007', 'a'.repeat(1_000), 'gmbh', 'muster']) {
    expect(await names(text), JSON.stringify(text)).toEqual([]);
  }

  // A line to fix has no buyer, and is still found by its name.
  const { text: toFix } = await get('/search?text=nowh');
  expect(toFix).toContain('Lines that led to no request are below.');
  expect(toFix).toMatch(
    /<bdi>Nowhere Trading<\/bdi>[\s\S]*href="\/portfolios\/q3\?text=nowh&amp;lines=invalid#rows">line 6/,
  );
  expect((await get('/search?text=muell')).text).not.toContain('Lines that led to no request');

  const [found] = await search('Müller');
  const { status, text } = await get(found?.href ?? '');
  expect(status).toBe(200);
  expect(text).toContain('2 requests in all portfolios');
  // The newest portfolio is listed first.
  expect(text.indexOf('<bdi>q4</bdi>, line 2')).toBeLessThan(text.indexOf('<bdi>q3</bdi>, line 2'));
  for (const told of ['HRB 4711', '77001', 'B-7', '1,000.00', '1,500.00', 'company_', 'bl_', 'approved']) {
    expect(text).toContain(told);
  }
  const row = /href="(\/portfolios\/q3\/rows\/[\w-]{16})"/.exec(text)?.[1] ?? '';
  expect((await get(row)).text).toContain(`<a href="${found?.href}">All of this buyer</a>`);
  expect((await get('/portfolios/q3')).text).toContain(`href="${found?.href}"`);
  const company = /company_[\w-]+/.exec(text)?.[0] ?? '';
  const limit = /bl_[\w-]+/.exec(text)?.[0] ?? '';
  expect(await names(company)).toEqual(mueller);
  expect(await names(limit)).toEqual(mueller);
  for (const unknown of ['/buyers/aaaaaaaaaaaaaaaa', '/buyers/x', `/buyers/${'%2A'}`]) {
    expect((await get(unknown)).status).toBe(404);
  }
  const key = found?.href.split('/').at(-1) ?? '';
  expect(await context.rows.latestOf(key, { from: 1, count: 1, most: 10 })).toMatchObject({
    count: 2,
    isWhole: true,
    rows: [{ row: { portfolio: 'q3' }, amount: '1000' }],
  });
});

// Promise: archived-buyer-requests-found
test('a buyer is still found after its portfolio is archived, and its page says where each request is', async () => {
  const { limitline, search, names, get } = await openWith({ q3: [MUELLER] });
  await limitline('archive', 'q3', '--yes');
  const [found] = await search('mue');
  const { text } = await get(found?.href ?? '');
  expect(text).toContain('<a href="/portfolios/q3"><bdi>q3</bdi></a><small class="under">archived</small>');
  expect(text).toMatch(/approved[\s\S]*1,000\.00[\s\S]*bl_/);
  const limit = /bl_[\w-]+/.exec(text)?.[0] ?? '';
  expect((await get(`/search?text=${limit}`)).text).toMatch(/Requested in [\s\S]*\/portfolios\/q3"[\s\S]*archived/);
  // The amount of a request that is known by its id alone is in the archive, so what became of it is, too.
  const byId = plainText((await get(`/search?text=${limit}`)).text);
  expect(byId).toMatch(/Requested in q3 archived see the archive/);
  expect(byId).not.toContain('Nothing is known');
  await limitline('restore', 'q3');
  expect(await names('mue')).toEqual(['Bäckerei Müller GmbH']);
  expect((await get(found?.href ?? '')).text).toContain('<bdi>q3</bdi>, line 2');
  await limitline('archive', 'q3', '--yes');
  await limitline('forget', 'q3', '--yes', 'q3');
  expect(await names('mue')).toEqual([]);
  expect(await names('4711')).toEqual([]);
  expect((await get(found?.href ?? '')).text).toContain('A buyer whose name was forgotten');
  expect(plainText((await get(`/search?text=${limit}`)).text)).not.toContain('see the archive');
});

test('a request of an archived portfolio keeps its currency on its buyer’s page', async () => {
  const web = await openWith({ q1: [MUELLER] });
  await writeFile(join(web.cwd, 'q2.csv'), [`${HEAD},currency`, `${MUELLER.replace('R-1', 'R-2')},CHF`, ''].join('\n'));
  await web.limitline('run', 'q2.csv', '--no-results', '--yes');
  const [found] = await web.search('mue');
  const money = async () =>
    plainText((await web.get(found?.href ?? '')).text)
      .match(/(?:[A-Z]{3} )?1,000\.00/g)
      ?.sort();
  const before = await money();
  expect(before).toContain('CHF 1,000.00');
  await web.limitline('archive', 'q2', '--yes');
  expect(await money()).toEqual(before);
});

test('a buyer’s page adds up rejected, held, repeated and unsent requests separately', async () => {
  const lines = ['1000', '1500', '1700', '1900'].map((amount, at) =>
    MUELLER.replace('1000', amount).replace('R-1', `R-${at + 1}`),
  );
  const [rejected = '', held = '', before = '', cancelled = ''] = lines;
  const rules = [
    { on: 'limit', match: '1000', fault: 'status', status: 422 },
    { on: 'limit', match: '1500', fault: 'reset', made: false },
  ] as const;
  const web = await openWith({ q1: [rejected], q2: [held], q3: [before], q4: [before] }, {}, { rules: [...rules] });
  await writeFile(join(web.cwd, 'q5.csv'), [HEAD, cancelled, ''].join('\n'));
  await web.limitline('import', 'q5.csv', '--yes');
  await web.limitline('cancel', 'q5');
  const [found] = await web.search('Müller');
  const { text } = await web.get(found?.href ?? '');
  expect(plainText(/<dl class="stats">(.*?)<\/dl>/s.exec(text)?.[1] ?? '').trim()).toBe(
    'Requested 1,700.00 1 request Granted 1,700.00 1 request Available 1,700.00 1 request Rejected by the service 1,000.00 1 request Needs an answer 1,500.00 1 request Requested before 1,700.00 1 request Not sent 1,900.00 1 request',
  );
});

test('a buyer’s page adds up amounts by currency and outcome over all portfolios', async () => {
  const desk = await openWith({});
  const write = async (name: string, currency: string, lines: readonly string[]) => {
    await mkdir(desk.cwd, { recursive: true });
    const text = [`${HEAD},currency`, ...lines.map((line) => `${line},${currency}`), ''].join('\n');
    await writeFile(join(desk.cwd, `${name}.csv`), text);
  };
  await write('q3', 'EUR', [MUELLER]);
  await write('uk', 'GBP', [MUELLER.replace('1000', '500').replace('R-1', 'R-3')]);
  await write('q4', 'EUR', [MUELLER.replace('1000', '1500').replace('R-1', 'R-9')]);
  for (const name of ['q3', 'uk']) await desk.limitline('run', `${name}.csv`, '--no-results', '--yes');
  await desk.limitline('import', 'q4.csv', '--yes');
  const [found] = await desk.search('Müller');
  const sums = async () => {
    const { text } = await desk.get(found?.href ?? '');
    const part = /<dl class="stats">(.*?)<\/dl>/s.exec(text)?.[1] ?? '';
    return plainText(part).trim();
  };
  expect(await sums()).toBe(
    'Requested EUR 1,000.00 GBP 500.00 2 requests Granted EUR 1,000.00 GBP 500.00 2 requests Available EUR 1,000.00 GBP 500.00 2 requests Not answered yet EUR 1,500.00 1 request',
  );
  await desk.limitline('archive', 'uk', '--yes');
  expect(await sums()).toContain('Requested');
});

// Promise: viewers-see-masked
test('the page of a buyer hides contacts from a viewer', async () => {
  const viewer = { identify: async () => ({ by: 'vera', roles: ['viewer' as const] }) };
  const { search, get } = await openWith(
    { q3: [MUELLER.replace('Bäckerei Müller', 'Adler anna@example.com')] },
    viewer,
  );
  const [found] = await search('adler');
  const { status, text } = await get(found?.href ?? '');
  expect(status).toBe(200);
  expect(text).toContain('Adler •••');
  expect(text).not.toMatch(/Anna|anna@/);
});

test('a buyer with many requests is shown page by page, with its name in full', async () => {
  const long = `${'Sehr lange Firma '.repeat(14)}GmbH`;
  const { context, search, get } = await openWith({ q3: [MUELLER.replace('Bäckerei Müller GmbH', long)] });
  const [found] = await search('sehr');
  const key = found?.href.split('/').at(-1) ?? '';
  const more = Array.from({ length: 50 }, (_none, at) => [`old/${String(at).padStart(16, 'a')}`, '5']);
  await context.ledger.hset(context.keys.buyerRows(key), ...more.flat());
  const { text } = await get(`/buyers/${key}`);
  expect(text).toContain(`<h1><bdi>${long}</bdi></h1>`);
  expect(unmarked(text)).toContain('40 requests of 51 requests');
  expect(text).toContain(`/buyers/${key}?from=40`);
  expect(unmarked((await get(`/buyers/${key}?from=50`)).text)).toContain('1 request of 51 requests');
  expect((await get(`/buyers/${key}?from=99999`)).text).toContain('There are no more requests.');
});
