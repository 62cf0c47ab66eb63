import { expect } from 'vitest';
import { expectNoSidewaysScroll, expectNoViolations } from '../support/browser/expectations.ts';
import { keepScreenshot, openBrowser, testInBrowser } from '../support/browser.ts';
import { openConsole, openDesk } from '../support/desk.ts';

async function openTrail() {
  const { context, url } = await openConsole(await openDesk(1));
  const { audit } = context;
  const desk = { from: '10.0.0.7' };
  await audit.note({ ...desk, by: 'ann', what: 'session begun', facts: { agent: 'Firefox 140' } });
  await audit.around(
    {
      ...desk,
      by: 'ann',
      what: 'portfolio submitted',
      about: 'Q4 buyers north',
      facts: { rows: 412, sum: '1250000.50' },
    },
    async () => 412,
    (rows) => ({ rows }),
  );
  await audit.refusal({ from: '203.0.113.9', by: '<b>admin</b>\u202Egnp', what: 'sign-in refused' });
  await audit.around(
    { ...desk, by: 'ben.the-approver', what: 'portfolio approved', about: 'Q4 buyers north' },
    async () => {},
  );
  await audit
    .around({ ...desk, by: 'ops', what: 'rows retried', about: 'q3', facts: { cause: 'k3f9', planned: 41 } }, () =>
      Promise.reject(new Error('Redis was away')),
    )
    .catch(() => {});
  return url;
}

testInBrowser('audit entries are readable on a phone in the dark, and can be opened', async () => {
  const url = await openTrail();
  const { page } = await openBrowser({ width: 360, height: 740, dark: true });
  await page.goto(`${url}/audit`);
  await page.getByText('rows retried').first().waitFor();
  await page.getByText('3 facts').or(page.getByText('2 facts')).first().click();
  await keepScreenshot(page, 'audit-dark-360');
  await expectNoSidewaysScroll(page);
  await expectNoViolations(page);
});

testInBrowser('audit entries are searched without script, and the address contains the search', async () => {
  const url = await openTrail();
  const { page } = await openBrowser({ script: false });
  await page.goto(`${url}/audit`);
  await page.getByLabel('Who').fill('BEN');
  await page.getByRole('button', { name: 'Find' }).click();
  await page.getByText('2 entries shown').waitFor();
  expect(await page.getByRole('row').count()).toBe(3);
  expect(new URL(page.url()).searchParams.get('by')).toBe('BEN');
  await page.getByRole('link', { name: 'Show all' }).click();
  await page.getByText('of 9 entries').waitFor();
});
