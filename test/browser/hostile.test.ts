import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { openBrowser, testInBrowser } from '../support/browser.ts';
import { openConsole, openDesk, uploadTo } from '../support/desk.ts';

/** Markup that would be noticed if it was interpreted: by a title, a dialog, a request, or an element of its own. */
const EVIL = `"'><img src=//evil.example/x id=pwned onerror="document.title='pwned';alert(1)"><script>document.title='pwned'</script><b id=pwned style=color:red>`;

/** The markup with an end by which a rule finds it in a request’s body. */
const evil = (tail: string) => `${EVIL} ${tail}`;
const cell = (text: string) => `"${text.replaceAll('"', '""')}"`;

const COLUMNS = [
  'name',
  'country_code',
  'city',
  'street',
  'company_registration_number',
  'contact_first_name',
  'contact_last_name',
  'buyer_reference',
  'request_reference',
  'requested_limit',
  evil('own'),
];

/** A line with markup in every cell that may be any text. */
function lineOf(n: number, amount: string): string {
  const texts = ['name', 'DE', 'city', 'street', `HRB-${n}-`, 'first', 'last', `buyer-${n}`, `reference-${n}`];
  const cells = texts.map((text, at) => (at === 1 ? text : evil(at === 0 ? `B${n}.` : text)));
  return [...cells, amount, evil('cell')].map(cell).join(',');
}

const FILE = [COLUMNS.map(cell).join(','), ...[1, 2, 3, 4].map((n) => lineOf(n, `${n}000`)), lineOf(5, evil('amount'))];

/** A portfolio with hostile texts everywhere, also in the service’s answers: done, rejected, held and invalid. */
async function openHostile() {
  const words = { error: EVIL, code: `${EVIL}_2`, details: [{ field: EVIL, message: EVIL }] };
  const desk = await openDesk(0, {
    rules: [
      { on: 'company', match: ' B1."', fault: 'status', status: 400, body: words },
      { on: 'limit', match: 'HRB-2-', fault: 'status', status: 500, body: EVIL },
      {
        on: 'limit',
        match: 'HRB-3-',
        fault: 'status',
        status: 422,
        body: EVIL,
        headers: { 'content-type': 'text/html' },
      },
      { on: 'limit', match: 'HRB-4-', fault: 'decision', status: EVIL, share: 0.5 },
    ],
  });
  const file = `${EVIL.replaceAll('/', '')}.csv`;
  await writeFile(join(desk.cwd, file), `${FILE.join('\n')}\n`);
  await desk.limitline('run', file, '--portfolio', 'q4', '--no-results', '--yes');
  const web = await openConsole({ ...desk, env: { ...desk.env, QUEUE_BOARD: 'on' } });
  const { location } = await uploadTo(
    web,
    ['file', file, FILE.join('\n')],
    ['documents', `${EVIL.replaceAll('/', '')}.pdf`, '%PDF-1.7\n'],
  );
  const rows = await Promise.all(
    (['done', 'refused', 'held'] as const).map((state) => web.context.rows.inState('q4', state, { count: 5 })),
  );
  return { web, file, draft: location, keys: rows.flat().map(({ row }) => row.key) };
}

/** The markup has not become a part of the page. */
async function expectOnlyText(page: Page) {
  const at = page.url();
  expect(await page.locator('#pwned').count(), at).toBe(0);
  expect(await page.title(), at).not.toBe('pwned');
  expect(await page.locator('script:not([src], [type="application/json"])').count(), at).toBe(0);
}

// Promise: texts-never-run
testInBrowser('markup in any text of a portfolio is shown as text on every page', async () => {
  const { web, draft, keys } = await openHostile();
  const { page, tab, expectFault } = await openBrowser();
  expectFault(/status of (?:40\d|422) /);
  expect(keys).toHaveLength(4);
  const asked = encodeURIComponent(EVIL);
  const paths = [
    '/',
    `/?search=${asked}`,
    '/portfolios/q4',
    '/portfolios/q4?states=done,refused,held',
    `/portfolios/q4?text=${asked.slice(0, 90)}&status=${asked}&cause=${asked.slice(0, 60)}&after=${asked}`,
    `/portfolios/q4?states=${asked}`,
    `/portfolios/${asked}`,
    '/plans/new?portfolio=q4&action=retry',
    `/plans/new?portfolio=${asked}&action=${asked}`,
    `/plans/new?portfolio=q4&action=retry&text=${asked.slice(0, 90)}&status=${asked}`,
    ...keys.map((key) => `/portfolios/q4/rows/${key}?did=${asked}`),
    ...keys.map((key) => `/portfolios/q4/rows/${key}?line=yes&did=constructor`),
    '/held',
    `/portfolios/q4/held?did=${asked}&after=${asked}`,
    '/health',
    `/work?portfolio=q4`,
    `/work?portfolio=q4&text=${asked}&cause=${asked}&after=${asked}`,
    `/work?portfolio=${asked}`,
    '/new',
    draft,
    `${draft}?list=warnings`,
    `/new/${asked}`,
    `/${asked}`,
  ];
  const wrong: string[] = [];
  for (const path of paths) {
    const answer = await page.goto(`${web.url}${path}`);
    if ((answer?.status() ?? 0) >= 500) wrong.push(`${answer?.status()} ${path}`);
    await expectOnlyText(page);
  }
  expect(wrong).toEqual([]);
  for (const queue of ['companies', 'buyer-limits']) {
    for (const status of ['failed', 'completed']) {
      await page.goto(`${web.url}/queues/queue/${queue}?status=${status}`);
      await page.getByRole('heading', { name: queue }).first().waitFor();
      await expectOnlyText(page);
    }
  }
  const ofJobs = ['companies', 'buyer-limits'].flatMap((queue) =>
    keys.map((key) => `${queue}/${encodeURIComponent(`q4/${key}`)}?status=failed`),
  );
  // Each job is opened in a tab of its own, because most time goes into waiting for the network.
  const look = async (job: string) => {
    const one = await tab();
    await one.goto(`${web.url}/queues/queue/${job}`);
    await one.waitForLoadState('networkidle');
    await expectOnlyText(one);
    await one.close();
  };
  await Promise.all([...ofJobs, `${asked}/${asked}?status=${asked}`].map(look));
});
