import { pathToFileURL } from 'node:url';
import { expect } from 'vitest';
import { eventAddress } from '../../src/console/pages/addresses.ts';
import { expectKeyboardReach, expectNoSidewaysScroll, expectNoViolations } from '../support/browser/expectations.ts';
import { keepScreenshot, openBrowser, testInBrowser } from '../support/browser.ts';
import { allEvents, eventOf } from '../support/events.ts';
import { foundItem } from '../support/found-items.ts';
import { openNightlyConsole, ordinaryNights } from '../support/nightly-console.ts';

testInBrowser('the nightly pages are accessible without findings, with thousands of them, and on paper', async () => {
  const { url, night, context } = await openNightlyConsole();
  const wide = await openBrowser();
  const narrow = await openBrowser({ width: 360, height: 720, dark: true });
  const lookWide = async (path: string, name: string) => {
    await wide.page.goto(`${url}${path}`);
    await expectNoViolations(wide.page);
    await keepScreenshot(wide.page, name);
  };
  const lookNarrow = async (path: string, name: string) => {
    await narrow.page.goto(`${url}${path}`);
    await expectNoSidewaysScroll(narrow.page);
    await expectNoViolations(narrow.page);
    await keepScreenshot(narrow.page, `${name}-dark-360`);
  };
  await night('2026-11-18T01:30:00.000Z', []);
  await lookWide('/nightly', 'nightly-calm');
  await context.retryRules.add({ status: 422, words: 'closed for the night', nights: 3, by: 'olivia' });
  await context.events.keep(eventOf(`<script>alert(1)</script>${'bl_8f3a2c company_81fa20 '.repeat(900)}`));
  await context.events.keep(eventOf('{"id":"evt_17","data":{"id":"bl_8f3a2c","status":"approved"}}'));
  const [event] = await allEvents(context.events);
  await lookNarrow(eventAddress(event?.id ?? ''), 'service-event');
  const [first, second] = ordinaryNights();
  await night('2026-11-19T01:30:00.000Z', first);
  const { files } = await night('2026-11-20T01:30:00.000Z', second);
  await lookWide('/nightly', 'nightly');
  // The form for a new rule is open.
  await lookNarrow('/nightly/automation?cause=k3f9', 'nightly-automation');
  await expectKeyboardReach(narrow.page);
  const many = Array.from({ length: 2_000 }, (_none, place) => foundItem({ portfolio: `q${place}` }));
  await night('2026-11-21T01:30:00.000Z', many);
  await lookNarrow('/nightly', 'nightly');
  await lookWide('/nightly/automation', 'nightly-automation');
  await lookWide('/nightly/notices', 'nightly-notices');
  await lookWide('/nightly', 'nightly-many');
  await wide.page.locator('summary', { hasText: '2,000 findings' }).click();
  await wide.page.getByRole('link', { name: 'All 2,000 findings' }).click();
  await wide.page.getByRole('link', { name: 'Next' }).click();
  await wide.page.getByText('51 to 100 of 2,000').waitFor();

  await wide.page.emulateMedia({ colorScheme: 'dark' });
  wide.expectFault(/^asked elsewhere: GET file:/);
  await wide.page.goto(pathToFileURL(`${files?.folder}/report.html`).href);
  await expectNoViolations(wide.page);
  await keepScreenshot(wide.page, 'nightly-paper');
  expect(await wide.page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
});
