import { expect } from 'vitest';
import {
  expectKeyboardReach,
  expectNoSidewaysScroll,
  expectNoViolations,
  tabTo,
} from '../support/browser/expectations.ts';
import { keepScreenshot, openBrowser, testInBrowser } from '../support/browser.ts';
import { addUser, codeOf, openConsole, openDesk } from '../support/desk.ts';
import { PASSWORD } from '../support/people.ts';

/** A name of the greatest length. */
const LONG_NAME = `zacharias.${'long-'.repeat(6)}`;

const OWN = 'four brown kettles sing at dawn';

/** Checks every page around signing in with all accessibility rules, light and wide, dark and narrow. */
async function openLooked(url: string) {
  const [wide, narrow] = [await openBrowser(), await openBrowser({ width: 360, height: 720, dark: true })];
  const look = async (page: typeof wide.page, name: string) => {
    await expectNoViolations(page);
    await expectNoSidewaysScroll(page);
    if (page === narrow.page) await expectKeyboardReach(page);
    await keepScreenshot(page, name);
  };
  for (const one of [wide, narrow]) one.expectFault(/status of (?:403|422|404)/);
  return { wide, narrow, look, url };
}

testInBrowser(
  'the first sign-in leads from an admin’s password to the recovery codes, on each host name of this machine',
  async () => {
    const web = await openConsole(await openDesk(0));
    const { look, ...browsers } = await openLooked(web.url);
    for (const [size, host] of [
      ['wide', '127.0.0.1'],
      ['narrow', 'localhost'],
    ] as const) {
      const name = `ben-${size}`;
      await web.context.people.users.add({ name, roles: ['operator'], password: PASSWORD, mustChange: true });
      const { page } = browsers[size];
      await page.goto(`${web.url.replace('127.0.0.1', host)}/held`);
      await look(page, `sign-in-${size}`);
      await page.getByLabel('Name').fill(name);
      await page.getByLabel('Password', { exact: true }).fill('wrong wrong wrong');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('alert').waitFor();
      expect(await page.getByLabel('Name').inputValue()).toBe(name);
      await look(page, `sign-in-wrong-${size}`);
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Choose a password' }).waitFor();
      await look(page, `sign-in-password-${size}`);
      await page.getByLabel('New password', { exact: true }).fill(OWN);
      await page.getByLabel('New password again', { exact: true }).fill(OWN);
      await page.getByRole('button', { name: 'Keep it' }).click();
      await page.getByRole('heading', { name: 'Set up a second factor' }).waitFor();
      await look(page, `sign-in-factor-${size}`);
      await page.getByText('It cannot be scanned').click();
      const secret = (await page.locator('.factor-secret code').textContent())?.replaceAll(' ', '') ?? '';
      await page.getByLabel('Code', { exact: true }).fill(codeOf(secret));
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Recovery codes' }).waitFor();
      await look(page, `sign-in-codes-${size}`);
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Download' }).click();
      expect((await download).suggestedFilename()).toBe('limitline-recovery-codes.txt');
      await page.getByRole('link', { name: 'I have kept them' }).click();
      await page.getByRole('heading', { name: 'Held' }).first().waitFor();
      expect(new URL(page.url()).pathname).toBe('/held');
    }
  },
);

testInBrowser('a person signs in with a code and out again by keyboard and without script', async () => {
  const web = await openConsole(await openDesk(0));
  const anna = await addUser(web, 'anna', ['admin']);
  const { page, context } = await openBrowser({ script: false });
  await page.goto(`${web.url}/health`);
  await tabTo(page, page.getByLabel('Name'));
  await page.keyboard.type('anna');
  await page.keyboard.press('Tab');
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Your code' }).waitFor();
  await tabTo(page, page.getByLabel('Code'));
  await page.keyboard.type(codeOf(anna.secret));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Health' }).waitFor();
  const [cookie] = (await context.cookies()).filter(({ name }) => /^__Host-limitline-[0-9a-f]{8}$/.test(name));
  expect(cookie).toMatchObject({
    httpOnly: true,
    secure: true,
    sameSite: 'Lax',
    path: '/',
    domain: '127.0.0.1',
    expires: -1,
  });
  await page.locator('#account summary').focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Sign out' }).press('Enter');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect((await context.cookies()).filter(({ name }) => /^__Host-limitline-[0-9a-f]{8}$/.test(name))).toEqual([]);
  await page.goBack();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

testInBrowser(
  // Promises: open-pages-end-with-session, sign-out-empties-browser
  'an open page shows the sign-in when its session ends and returns afterwards, and going back shows no data',
  async () => {
    const web = await openConsole(await openDesk(0));
    await addUser(web, 'anna', ['viewer']);
    const { page, tab, expectFault } = await openBrowser();
    expectFault(/status of 401/);
    const signIn = async () => {
      await page.getByLabel('Name').fill('anna');
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Keyboard' }).waitFor();
    };
    await page.goto(`${web.url}/keys`);
    await signIn();
    await web.context.people.sessions.endAll('anna');
    await page.waitForURL(/\/sign-in\?to=%2Fkeys$/);
    await signIn();
    // A sign-out in another tab also signs out this one.
    const other = await tab();
    await other.goto(`${web.url}/me`);
    await other.evaluate("sessionStorage.setItem('total /new/x', '1')");
    await other.locator('#account summary').click();
    await other.getByRole('button', { name: 'Sign out' }).click();
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await other.evaluate('sessionStorage.length')).toBe(0);
    await page.bringToFront();
    await page.waitForURL(/\/sign-in/);
    await other.goBack();
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await other.content()).not.toContain('My account');
  },
);

testInBrowser(
  // Promise: typed-outlives-session
  'typed text survives the end of its session for the same person only, and is removed by a sign-out',
  async () => {
    const web = await openConsole(await openDesk(0));
    const anna = await addUser(web, 'anna', ['admin']);
    const clara = await addUser(web, 'clara', ['admin']);
    await addUser(web, 'ben', ['viewer']);
    const { page, tab, expectFault } = await openBrowser();
    expectFault(/status of 4(?:0[13]|22)/);
    const signIn = async (one: typeof page, name: string, code = '') => {
      await one.getByLabel('Name').fill(name);
      await one.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await one.getByRole('button', { name: 'Sign in' }).click();
      if (code === '') return;
      await one.getByLabel('Code').fill(code);
      await one.keyboard.press('Enter');
    };
    await page.goto(`${web.url}/users`);
    await signIn(page, 'anna', codeOf(anna.secret));
    const name = page.locator('#add-name');
    const covered = page.getByRole('dialog', { name: 'Signed out' });
    await name.fill('carl');
    await web.context.people.sessions.endAll('anna');
    await covered.waitFor();
    await page.keyboard.press('Escape');
    await expectNoViolations(page);
    await keepScreenshot(page, 'signed-out-typed');
    const opened = page.context().waitForEvent('page');
    await covered.getByRole('link').click();
    let other = await opened;
    await signIn(other, 'anna', codeOf(anna.secret, 1));
    await other.getByRole('heading', { name: 'Users', exact: true }).waitFor();
    await page.bringToFront();
    await covered.waitFor({ state: 'detached' });
    expect(await name.inputValue()).toBe('carl');
    await page.getByLabel('viewer').first().check();
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByText('carl').first().waitFor();

    // Another person signs in. The typed text is not shown.
    await page.goto(`${web.url}/users`);
    await name.fill('dora');
    // The server’s answer to a wrong form has the typed text as the value of the field.
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByText('No role is given').waitFor();
    await other.close();
    await web.context.people.sessions.endAll('anna');
    await covered.waitFor();
    other = await tab();
    await other.goto(`${web.url}/keys`);
    await signIn(other, 'ben');
    await other.getByRole('heading', { name: 'Keyboard' }).waitFor();
    await page.bringToFront();
    await covered.waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Not allowed' }).waitFor();
    expect(await page.locator('#add-name').count()).toBe(0);

    // A sign-out in another tab also empties this one.
    await other.locator('#account summary').click();
    await other.getByRole('button', { name: 'Sign out' }).click();
    await page.bringToFront();
    await page.waitForURL(/\/sign-in/);
    await other.bringToFront();
    await signIn(other, 'clara', codeOf(clara.secret));
    await other.locator('#account').waitFor();
    await page.goto(`${web.url}/users`);
    await name.fill('eva');
    await other.locator('#account summary').click();
    await other.getByRole('button', { name: 'Sign out' }).click();
    await page.bringToFront();
    await page.waitForURL(/\/sign-in/);
  },
);

testInBrowser('a password can be shown and pasted, and is never sent from a field of type text', async () => {
  const web = await openConsole(await openDesk(0));
  await addUser(web, 'anna', ['viewer']);
  const { page, context, expectFault } = await openBrowser();
  expectFault(/status of 403/);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(`${web.url}/sign-in`);
  const field = page.getByLabel('Password', { exact: true });
  await page.evaluate("navigator.clipboard.writeText('pasted words of mine')");
  await field.focus();
  await page.keyboard.press('ControlOrMeta+V');
  expect(await field.inputValue()).toBe('pasted words of mine');
  const show = page.getByRole('button', { name: 'Show password' });
  await show.click();
  expect([await field.getAttribute('type'), await show.getAttribute('aria-pressed')]).toEqual(['text', 'true']);
  await page.getByLabel('Name').fill('anna');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  expect([await field.getAttribute('type'), await field.inputValue()]).toEqual(['password', '']);
});

testInBrowser('the pages of the own account and of users are accessible and fit, wide and narrow', async () => {
  const web = await openConsole(await openDesk(0));
  const anna = await addUser(web, 'anna', ['admin']);
  await addUser(web, LONG_NAME, ['viewer']);
  const { wide, narrow, look } = await openLooked(web.url);
  for (const [size, { page }, recovery] of [
    ['wide', wide, anna.codes?.[0]],
    ['narrow', narrow, anna.codes?.[1]],
  ] as const) {
    await page.goto(`${web.url}/sign-in/code?recovery=`);
    await page.getByLabel('Name').fill('anna');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your code' }).waitFor();
    await look(page, `sign-in-code-${size}`);
    await page.getByRole('link', { name: 'Use a recovery code' }).click();
    await page.getByLabel('Recovery code').fill(recovery ?? '');
    await page.keyboard.press('Enter');
    await page.locator('#account').waitFor();
    for (const [name, path] of [
      ['me', '/me'],
      ['users', '/users'],
      ['user', `/users/${LONG_NAME}`],
      ['user-self', '/users/anna'],
      ['user-remove', '/users/anna/remove'],
    ] as const) {
      await page.goto(`${web.url}${path}`);
      await look(page, `${name}-${size}`);
    }
    await page.locator('#account summary').click();
    await look(page, `account-menu-${size}`);
    await page.goto(`${web.url}/users`);
    await page.getByLabel('Name').last().fill(`carl-${size}`);
    await page.getByRole('checkbox', { name: 'viewer' }).check();
    await page.getByRole('button', { name: 'Add the user' }).click();
    await page.getByRole('heading', { name: 'User added' }).waitFor();
    await look(page, `user-added-${size}`);
  }
});
