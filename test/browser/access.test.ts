import { expect } from 'vitest';
import type { Person } from '../../src/people/person.ts';
import { expectKeyboardReach, expectNoSidewaysScroll, expectNoViolations } from '../support/browser/expectations.ts';
import { keepScreenshot, openBrowser, testInBrowser } from '../support/browser.ts';
import { openThreeRows } from '../support/three-rows.ts';

testInBrowser(
  'a refused page names the admins, and a viewer’s pages show only permitted links, light, dark and at 360 px',
  async () => {
    const vera: Person = { by: 'vera', roles: ['viewer'] };
    const { url } = await openThreeRows({ identify: async () => vera, admins: async () => ['ada', 'hans'] });
    for (const looks of [{}, { width: 360, height: 720, dark: true }]) {
      const { page, expectFault } = await openBrowser(looks);
      const name = `${looks.width ?? 'wide'}-${looks.dark ? 'dark' : 'light'}`;
      expectFault(/status of 403/);
      await page.goto(`${url}/work`);
      expect(await page.textContent('main')).toContain('Ask ada or hans for it');
      expect(await page.locator('.places a').allTextContents()).toEqual([
        'Portfolios',
        'Approvals',
        'Nightly',
        'Health',
      ]);
      await Promise.all([expectNoSidewaysScroll(page), expectNoViolations(page)]);
      await keepScreenshot(page, `refused-${name}`);
      await page.goto(`${url}/portfolios/q4`);
      expect(await page.locator('main button:visible, main a:visible').allTextContents()).not.toContain('Pause');
      await Promise.all([expectNoSidewaysScroll(page), expectNoViolations(page)]);
      await expectKeyboardReach(page);
      await keepScreenshot(page, `portfolio-as-viewer-${name}`);
    }
  },
);

testInBrowser('after a role was removed an open page’s buttons are refused with the reason', async () => {
  let person: Person = { by: 'olaf', roles: ['operator'] };
  const { url, context } = await openThreeRows({ identify: async () => person });
  const { page, expectFault } = await openBrowser();
  expectFault(/status of 403/);
  await page.goto(`${url}/portfolios/q4`);
  const retry = page.getByRole('link', { name: /Send 1 rejected/ }).first();
  await retry.waitFor();
  person = { by: 'olaf', roles: ['viewer'] };
  await retry.click();
  await page.getByText('This takes the role operator').waitFor();
  expect((await context.portfolios.read('q4')).states.refused).toBe(1);
  await page.goto(`${url}/portfolios/q4`);
  expect(await page.getByRole('link', { name: /Send 1 rejected/ }).count()).toBe(0);
  // Keyboard shortcuts lead only to pages in the navigation.
  await page.keyboard.press('g');
  await page.keyboard.press('q');
  await page.keyboard.press('g');
  await page.keyboard.press('p');
  await page.waitForURL(`${url}/`);
});
