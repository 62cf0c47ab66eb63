import { expect } from 'vitest';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import {
  expectKeyboardReach,
  expectNoSidewaysScroll,
  expectNoViolations,
  tabTo,
} from '../support/browser/expectations.ts';
import { keepScreenshot, openBrowser, testInBrowser } from '../support/browser.ts';
import { openConsole, openDesk } from '../support/desk.ts';

/** A portfolio with two rejected companies and one rejected limit, which the service would accept now. */
async function withRefusals() {
  const desk = await openDesk(6, {
    rules: [
      { on: 'company', match: 'Buyer 1 ', fault: 'status', status: 400, body: 'name is too odd' },
      { on: 'company', match: 'Buyer 2 ', fault: 'status', status: 400, body: 'name is too odd' },
      { on: 'limit', match: 'HRB 3', fault: 'status', status: 422, body: 'amount is too high' },
    ],
  });
  await desk.limitline('run', 'q4.csv', '--no-results');
  await desk.standIn.setFaults({ rules: [] });
  const web = await openConsole(desk);
  const causes = await web.context.portfolios.causes('q4');
  return { ...desk, web, cause: (status: number) => causes.find((one) => one.status === status)?.id ?? '' };
}

testInBrowser(
  'rows with one cause are sent again by a plan, and only the first of two confirmations takes effect',
  async () => {
    const { web, cause, start, standIn } = await withRefusals();
    const { page, tab } = await openBrowser();
    await page.goto(`${web.url}/plans/new?portfolio=q4&action=retry&cause=${cause(400)}`);
    await expectNoViolations(page);
    expect(await page.locator('h1').textContent()).toBe('Send 2 rejected rows again?');
    expect(await page.locator('main').textContent()).toContain(`npx limitline retry q4 --cause ${cause(400)}`);
    await keepScreenshot(page, 'plan');
    // The same plan is confirmed first in another tab.
    const address = await page.locator('form[action$="/confirm"]').getAttribute('action');
    const other = await tab();
    await other.goto(`${web.url}${address?.replace('/confirm', '')}`);
    await other.getByRole('button', { name: 'Send 2 rejected rows again' }).click();
    await other.waitForURL(/\/plans\/[\w-]+$/);
    expect(await other.locator('h1').textContent()).toBe('2 rows sent again');
    await expectNoViolations(other);
    await keepScreenshot(other, 'plan-done');
    await page.getByRole('button', { name: 'Send 2 rejected rows again' }).click();
    await page.waitForURL(/twice/);
    expect(await page.getByRole('alert').textContent()).toContain('confirmed already');

    await start('work', '--until-settled').ended;
    expect((await web.context.portfolios.read('q4')).states).toMatchObject({ done: 5, refused: 1 });
    expect(standIn.counts().made).toMatchObject({ company: 6, limit: 5 });
  },
);

// Promise: pages-for-everybody
testInBrowser('a plan works by keyboard on a narrow dark screen, and without script', async () => {
  const { web, cause } = await withRefusals();
  const { page } = await openBrowser({ width: 320, height: 700, dark: true });
  await page.goto(`${web.url}/plans/new?portfolio=q4&action=cancel&cause=${cause(422)}`);
  await expectNoViolations(page);
  await expectNoSidewaysScroll(page);
  await expectKeyboardReach(page);
  await keepScreenshot(page, 'plan-dark-320');
  await tabTo(page, page.getByRole('button', { name: 'Cancel 1 rejected row' }));
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/plans\/[\w-]+$/);
  expect(await page.locator('h1').textContent()).toBe('1 row cancelled');
  await expectNoSidewaysScroll(page);
  await keepScreenshot(page, 'plan-done-dark-320');

  const plain = await openBrowser({ script: false });
  await plain.page.goto(`${web.url}/plans/new?portfolio=q4&action=retry`);
  await plain.page.getByRole('button', { name: 'Send 2 rejected rows again' }).click();
  expect(await plain.page.locator('h1').textContent()).toBe('2 rows sent again');
});

testInBrowser('a plan in a dialog leaves out a row that was sent again meanwhile, and says so', async () => {
  const { web } = await withRefusals();
  const { page } = await openBrowser();
  await page.goto(`${web.url}/portfolios/q4?states=refused`);
  const link = page.getByRole('link', { name: 'Send these again…' });
  await link.click();
  const dialog = page.getByRole('dialog', { name: 'Send 3 rejected rows again?' });
  await dialog.waitFor();
  await expectNoViolations(page);
  await keepScreenshot(page, 'plan-dialog');
  // Escape closes the dialog without effect, and returns the focus.
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(await link.evaluate((element: unknown) => element === Reflect.get(globalThis, 'document').activeElement)).toBe(
    true,
  );
  await link.press('Enter');
  await dialog.waitFor();
  const [first] = (await web.context.rows.inState('q4', 'refused', { count: 1 })).map(({ row }): RowId => row);
  if (first) await web.context.rows.requeue(first, 'refused');
  await page.getByRole('button', { name: 'Send 3 rejected rows again' }).click();
  await page.waitForURL(/\/plans\/[\w-]+$/);
  expect(await page.locator('main').textContent()).toContain('1 planned row had changed since');
});
