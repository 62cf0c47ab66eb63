import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { Person } from '../../src/people/person.ts';
import { plainText } from '../support/desk.ts';
import { foundItem, keptReport } from '../support/found-items.ts';
import { openNightlyConsole, ordinaryNights } from '../support/nightly-console.ts';

const EVIL = `"'><img src=x onerror=alert(1)><script>alert(1)</script>`;
const NIGHT = '2026-11-20T01:30:00.000Z';
const REPORT = `/nightly/reports/${encodeURIComponent(NIGHT)}`;

test('before the first night the page names the command of the nightly check, and reports are answered with status 404', async () => {
  const { get } = await openNightlyConsole();
  const { status, text } = await get('/nightly');
  expect(status).toBe(200);
  expect(text).toContain('No nightly check has run yet.');
  expect(text).toContain('npx limitline reconcile');
  for (const path of [
    REPORT,
    `${REPORT}?section=person&check=held`,
    `${REPORT}/items.csv`,
    '/nightly/reports/x/y.csv',
  ]) {
    expect((await get(path)).status).toBe(404);
  }
});

test('the last report is shown by sections with its changes, and links to rows, portfolios and causes', async () => {
  const { get, night } = await openNightlyConsole();
  const [first, second] = ordinaryNights();
  await night('2026-11-19T01:30:00.000Z', first);
  await night(NIGHT, second);
  const { text } = await get('/nightly');
  expect(text).toContain('5 findings: 2 for a person, 2 for finance, 1 corrected.');
  expect(text).toContain('3 new, 1 with more rows, 1 the same, 1 no more found');
  expect(text).toContain('so this compares our own records with each other and no more');
  expect(text).toContain('href="/portfolios/q4?cause=k3f9#rows">30 rows</a>');
  expect(text).toContain('href="/portfolios/autumn-2026?states=held#rows">1 row</a>');
  expect(text).toContain('href="/portfolios/q4/rows/row-of-line-2___"');
  expect(text).toContain('npx limitline resolve q4 --line 12 --made bl_12');
  expect(plainText(text)).toContain('1 row requested 250,000.00 granted 100,000.00');
  expect(text).toContain('since <time datetime="2026-11-10T09:00:00.000Z" data-local="day">2026-11-10</time>');
  expect(text).not.toContain('Resolved');
  const order = ['Needs an answer</h3>', 'For finance</h3>', '>Corrected</h3>', 'No more found</h3>'].map((part) =>
    text.lastIndexOf(part),
  );
  expect(order).toEqual(order.toSorted((a, b) => a - b));
  expect((await get(REPORT)).text).toContain('Report of 2026-11-20 01:30:00 UTC');
  const { text: check } = await get(`${REPORT}?section=finance&check=refused`);
  expect(check).toContain('1 to 1 of 1');
});

test('each of the three nightly pages has its own sections and links to the others', async () => {
  const { get, night } = await openNightlyConsole();
  await night(NIGHT, [foundItem()]);
  const pages = {
    '/nightly': ['The last report', 'All reports'],
    '/nightly/automation': ['Schedule', 'Sent again at night', 'Drop folder', 'Events of the service'],
    '/nightly/notices': ['Latest notices'],
  };
  for (const [path, titles] of Object.entries(pages)) {
    const { text } = await get(path);
    expect([...text.matchAll(/<h2 id="[^"]+">([^<]+)/g)].map(([, title]) => title)).toEqual(titles);
    for (const other of Object.keys(pages)) expect(text).toContain(`<a href="${other}"`);
    expect(text).toContain(`<a href="${path}" aria-current="page">`);
  }
  // No process runs the nightly tasks here, and the page of the report says so.
  expect((await get('/nightly')).text).toContain('The nightly tasks do not run.');
  const { status, headers } = await get('/nightly?cause=k3f9&portfolio=q4');
  expect([status, headers.get('location')]).toEqual([303, '/nightly/automation?cause=k3f9&portfolio=q4']);
});

test('an invalid query shows the report with status 200, and a position beyond its end is answered with status 404', async () => {
  const { get, night } = await openNightlyConsole();
  await night(NIGHT, [foundItem()]);
  for (const query of ['section=x&check=held', 'section=person&check=constructor', 'section[]=person', 'before=x']) {
    expect((await get(`${REPORT}?${query}`)).status).toBe(200);
    expect((await get(`/nightly?${query}`)).status).toBe(200);
  }
  expect((await get(`${REPORT}?section=finance&check=refused&after=999999`)).status).toBe(404);
});

// Promise: report-runs-nothing
test('markup in findings is shown as text, on the page and in the printable file', async () => {
  const { get, night } = await openNightlyConsole();
  await night(NIGHT, [
    foundItem({ portfolio: EVIL, name: EVIL, says: EVIL, detail: EVIL, command: EVIL, key: EVIL, requested: '1' }),
    foundItem({ portfolio: 'q4', says: 'x', command: `retry q4 --cause k3f9${EVIL}` }),
  ]);
  const texts = [await get(`${REPORT}/report.html`), await get('/nightly'), await get(REPORT)].map(({ text }) => text);
  for (const text of texts) {
    expect(text).toContain('&lt;script&gt;');
    expect(text).not.toMatch(/<img|<script>/);
  }
  expect(texts[0]).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
  expect(texts[0]).not.toMatch(/<script|<link|href=|prefers-color-scheme/);
});

test('report files are downloaded unchanged and recorded, and a deleted file is answered with status 404', async () => {
  const { get, night, context } = await openNightlyConsole();
  const { files } = await night(NIGHT, [foundItem()]);
  const items = await get(`${REPORT}/items.csv`);
  expect(items.headers.get('content-disposition')).toContain('filename="nightly-2026-11-20T01-30-items.csv"');
  expect(items.headers.get('cache-control')).toBe('no-store');
  expect(items.text).toContain('Muster GmbH');
  const told = async () => (await context.audit.read.page({ count: 2, walk: 9 })).entries;
  await expect.poll(told).toMatchObject([
    { is: 'done', facts: { whole: true } },
    { what: 'nightly report downloaded', is: 'begun', facts: { report: NIGHT } },
  ]);
  const page = await get(`${REPORT}/report.html`);
  await rm(files?.folder ?? '', { recursive: true });
  expect((await get(`${REPORT}/items.csv`)).status).toBe(404);
  // The printable report is made again from what Redis has.
  expect((await get(`${REPORT}/report.html`)).text).toBe(page.text);
});

test('a report whose files could not be written says so, and does not show the folder', async () => {
  const { get, night, cwd } = await openNightlyConsole();
  await makeFileAt(join(cwd, '.data-home', 'limitline', 'reports'));
  const { fault = '' } = await night(NIGHT, [foundItem()]);
  expect(fault).toContain(cwd);
  const { text } = await get('/nightly');
  expect(text).toContain('The files of this report could not be written.');
  expect(text).not.toContain(cwd);
  expect(text).not.toContain('items.csv');
});

/** Creates a file where a folder should be. */
async function makeFileAt(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, '');
}

test('a viewer reads reports with personal data masked, and cannot download files', async () => {
  const viewer: Person = { by: 'vera', roles: ['viewer'] };
  const { get, night } = await openNightlyConsole({ identify: async () => viewer });
  await night(NIGHT, [foundItem({ detail: 'write to ann@example.com' })]);
  const { text } = await get('/nightly');
  expect(text).toContain('Muster GmbH');
  expect(text).not.toContain('ann@example.com');
  expect(text).not.toContain('items.csv');
  expect((await get(`${REPORT}/items.csv`)).status).toBe(403);
});

test('reports are listed 31 nights to a page', async () => {
  const { get, context } = await openNightlyConsole();
  for (let day = 1; day <= 33; day += 1) {
    const { report, findings } = keptReport(`night ${day}`, day * 86_400_000, []);
    await context.reports.keep(report, findings);
  }
  const { text } = await get('/nightly');
  const [, next = ''] = /href="(\/nightly\?before=\d+)#all-reports-title" rel="next"/.exec(text) ?? [];
  const linksOf = (page: string) => new Set(page.match(/href="\/nightly\/reports\/[^"/]+"/g) ?? []);
  expect(linksOf(text).size).toBe(31);
  const { text: rest } = await get(next);
  // Each page shows the last report above the list.
  expect(linksOf(rest).size).toBe(3);
  expect(rest).toContain('To the first');
});
