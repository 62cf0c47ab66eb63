import { expect } from 'vitest';
import { openBrowser, testInBrowser } from '../support/browser.ts';
import { decided, openConsole, openDesk } from '../support/desk.ts';

/** Browsers write line breaks and null characters of a field otherwise than they were. */
const ODD = 'in\r\n\0progress\n<b>';

testInBrowser(
  'what a status means is said by one click, from a piece that came by events too, and without script',
  async () => {
    const desk = await openDesk(3, { rules: [decided(1, ODD), decided(2, 'pending')] });
    await desk.limitline('run', 'q4.csv', '--no-results');
    const web = await openConsole(desk);
    const { page } = await openBrowser();
    await page.goto(`${web.url}/portfolios/q4`);
    // An answer given elsewhere leaves the open page by its events, and the question that stays is from them.
    await desk.limitline('statuses', 'pending', '--means', 'declined');
    await expect.poll(() => page.getByText('What does it mean?').count()).toBe(1);
    await page.getByRole('button', { name: 'Under review' }).click();
    // What was said is told, with the way back to where it was said.
    await page.getByText('from now on, in all portfolios of the account').waitFor();
    await page.getByRole('link', { name: 'Back to q4' }).click();
    await page.waitForURL(/\/portfolios\/q4$/);
    expect(await page.getByText('What does it mean?').count()).toBe(0);
    await expect.poll(() => page.locator('.chip', { hasText: 'under review 1' }).count()).toBe(1);
    expect((await desk.json('report', 'q4')).outcomes).toMatchObject({
      under_review: { rows: 1 },
      declined: { rows: 1 },
    });

    const plain = await openBrowser({ script: false, width: 360 });
    await plain.page.goto(`${web.url}/statuses`);
    await plain.page.getByRole('button', { name: 'Take back what pending means' }).click();
    await plain.page.goto(`${web.url}/`);
    await plain.page.getByRole('button', { name: 'Approved' }).click();
    await plain.page.getByRole('link', { name: 'Back to the portfolios' }).click();
    expect(new URL(plain.page.url()).pathname).toBe('/');
    expect(await plain.page.getByText('What does it mean?').count()).toBe(0);
  },
);
