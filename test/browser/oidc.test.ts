import { expect } from 'vitest';
import { expectNoSidewaysScroll, expectNoViolations } from '../support/browser/expectations.ts';
import { keepScreenshot, type Looks, openBrowser, testInBrowser } from '../support/browser.ts';
import { openConsole, openDesk } from '../support/desk.ts';
import { CLIENT } from '../support/oidc-console.ts';
import { startOidcProvider } from '../support/oidc-provider.ts';

async function open() {
  const provider = await startOidcProvider({
    anna: { preferred_username: 'anna@example.com', groups: ['finance'] },
    carl: { preferred_username: 'carl@example.com', groups: [] },
  });
  const desk = await openDesk(
    0,
    {},
    {
      CONSOLE_OIDC_ISSUER: provider.issuer,
      CONSOLE_OIDC_CLIENT_ID: CLIENT.id,
      CONSOLE_OIDC_CLIENT_SECRET: CLIENT.secret,
      CONSOLE_OIDC_ROLES: 'finance=finance, <img src=x onerror=alert(1)>=viewer',
    },
  );
  const web = await openConsole(desk);
  return { provider, url: web.url, register: () => provider.open([`${web.url}/sign-in/oidc/callback`]) };
}

/** The provider’s own pages load fonts from another host, and have no icon. */
const THEIRS = /fonts\.googleapis|favicon/;

testInBrowser.each<[string, Looks]>([
  ['dark-360', { width: 360, dark: true }],
  ['no-script', { script: false }],
])('a person signs in at the identity provider, reaches the requested page, and signs out: %s', async (look, looks) => {
  const { url, provider, register } = await open();
  const { page, expectFault, context } = await openBrowser(looks);
  expectFault(THEIRS);
  expectFault(/status of (?:403|503)/);
  await context.route(/fonts\.googleapis/, (route) => route.abort());
  const shows = async (name: string) => {
    // The accessibility checks need script.
    if (looks.script === false) return;
    await expectNoViolations(page);
    await expectNoSidewaysScroll(page);
    await keepScreenshot(page, `oidc-${name}-${look}`);
  };

  await page.goto(`${url}/keys`);
  await shows('sign-in');
  await page.getByRole('link', { name: `Sign in with ${new URL(provider.issuer).host}` }).click();
  expect(await page.textContent('main')).toContain('does not answer just now');
  await shows('away');

  register();
  await expect
    .poll(async () => {
      await page.goto(`${url}/sign-in/oidc?to=%2Fkeys`);
      return page.url();
    })
    .toContain(provider.issuer);
  await page.fill('[name=login]', 'anna');
  await page.fill('[name=password]', 'any');
  await page.click('[type=submit]');
  await page.click('[type=submit]');
  await page.waitForURL(`${url}/keys`);
  expect(await page.textContent('h1')).not.toContain('Another site');
  await shows('signed-in');

  await page.locator('header summary').click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL(`${url}/sign-in/oidc/out`);
  await shows('out');
  expect(await page.getByRole('link', { name: /too$/ }).getAttribute('href')).toContain(
    `${provider.issuer}/session/end`,
  );
  await page.goto(`${url}/keys`);
  expect(page.url()).toContain('/sign-in?to=');
});

testInBrowser('a person without a known group is refused, and group names are shown as text', async () => {
  const { url, register } = await open();
  register();
  const { page, expectFault, context } = await openBrowser();
  expectFault(THEIRS);
  expectFault(/status of 403/);
  await context.route(/fonts\.googleapis/, (route) => route.abort());
  await page.goto(`${url}/sign-in/oidc`);
  await page.fill('[name=login]', 'carl');
  await page.fill('[name=password]', 'any');
  await page.click('[type=submit]');
  await page.click('[type=submit]');
  await page.waitForURL(/callback/);
  expect(await page.textContent('main')).toContain('<img src=x onerror=alert(1)>');
  await expectNoViolations(page);
  await keepScreenshot(page, 'oidc-no-role');
});
