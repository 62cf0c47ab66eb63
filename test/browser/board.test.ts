import { expect } from 'vitest';
import type { RowState } from '../../src/ledger/schema/row.ts';
import { openBoardRows } from '../support/board-rows.ts';
import { keepScreenshot, openBrowser, testInBrowser } from '../support/browser.ts';

testInBrowser('the board sends a rejected row again, and refuses everything else with its reason', async () => {
  const { url, context } = (await openBoardRows()).web;
  const { page, expectFault } = await openBrowser();
  const states = async () => (await context.portfolios.read('q4')).states;
  const says = (words: string) => page.getByText(words).first().waitFor();
  /** Opens the job of the row in this state, and presses one of its buttons. */
  const press = async (place: number, state: RowState, status: string) => {
    const [found] = await context.rows.inState('q4', state, { count: 1 });
    const id = `q4/${found?.row.key}`;
    await page.goto(`${url}/queues/queue/buyer-limits/${encodeURIComponent(id)}?status=${status}`);
    await page.getByText(id, { exact: true }).first().locator(`xpath=following::button[${place}]`).click();
  };
  const confirm = () => page.getByRole('button', { name: 'Confirm' }).click();
  await page.goto(`${url}/queues/queue/buyer-limits?status=failed`);
  await says('line 2: refused with status 422');
  await keepScreenshot(page, 'board');

  expectFault(/40[39]/);
  await page.getByRole('button', { name: 'Clean all' }).click();
  await confirm();
  await says('The board must not add, change or remove jobs.');
  await press(1, 'held', 'failed');
  await confirm();
  await says('Say what became of it on the page Held: /held');
  // The editor has style sheets of its own.
  await press(1, 'done', 'completed');
  await page.getByRole('dialog').waitFor();
  await press(2, 'done', 'completed');
  await confirm();
  await says('was made already and is not requested twice');
  expect(await states()).toMatchObject({ refused: 1, held: 1, done: 1 });
  await press(1, 'refused', 'failed');
  await confirm();
  await expect.poll(states).toMatchObject({ queued: 1, refused: 0 });
});
