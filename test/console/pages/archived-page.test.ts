import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { openConsole, openDesk } from '../../support/desk.ts';

/** A console with one archived portfolio and one other. */
async function openArchived() {
  const desk = await openDesk(2);
  await desk.limitline('run', 'q4.csv', '--no-results');
  await desk.limitline('import', 'q4.csv', '--portfolio', 'other', '--yes');
  const web = await openConsole(desk);
  const [row] = await web.context.rows.inState('q4', 'done', { count: 1 });
  const results = (await desk.limitline('report', 'q4', '--format', 'csv')).stdout;
  const { folder } = await desk.json('archive', 'q4', '--yes');
  return { ...desk, ...web, results, row: `/portfolios/q4/rows/${row?.row.key}`, folder: folder as string };
}

// Promise: archived-page-keeps-address
test('archived portfolios have one line on the first page, a list, and a page that names the restore command', async () => {
  const { get, row } = await openArchived();
  const { text } = await get('/');
  expect(text).toContain('1 portfolio in this account');
  expect(text).toContain('<a href="/archived">1 archived or forgotten</a>: ');
  expect((await get('/?text=q4')).text).toContain('1 archived or forgotten</a>, not searched here: ');
  const list = (await get('/archived')).text;
  expect(list).toContain('<a href="/portfolios/q4"><bdi>q4</bdi></a>');
  expect(list).not.toContain('<bdi>other</bdi>');
  expect(list).toContain('>2,004.00<');
  expect(list).toContain('href="/portfolios/q4/downloads/results.csv"');
  expect((await get('/archived?from=40')).text).toContain('To the first');
  expect((await get('/archived?from=x')).status).toBe(200);

  const page = await get('/portfolios/q4');
  expect(page.status).toBe(200);
  expect(page.text).toContain('Its 2 rows are archived.');
  expect(page.text).toContain('npx limitline restore q4');
  expect(page.text).toContain('Rows of q4 by state: 2 answered');
  // The address of an archived row redirects to its portfolio.
  const led = await get(row);
  expect([led.status, led.headers.get('location')]).toEqual([303, '/portfolios/q4']);
  expect((await get(row.replace('q4', 'none'))).status).toBe(404);
  expect((await get('/portfolios/none')).status).toBe(404);
});

test('a page that was open while its portfolio was archived or forgotten says so', async () => {
  const desk = await openDesk(2);
  await desk.limitline('run', 'q4.csv', '--no-results');
  const { open } = await openConsole(desk);
  const pieces = async () => {
    const answer = await open('/portfolios/q4/events', { headers: { accept: 'application/json' } });
    const { fragments } = (await answer.json()) as { fragments: { id: string; html: string }[] };
    // The strip has the pace of all portfolios, which changes with time.
    return new Map(fragments.filter(({ id }) => id !== 'strip').map(({ id, html }) => [id, html]));
  };
  const before = await pieces();
  await desk.limitline('archive', 'q4', '--yes');
  const archived = await pieces();
  expect(archived.get('portfolio-waits')).toContain('q4 is archived');
  expect(archived.get('portfolio-waits')).toContain('<a href="/portfolios/q4">Show it as it is now</a>');
  await desk.limitline('restore', 'q4');
  expect(await pieces()).toEqual(before);
  await desk.limitline('forget', 'q4', '--yes', 'q4');
  expect((await pieces()).get('portfolio-waits')).toContain('q4 was forgotten');
});

test('without archived portfolios the first page has no link to them, and their list says that there are none', async () => {
  const { get } = await openConsole(await openDesk(0));
  expect((await get('/')).text).not.toContain('/archived');
  expect((await get('/archived')).text).toContain('No archived portfolios yet.');
});

test('results of an archived portfolio are downloaded unchanged, and actions on its rows name the restore command', async () => {
  const { get, post, results, folder } = await openArchived();
  const got = await get('/portfolios/q4/downloads/results.csv');
  expect(got.headers.get('content-disposition')).toContain('q4-results.csv');
  expect(got.text).toBe(results);
  for (const file of ['errors.csv', 'results.xlsx']) {
    const refused = await get(`/portfolios/q4/downloads/${file}`);
    expect(refused).toMatchObject({ status: 422, text: expect.stringMatching(/limitline restore ("|&quot;|&#34;)q4/) });
    expect(refused.headers.get('content-disposition')).toBeNull();
  }
  expect(await post('/portfolios/q4/pause')).toMatchObject({
    status: 409,
    text: expect.stringMatching(/restore ("|&quot;|&#34;)q4/),
  });
  await rm(folder, { recursive: true });
  expect((await get('/portfolios/q4/downloads/results.csv')).status).toBe(422);
});
