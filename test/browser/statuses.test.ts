import { expect } from 'vitest';
import { openBrowser, testInBrowser } from '../support/browser.ts';
import { decided, openConsole, openDesk } from '../support/desk.ts';

/** Browsers change line breaks and NUL characters in form fields. */
const ODD = 'in\r\n\0progress\n<b>';

testInBrowser(
  'the meaning of a status is given by one click, also from a live update, and without script',
  async () => {
    const desk = await openDesk(3, { rules: [decided(1, ODD), decided(2, 'pending')] });
    await desk.limitline('run', 'q4.csv', '--no-results');
    const web = await openConsole(desk);
    const { page } = await openBrowser();
    await page.goto(`${web.url}/portfolios/q4`);
    // An answer that is given elsewhere disappears from the open page. The remaining question comes from a live
    // update.
    await desk.limitline('statuses', 'pending', '--means', 'declined');
    await expect.poll(() => page.getByText('What does it mean?').count()).toBe(1);
    await page.getByRole('button', { name: 'Under review' }).click();
    // The page confirms the answer, and links back.
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
