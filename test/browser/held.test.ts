import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectKeyboardReach, expectNoSidewaysScroll, expectNoViolations } from '../support/browser/expectations.ts';
import { keepScreenshot, openBrowser, testInBrowser } from '../support/browser.ts';
import { openConsole, openDesk } from '../support/desk.ts';
import { openThreeRows } from '../support/three-rows.ts';

testInBrowser(
  'a held row is answered by a file, which is previewed and takes effect after the confirmation',
  async () => {
    const { url, standIn, json } = await openThreeRows();
    const { page } = await openBrowser();
    await page.goto(`${url}/held`);
    await page.getByRole('button', { name: 'Letter to the service' }).click();
    await page.getByText('Text to copy').waitFor();
    // The link returns to the list, which is before and after this page in the history.
    await page.getByRole('link', { name: 'Back', exact: true }).click();
    await page.getByText('Text to copy').waitFor({ state: 'detached' });
    await page.goForward();
    await page.getByRole('heading', { name: 'Held', exact: true }).waitFor();
    // A file without answers, or with wrong ones, links back to the held rows.
    for (const [line, words] of [
      ['2,limit_1', 'Problems in'],
      ['3,', 'The file says nothing'],
    ] as const) {
      await page.goto(`${url}/portfolios/q4/held`);
      const file = { name: 'answers.csv', mimeType: 'text/csv', buffer: Buffer.from(`line,id\n${line}\n`) };
      await page.getByLabel('File (5 MB at the most)').setInputFiles(file);
      await page.getByRole('button', { name: 'Show what it would do' }).click();
      await page.getByText(words).waitFor();
      await backFrom(page, 'Back to what is held');
    }
    await page.goto(`${url}/held`);
    await page.getByRole('link', { name: 'q4', exact: true }).click();
    const made = standIn.things('limit').find(({ body }) => JSON.stringify(body).includes('HRB 2'))?.id ?? '';
    const file = { name: 'answers <b>.csv', mimeType: 'text/csv', buffer: Buffer.from(`line,id\n3,${made}\n`) };
    await page.getByLabel('File (5 MB at the most)').setInputFiles(file);
    await page.getByRole('button', { name: 'Show what it would do' }).click();
    await page.getByRole('heading', { name: 'What answers <b>.csv would do' }).waitFor();
    expect((await json('report', 'q4')).states.held).toBe(1);
    await expectNoViolations(page);
    await page.getByRole('button', { name: `Confirm that ${made} exists` }).click();
    await page.getByText('1 call answered').waitFor();
    await page.getByText('Nothing is held').waitFor();
    expect((await json('report', 'q4')).states.held).toBe(0);
  },
);

testInBrowser(
  'a held row is answered on its page with a preview and a confirmation, and a rejected row is sent again by one click',
  async () => {
    const { url, standIn, rowOf, json } = await openThreeRows();
    const { page } = await openBrowser();
    // The service’s answer is shown as text, and the whole page is reachable by keyboard.
    await page.goto(`${url}${await rowOf('refused')}`);
    expect(await page.locator('.row-outcome pre').textContent()).toContain('<script>alert(1)</script>');
    await page.getByText('What was sent').last().click();
    await expectNoViolations(page);
    await page.reload();
    await expectKeyboardReach(page);
    const row = await rowOf('held');
    await page.goto(`${url}${row}`);
    await page.getByRole('button', { name: 'It was not made: ask again…' }).click();
    await page.getByText('exists twice').waitFor();
    await expectNoViolations(page);
    await keepScreenshot(page, 'held-plan');
    const narrow = await openBrowser({ width: 360, height: 720, dark: true });
    await narrow.page.goto(`${url}${row}`);
    await narrow.page.getByRole('button', { name: 'It was not made: ask again…' }).click();
    await narrow.page.getByText('exists twice').waitFor();
    await expectNoSidewaysScroll(narrow.page);
    await expectNoViolations(narrow.page);
    await keepScreenshot(narrow.page, 'held-plan-dark-360');
    await page.getByRole('link', { name: 'Leave it' }).click();
    const made = standIn.things('limit').find(({ body }) => JSON.stringify(body).includes('HRB 2'))?.id ?? '';
    await page.getByLabel('It exists, under the id').fill(made);
    await page.getByRole('button', { name: 'Confirm it exists…' }).click();
    await page.getByRole('heading', { name: 'What would follow' }).waitFor();
    expect((await json('report', 'q4')).states).toMatchObject({ done: 1, held: 1 });
    await page.getByRole('button', { name: `Confirm that ${made} exists` }).click();
    await page.getByText('It exists: the row goes on.').waitFor();
    expect(new URL(page.url()).pathname).toBe(row);
    expect((await json('report', 'q4')).states).toMatchObject({ held: 0 });
    await page.goto(`${url}${await rowOf('refused')}`);
    await page.getByRole('button', { name: 'Send this row again' }).click();
    await page.getByText('The row goes again').waitFor();
  },
);

testInBrowser('a row that somebody else answers disappears from an open list, which keeps typed ids', async () => {
  const desk = await openDesk(
    3,
    { rules: [{ on: 'limit', fault: 'reset', made: true }] },
    { SERVICE_CONCURRENCY: '1' },
  );
  await desk.limitline('run', 'q4.csv', '--deadline', '20s');
  const { url, context } = await openConsole(desk);
  const [first, second] = await context.stories.held({ count: 2 });
  const narrow = await openBrowser({ width: 360, height: 720, dark: true });
  for (const { page } of [await openBrowser(), narrow]) {
    await page.goto(`${url}/held`);
    await expectNoSidewaysScroll(page);
    await expectNoViolations(page);
  }
  const { page } = narrow;
  await page.getByLabel('Select all on this page').check();
  expect(await page.locator('input[name^="pick-"]:checked').count()).toBe(await context.stories.heldCount());
  await page.locator(`input[name$="${second?.row.key}"][type="text"]`).fill('bl_typed');
  await desk.limitline('resolve', 'q4', '--row', first?.row.key ?? '', '--resend');
  await page.getByText('1 request was answered meanwhile.').waitFor();
  expect(await page.locator(`input[name$="${first?.row.key}"]`).count()).toBe(0);
  expect(await page.locator(`input[name$="${second?.row.key}"][type="text"]`).inputValue()).toBe('bl_typed');
  await page.getByRole('button', { name: 'Letter to the service' }).click();
  await page.getByRole('heading', { name: 'Text to copy' }).waitFor();
  await expectNoSidewaysScroll(page);
  await expectNoViolations(page);
});

testInBrowser('typed ids and selections are kept when going back, and an outdated plan is marked', async () => {
  const rules = [{ on: 'limit', fault: 'reset', made: true }] as const;
  const desk = await openDesk(2, { rules: [...rules] }, { SERVICE_CONCURRENCY: '1' });
  await desk.limitline('run', 'q4.csv', '--deadline', '20s');
  const { url } = await openConsole(desk);
  const { page, expectFault } = await openBrowser();
  expectFault(/422/);
  await page.goto(`${url}/held`);
  const made = desk.standIn.things('limit').find(({ body }) => JSON.stringify(body).includes('HRB 1'))?.id ?? '';
  const id = page.getByLabel(/^Id for Buyer 1 /);
  const pick = page.getByLabel(/^Select Buyer 2 /);
  await id.fill(made);
  await pick.check();
  const ways = [
    ['Confirm the ids…', 'Requests are selected, too'],
    ['The selected were not made: ask again…', 'What would follow'],
    ['Letter to the service', 'Text to copy'],
  ] as const;
  for (const [button, words] of ways) {
    await page.getByRole('button', { name: button }).click();
    await page.getByText(words).first().waitFor();
    await page.goBack();
    await page.getByRole('button', { name: button }).waitFor();
    expect([await id.inputValue(), await pick.isChecked()]).toEqual([made, true]);
  }
  for (const [button, link] of [
    ['Letter to the service', 'Back'],
    ['The selected were not made: ask again…', 'Leave it'],
  ] as const) {
    await page.getByRole('button', { name: button }).click();
    await page.getByRole('link', { name: link, exact: true }).click();
    await page.getByRole('button', { name: button }).waitFor();
    expect([link, await id.inputValue(), await pick.isChecked()]).toEqual([link, made, true]);
  }
  // The name of the file is shown on one line.
  await page.getByRole('button', { name: 'The selected were not made: ask again…' }).click();
  await page.getByRole('cell', { name: 'q4.csv #1' }).first().waitFor();
  const lines = `(() => {
    const range = document.createRange();
    range.selectNodeContents([...document.querySelectorAll('td')].find(({ textContent }) => textContent === 'q4.csv #1'));
    return new Set([...range.getClientRects()].map(({ bottom }) => bottom)).size;
  })()`;
  expect(await page.evaluate(lines)).toBe(1);
  // The answer to an impossible id leads to its field: by the keyboard, and for a screen reader, which reads the problem with it.
  await page.getByRole('link', { name: 'Leave it', exact: true }).click();
  await pick.uncheck();
  await id.fill('no id');
  await page.getByRole('button', { name: 'Confirm the ids…' }).click();
  await page.getByText('1 answer cannot be right.').waitFor();
  await expect.poll(() => id.evaluate((field) => field.matches(':focus'))).toBe(true);

  const plan = async () => {
    const browser = await openBrowser();
    browser.expectFault(/409/);
    await browser.page.goto(`${url}/held`);
    await browser.page.getByLabel(/^Id for Buyer 1 /).fill(made);
    await browser.page.getByRole('button', { name: 'Confirm the ids…' }).click();
    const yes = browser.page.getByRole('button', { name: `Confirm that ${made} exists` });
    await yes.waitFor();
    await expect.poll(() => new URL(browser.page.url()).pathname).toBe('/held');
    return { page: browser.page, yes };
  };
  const [one, other] = [await plan(), await plan()];
  await one.yes.click();
  await one.page.getByText('1 call answered').waitFor();
  await one.page.goBack();
  await one.page.getByRole('heading', { name: 'Held', exact: true }).waitFor();
  await other.page.getByText('this plan may be old').waitFor();
  await expectNoViolations(other.page);
  await other.yes.click();
  await other.page.getByText('Something has changed since this plan was made').waitFor();
  // Going back from the refused plan shows the held rows.
  await backFrom(other.page, 'Back to what is held');
});

/** Leaves the answer of a form by this link, and goes back. */
async function backFrom(page: Page, link: string) {
  await expect.poll(() => new URL(page.url()).pathname).toMatch(/held$/);
  await page.getByRole('link', { name: link, exact: true }).click();
  const heading = page.getByRole('heading', { name: /^Held/, level: 1 });
  await heading.waitFor();
  await page.goBack();
  await heading.waitFor();
}
