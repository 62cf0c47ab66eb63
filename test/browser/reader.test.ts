import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { keepScreenshot, openBrowser, testInBrowser } from '../support/browser.ts';
import { openConsole, openDesk } from '../support/desk.ts';

const tooHigh = { on: 'limit', match: 'HRB 3"', fault: 'status', status: 422, body: 'too high' } as const;

async function openPages() {
  const desk = await openDesk(4, { rules: [tooHigh] });
  const lines = ['Bau Groß AG,DE,HRB 77,400000.5', 'Nobody,DE,HRB 9,abc', 'Bau Klein AG,DE,HRB 78,400'];
  await writeFile(join(desk.cwd, 'q4.csv'), `${await desk.read('q4.csv')}${lines.join('\n')}\n`);
  await desk.limitline('run', 'q4.csv', '--yes');
  return openConsole(desk);
}

testInBrowser(
  // Promise: times-of-the-reader
  'times and amounts are shown in the reader’s locale with UTC as a tooltip, also in live updates',
  async () => {
    const { url, context } = await openPages();
    const { page } = await openBrowser({ locale: 'de-DE', timezoneId: 'Asia/Kolkata' });
    await page.goto(`${url}/portfolios/q4`);
    const changed = page.locator('#rows tbody tr').first().locator('time');
    const local = (iso: string) =>
      new Intl.DateTimeFormat('de-DE', {
        timeZone: 'Asia/Kolkata',
        year: 'numeric',
        month: 'short',
        day: 'numeric',
        hour: '2-digit',
        minute: '2-digit',
      }).format(new Date(iso));
    const iso = (await changed.getAttribute('datetime')) ?? '';
    await expect.poll(() => changed.textContent()).toBe(local(iso));
    expect(await changed.getAttribute('title')).toMatch(`${iso.slice(0, 16).replace('T', ' ')}`);
    expect(await changed.getAttribute('title')).toMatch(/ UTC$/);
    expect(await page.locator('#rows thead').textContent()).not.toContain('UTC');
    const amounts = page.locator('#rows td.is-amount');
    expect(await amounts.allTextContents()).toContain('400.000,50');
    expect(await page.locator('#portfolio-money').textContent()).toMatch(/404\.412,50.*granted: 403\.409,00/s);
    // A day without a time is the same day wherever the reader is.
    const time = '<time id="day" datetime="2026-11-29T23:59:59.999Z" data-local="date">2026-11-29</time>';
    await page.evaluate(`document.body.insertAdjacentHTML('beforeend', '${time}')`);
    await expect.poll(() => page.locator('#day').textContent()).toBe('29. Nov. 2026');
    // A fragment of a live update.
    await context.ledger.hincrby(context.keys.portfolio('q4'), 'made:limit', -1);
    await page.getByText('Counts differ.').waitFor({ state: 'attached' });
    expect(await page.locator('#portfolio-money').textContent()).toContain('404.412,50');
    expect(await page.locator('#portfolio-money time').textContent()).toBe(
      local((await page.locator('#portfolio-money time').getAttribute('datetime')) ?? ''),
    );

    // Typed amounts are read in the reader’s notation.
    await page.getByLabel('Amount from').fill('400.000');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.waitForURL(/decimal=%2C/);
    expect(await page.locator('#rows tbody th').allTextContents()).toEqual(['Bau Groß AG']);
    await page.getByLabel('Amount from').fill('400,000');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByText('can mean two things').first().waitFor();
    await keepScreenshot(page, 'portfolio-amount-asked');

    await page.goto(`${url}/portfolios/q4`);
    await page.locator('#rows tbody th a').first().click();
    const times = page.locator('.timeline time');
    await expect.poll(async () => (await times.first().getAttribute('title')) ?? '').toMatch(/ UTC$/);
    expect(await page.locator('.timeline .day').count()).toBeGreaterThan(0);
    expect(await page.locator('main').textContent()).not.toContain('Times are UTC');
  },
);

// Promise: times-without-script
testInBrowser(
  'without script times are marked as UTC, and with script selected rows are planned in a dialog',
  async () => {
    const { url } = await openPages();
    const plain = await openBrowser({ script: false, locale: 'de-DE', timezoneId: 'Asia/Kolkata' });
    await plain.page.goto(`${url}/portfolios/q4`);
    const textOf = (part: string) => plain.page.locator(part).textContent();
    expect(await textOf('#rows thead')).toContain('Changed (UTC)');
    expect(await textOf('#portfolio-money')).toMatch(/Finished \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/);
    expect(await plain.page.locator('#rows td.is-amount').allTextContents()).toContain('400,000.50');

    const { page } = await openBrowser();
    await page.goto(`${url}/portfolios/q4`);
    // The page asks for a selection when there is none.
    await page.getByRole('button', { name: 'Send selected again…' }).click();
    await page.getByText('Select at least one row first.').waitFor();
    await page.getByLabel('Select all on this page').check();
    await page.getByRole('button', { name: 'Send selected again…' }).click();
    await page.getByRole('dialog').getByText('Send 1 row again?').waitFor();
    await keepScreenshot(page, 'portfolio-selected');
  },
);
