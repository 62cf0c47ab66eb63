import { expect } from 'vitest';
import { expectKeyboardReach, expectNoSidewaysScroll, expectNoViolations } from '../support/browser/expectations.ts';
import { keepScreenshot, type Looks, openBrowser, testInBrowser } from '../support/browser.ts';
import { addUser, codeOf, openConsole, openDesk } from '../support/desk.ts';
import { PASSWORD } from '../support/people.ts';

/** A console where sums above 2,500 need approval, with one person of finance and two approvers. */
async function openOffice() {
  const desk = await openDesk(12, {}, { APPROVE_ABOVE: '2500' });
  const web = await openConsole(desk);
  const users = {
    fiona: await addUser(web, 'fiona', ['finance']),
    bob: await addUser(web, 'bob', ['approver']),
    carol: await addUser(web, 'carol', ['approver', 'viewer']),
  };
  return {
    ...desk,
    web,
    users,
    states: async (name: string) => (await web.context.portfolios.read(name)).states,
    /** A browser in which this person is signed in. */
    as: async (name: keyof typeof users, looks: Looks = {}) => {
      const browser = await openBrowser(looks);
      const { page } = browser;
      await page.goto(`${web.url}/sign-in`);
      await page.getByLabel('Name').fill(name);
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.keyboard.press('Enter');
      await page.getByLabel('Code', { exact: true }).fill(codeOf(users[name].secret));
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: 'Portfolios' }).first().waitFor();
      return browser;
    },
  };
}

testInBrowser(
  'finance submits a file, another person approves it with the password on a phone, and the rows are sent',
  async () => {
    const office = await openOffice();
    const { web, states, start, standIn, read } = office;
    const fiona = await office.as('fiona');
    await fiona.page.goto(`${web.url}/new`);
    const file = { name: 'q4.csv', mimeType: 'text/csv', buffer: Buffer.from(await read('q4.csv')) };
    await fiona.page.locator('input[type="file"]').first().setInputFiles(file);
    await fiona.page
      .getByRole('button', { name: /upload/i })
      .first()
      .click();
    await fiona.page.getByText('A colleague must approve this first.').waitFor();
    await keepScreenshot(fiona.page, 'preview-approval');
    await fiona.page.getByRole('button', { name: /Request all/ }).click();
    await fiona.page.getByRole('button', { name: /^Request \d+ limits?$/ }).click();
    await fiona.page.waitForURL(/\/portfolios\/q4/);
    await fiona.page.getByText('Waits for approval.').first().waitFor();
    expect(await fiona.page.locator('main').textContent()).toContain('bob and carol may approve it');
    await keepScreenshot(fiona.page, 'portfolio-awaiting');
    await fiona.page.getByRole('link', { name: 'Look at it' }).click();
    await fiona.page.getByText('You asked for this, or took part in it.').waitFor();
    expect(await fiona.page.getByRole('button', { name: /^Approve/ }).count()).toBe(0);
    await expectNoViolations(fiona.page);
    await keepScreenshot(fiona.page, 'approval-own');

    const bob = await office.as('bob', { width: 360, height: 740, dark: true });
    await bob.page.goto(`${web.url}/`);
    await bob.page.getByRole('link', { name: /Approvals\s*1 waiting/ }).click();
    await expectNoSidewaysScroll(bob.page);
    await expectNoViolations(bob.page);
    await keepScreenshot(bob.page, 'approvals-dark-360');
    await bob.page.getByRole('link', { name: 'q4', exact: true }).click();
    await expectNoSidewaysScroll(bob.page);
    await expectNoViolations(bob.page);
    await expectKeyboardReach(bob.page);
    await keepScreenshot(bob.page, 'approval-dark-360');
    bob.expectFault(/422/);
    await bob.page.getByLabel('Your password').fill('not the password');
    await bob.page.getByLabel('Code of your second factor').fill('000000');
    await bob.page.getByRole('button', { name: /^Approve 12 rows/ }).click();
    await bob.page.getByText('The password is wrong, or the code is').waitFor();
    await keepScreenshot(bob.page, 'approval-password');
    expect(await states('q4')).toMatchObject({ awaiting: 12, queued: 0 });
    await bob.page.getByLabel('Your password').fill(PASSWORD);
    // The previous code was used for signing in.
    await bob.page.getByLabel('Code of your second factor').fill(codeOf(office.users.bob.secret, 1));
    await bob.page.getByRole('button', { name: /^Approve 12 rows/ }).click();
    await bob.page.getByText('Approved').first().waitFor();
    await keepScreenshot(bob.page, 'approval-granted');
    expect(await states('q4')).toMatchObject({ awaiting: 0, queued: 12 });
    // The open page receives the change.
    await fiona.page.goto(`${web.url}/portfolios/q4`);
    await start('work', '--until-settled').ended;
    expect(standIn.counts().made).toMatchObject({ company: 12, limit: 12 });
  },
);

testInBrowser(
  'without script an approval is declined with a reason, which is shown in the list of answered ones',
  async () => {
    const office = await openOffice();
    await office.limitline('import', 'q4.csv', '--yes');
    const { page } = await office.as('bob', { width: 360, height: 740, script: false });
    await page.goto(`${office.web.url}/approvals`);
    await page.getByRole('link', { name: 'q4', exact: true }).click();
    await page.getByLabel('Reason for declining').fill('The sum is above what we agreed on.');
    await page.getByRole('button', { name: 'Decline' }).click();
    await page.getByText('Declined').first().waitFor();
    expect(await office.states('q4')).toMatchObject({ cancelled: 12, awaiting: 0 });
    await keepScreenshot(page, 'approval-declined-360');
    await page.goto(`${office.web.url}/approvals`);
    await page.getByText('The sum is above what we agreed on.').waitFor();
    await keepScreenshot(page, 'approvals-answered-360');
  },
);
