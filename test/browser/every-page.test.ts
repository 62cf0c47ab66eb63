import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { expectKeyboardReach, expectNoSidewaysScroll, expectNoViolations } from '../support/browser/expectations.ts';
import { keepScreenshot, openBrowser, testInBrowser } from '../support/browser.ts';
import { openConsole, openDesk, uploadTo } from '../support/desk.ts';
import { buyerLines } from '../support/workplace.ts';

/**
 * Every page of the console but *Nightly* (nightly.test.ts), by the name of its screenshot. `DONE` and the like stand
 * for the key of such a row, `BUYER` for the key of its buyer, and `DRAFT` for the id of an upload.
 */
const PAGES: [name: string, path: string][] = [
  ['portfolios', '/'],
  ['declined', '/declined'],
  ['lowered', '/lowered'],
  ['portfolio', '/portfolios/q4'],
  ['portfolio-rows', '/portfolios/q4?states=refused,held'],
  ['plan-of-all', '/plans/new?portfolio=q4&action=retry'],
  ['statuses', '/statuses'],
  ['row-done', '/portfolios/q4/rows/DONE'],
  ['row-refused', '/portfolios/q4/rows/REFUSED'],
  ['row-held', '/portfolios/q4/rows/HELD'],
  ['buyers-found', '/search?text=buyer'],
  ['buyer', '/buyers/BUYER'],
  ['held', '/held'],
  ['health', '/health'],
  ['new', '/new'],
  ['new-preview', '/new/DRAFT'],
  ['queues', '/work?portfolio=q4'],
  ['approvals', '/approvals'],
  ['users', '/users'],
  ['audit', '/audit'],
  ['keys', '/keys'],
  ['not-found', '/nowhere'],
];

/** A used console: done, rejected and held rows, and a name with markup. */
async function openUsed() {
  const desk = await openDesk(5, {
    rules: [
      { on: 'company', match: 'Buyer 1 ', fault: 'status', status: 400, body: 'the name is too odd' },
      { on: 'limit', match: 'HRB 2"', fault: 'reset', made: true },
      { on: 'limit', match: 'HRB 3"', fault: 'decision', status: 'in_progress <b>', share: 0 },
      { on: 'limit', match: 'HRB 4"', fault: 'decision', status: 'approved', share: 0 },
    ],
  });
  await desk.limitline('run', 'q4.csv', '--no-results');
  const web = await openConsole(desk);
  await web.context.queues.pauseQueue('documents');
  const lines = buyerLines(4).join('\n').replace('1002.50', 'much').replace('Buyer 3', '<b onclick=alert(1)>Buyer</b>');
  const { location } = await uploadTo(web, ['file', 'q5.csv', lines]);
  const keyOf = async (state: 'done' | 'refused' | 'held') =>
    (await web.context.rows.inState('q4', state, { count: 1 }))[0]?.row.key ?? '';
  const [done] = await web.context.rows.read([{ portfolio: 'q4', key: await keyOf('done') }]);
  const keys = {
    BUYER: done?.request.buyer ?? '',
    DONE: await keyOf('done'),
    REFUSED: await keyOf('refused'),
    HELD: await keyOf('held'),
  };
  const pathOf = (path: string) =>
    path
      .replace(/BUYER|DONE|REFUSED|HELD/, (state) => keys[state as keyof typeof keys])
      .replace('/new/DRAFT', location);
  return { desk, web, pathOf };
}

// Promise: pages-for-everybody
testInBrowser('every page is accessible and fits, light and dark, wide and at 320 px', async () => {
  const { web, pathOf } = await openUsed();
  const wide = await openBrowser();
  const narrow = await openBrowser({ width: 320, height: 720, dark: true });
  for (const one of [wide, narrow]) one.expectFault(/status of 404 .*\/nowhere/);
  const wrong: string[] = [];
  const check = (what: Promise<void>) => what.catch((error: Error) => void wrong.push(error.message));
  for (const [name, template] of PAGES) {
    const path = pathOf(template);
    await wide.page.goto(`${web.url}${path}`);
    expect(await wide.page.locator('h1').count(), `headings of ${path}`).toBe(1);
    const ids = await wide.page.locator('[id]').evaluateAll((all) => all.map(({ id }) => id));
    expect(
      ids.filter((id, place) => ids.indexOf(id) !== place),
      `ids that ${path} has twice`,
    ).toEqual([]);
    await check(expectNoViolations(wide.page));
    await keepScreenshot(wide.page, name);
    await narrow.page.goto(`${web.url}${path}`);
    await check(expectNoSidewaysScroll(narrow.page));
    await check(expectNoViolations(narrow.page));
    await check(expectKeyboardReach(narrow.page));
    await keepScreenshot(narrow.page, `${name}-dark-320`);
  }
  expect(wrong).toEqual([]);
});

testInBrowser('a printed page cuts off no column of its tables, as nobody can scroll on paper', async () => {
  const { desk, web } = await openUsed();
  const yen = ['name,requested_limit,currency', 'Buyer of Osaka,999999999,JPY', 'Buyer of Kobe,300000000,JPY'];
  await writeFile(join(desk.cwd, 'yen.csv'), yen.join('\n'));
  await desk.limitline('run', 'yen.csv', '--no-results');
  // The width of A4 in pixels, without its margins.
  const { page } = await openBrowser({ width: 717, height: 1_000 });
  await page.emulateMedia({ media: 'print' });
  for (const path of ['/', '/portfolios/q4', '/declined', '/held', '/statuses']) {
    await page.goto(`${web.url}${path}`);
    await page.locator('.table').first().waitFor();
    const cut = await page.evaluate<string[]>(`[...document.querySelectorAll('.table .cell')]
      .filter((cell) => cell.checkVisibility() && cell.getBoundingClientRect().right > innerWidth + 1)
      .map((cell) => cell.getAttribute('data-head') ?? cell.textContent)`);
    expect(cut, `what is cut off of ${path}`).toEqual([]);
    // Words of a column that is too narrow would break between any two letters.
    const narrow = await page.evaluate<string[]>(`[...document.querySelectorAll('.wait')]
      .filter((wait) => wait.clientWidth < 50).map((wait) => wait.textContent)`);
    expect(narrow, `what is too narrow to read on ${path}`).toEqual([]);
    const right = await page.evaluate<string[]>(`[...document.querySelectorAll('.cell:not(.is-amount) > .row-problem')]
      .filter((one) => getComputedStyle(one).textAlign === 'right').map((one) => one.textContent)`);
    expect(right, `what is at the right of its column on ${path}`).toEqual([]);
  }
});
