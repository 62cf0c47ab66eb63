import { expect } from 'vitest';
import { expectNoSidewaysScroll, expectNoViolations } from '../support/browser/expectations.ts';
import { keepScreenshot, openBrowser, testInBrowser } from '../support/browser.ts';
import { openConsole, openDesk } from '../support/desk.ts';

const REFUSED = '{"error":"requested_limit is above <img src=x onerror=alert(1)>"}';

/** Two rows rejected alike, one rejected otherwise, one held and four done. */
async function openFailed() {
  const desk = await openDesk(8, {
    rules: [
      { on: 'limit', match: '"HRB 1"', times: 1, fault: 'status', status: 422, body: REFUSED },
      { on: 'limit', match: '"HRB 2"', times: 1, fault: 'status', status: 422, body: REFUSED },
      { on: 'limit', match: '"HRB 3"', times: 1, fault: 'status', status: 500, body: 'no' },
      { on: 'limit', match: '"HRB 4"', times: 1, fault: 'status', status: 403, body: 'never' },
    ],
  });
  const run = await desk.limitline('run', 'q4.csv', '--portfolio', 'q4', '--yes');
  expect(run, run.stderr).toMatchObject({ status: 2 });
  return openConsole(desk);
}

testInBrowser(
  'failed rows are found and sent again on the page of the queues, and a queue is paused and resumed live',
  async () => {
    const { url, context } = await openFailed();
    const { page } = await openBrowser();
    const states = async () => (await context.portfolios.read('q4')).states;
    await page.goto(`${url}/work`);
    await page.getByRole('link', { name: 'q4', exact: true }).click();
    await page.getByText('requested_limit is above').first().waitFor();
    await page.evaluate('scrollTo(0, 0)');
    await keepScreenshot(page, 'queues');
    await expectNoViolations(page);

    await page.getByLabel('Line, name, reference or id').fill('buyer 4');
    await page.getByRole('button', { name: 'Find' }).click();
    await expect.poll(() => page.getByRole('button', { name: /^Send again: line/ }).count()).toBe(1);
    await page.getByRole('button', { name: 'Send again: line 5 of q4' }).click();
    await expect.poll(states).toMatchObject({ queued: 1, refused: 2, held: 1 });
    expect(page.url()).toContain('text=buyer+4');

    await page.getByRole('link', { name: 'Pause companies' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    await page.getByText('The queue companies is paused').waitFor();
    // The page is updated without loading it again.
    await context.queues.resumeQueue('companies');
    await page.getByRole('link', { name: 'Pause companies' }).waitFor();
  },
);

testInBrowser('the commands on the page of the queues stay within their cells at every width', async () => {
  const { url, context } = await openFailed();
  await context.queues.pauseQueue('documents');
  for (const [width, dark] of [
    [1280, false],
    [1280, true],
    [800, true],
    [360, false],
  ] as const) {
    const { page } = await openBrowser({ width, dark });
    await page.goto(`${url}/work`);
    await page.getByText('npx limitline pause --queue companies').waitFor();
    await expectNoSidewaysScroll(page);
    const cell = page.locator('.is-actions', { hasText: 'pause --queue buyer-limits' });
    // Both are measured in one step, because a live page may replace the cell in between.
    const room = () =>
      cell.evaluate((box) => {
        const [outer, inner] = [box, box.querySelector('.command')].map((part) => part?.getBoundingClientRect().right);
        return (outer ?? 0) - (inner ?? Number.NaN);
      });
    await expect.poll(room).toBeGreaterThanOrEqual(0);
  }
});

// Promise: no-commands-for-finance
testInBrowser('the switch at the foot of a page hides commands, and the browser remembers it', async () => {
  const { url } = await openFailed();
  const { page } = await openBrowser();
  await page.goto(`${url}/work`);
  const command = page.getByText('npx limitline pause --queue companies');
  await command.waitFor();
  await page.getByLabel('Show terminal commands').uncheck();
  await command.waitFor({ state: 'hidden' });
  await page.reload();
  await page.getByRole('link', { name: 'Pause companies' }).waitFor();
  await command.waitFor({ state: 'hidden' });
  await page.getByLabel('Show terminal commands').check();
  await command.waitFor();
});
