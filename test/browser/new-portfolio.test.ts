import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { expectKeyboardReach, expectNoSidewaysScroll, expectNoViolations } from '../support/browser/expectations.ts';
import { keepScreenshot, openBrowser, testInBrowser } from '../support/browser.ts';
import { addUser, codeOf, openConsole, openDesk } from '../support/desk.ts';
import { PASSWORD } from '../support/people.ts';

const HOSTILE = '<script>document.title=1</script><img src=x onerror=document.title=1>';

const LINES = [
  'Käuferliste <b>Q4</b>;;;',
  `Firma;Land;Wunsch;${HOSTILE}`,
  `Müller ${HOSTILE} GmbH;DE;1.250,50;=HYPERLINK(1)`,
  `Öztürk KG;DE;zwölf;${HOSTILE}`,
  'Süd AG;DE;7,5;',
  '',
];

async function openUpload(looks: Parameters<typeof openBrowser>[0] = {}) {
  const desk = await openDesk(1);
  const web = await openConsole(desk);
  const browser = await openBrowser(looks);
  const path = join(desk.cwd, 'Käufer Q4.csv');
  await writeFile(path, LINES.join('\r\n'));
  const upload = async () => {
    await browser.page.goto(`${web.url}/new`);
    await browser.page.getByLabel('Your list of buyers').setInputFiles(path);
    await browser.page.getByRole('button', { name: 'Upload and check' }).click();
    await browser.page.waitForURL(/\/new\/[\w-]{12}$/);
  };
  return { desk, web, ...browser, path, upload };
}

testInBrowser(
  // Promise: typed-outlives-session
  'lines that were typed over the version of another tab stay on the page when the session ends, and the sign-in leads to the upload',
  async () => {
    const { page, tab, expectFault, upload, web } = await openUpload();
    const { secret } = await addUser(web, 'anna', ['finance']);
    expectFault(/status of 4(?:0[139])/);
    const signIn = async (one: typeof page, code: string) => {
      await one.getByLabel('Name').fill('anna');
      await one.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await one.getByRole('button', { name: 'Sign in' }).click();
      await one.getByLabel('Code').fill(code);
      await one.keyboard.press('Enter');
    };
    await page.goto(`${web.url}/sign-in`);
    await signIn(page, codeOf(secret));
    await page.locator('#account').waitFor();
    await upload();
    const address = page.url();
    await page.getByLabel('Wunsch is read as').selectOption('requested_limit');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByLabel('Line 4, Wunsch').fill('30');
    const second = await tab();
    await second.goto(address);
    await second.getByLabel('Line 4, Wunsch').fill('20');
    await second.getByRole('button', { name: 'Save as a new version' }).click();
    await second.getByText('version 2: 1 cell corrected').waitFor();
    await second.close();
    await page.getByRole('button', { name: 'Save as a new version' }).click();
    const left = page.getByRole('table', { name: 'Lines as you left them' });
    await left.waitFor();
    await web.context.people.sessions.endAll('anna');
    const covered = page.getByRole('dialog', { name: 'Signed out' });
    await covered.waitFor();
    const opened = page.context().waitForEvent('page');
    await covered.getByRole('link').click();
    const other = await opened;
    await signIn(other, codeOf(secret, 1));
    await other.waitForURL(`${address}?list=problems`);
    await page.bringToFront();
    await covered.waitFor({ state: 'detached' });
    expect(await left.textContent()).toContain('30');
  },
);

testInBrowser(
  // Promises: imported-as-previewed, typed-total-stays
  'an upload is corrected and submitted in the browser, and the result equals that of a command’s import',
  async () => {
    const { desk, web, page, path, upload } = await openUpload();
    await page.goto(`${web.url}/new`);
    await expectNoViolations(page);
    await upload();
    await expectNoViolations(page);
    await page.getByLabel('Wunsch is read as').selectOption('requested_limit');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('1,258.00').first().waitFor();
    expect(await page.title()).toBe('Käufer Q4.csv · Limitline');
    await expectKeyboardReach(page);

    const cell = page.getByLabel('Line 4, Wunsch');
    await cell.fill('ein');
    await cell.press('Tab');
    await page.locator('#reasons-4').getByText('Wunsch:').waitFor();
    await cell.fill('12,25');
    await cell.press('Tab');
    await page
      .getByText('Nothing is wrong within this line any more. Save, and it is checked against the others.')
      .waitFor();
    await expectNoViolations(page);
    await keepScreenshot(page, 'new-portfolio');
    await page.getByRole('button', { name: 'Save as a new version' }).click();
    await page.getByText('version 2: 1 cell corrected').waitFor();
    await page.getByText('1,270.25').first().waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download the file as it is now' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('Käufer Q4.csv');
    const mended = await readFile(await download.path(), 'utf8');
    expect(mended).toBe(LINES.join('\r\n').replace('zwölf', '12,25'));

    expect(await web.context.portfolios.names()).toEqual([]);
    const command = page.locator('.same-command code');
    await page.getByLabel('Control total').fill("1'270.25");
    expect(await command.textContent()).toMatch(/ --total '1'\\''270\.25'$/);
    await page.getByLabel('Control total').fill('');
    expect(await command.textContent()).not.toContain('--total');
    await page.getByLabel('Control total').fill('1,270.25');
    expect(await command.textContent()).toMatch(/ --total 1,270\.25$/);
    // The total is kept while another form is sent. Enter in it opens the question, and a second Enter does not
    // confirm.
    await page.getByRole('button', { name: 'Check for this portfolio' }).click();
    await page.waitForLoadState();
    await page.getByLabel('Control total').press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Request these limits?' });
    expect(await dialog.textContent()).toMatch(
      /3 limits[\s\S]*1,270\.25[\s\S]*Time needed[\s\S]*Control total1,270\.25/,
    );
    await page.keyboard.press('Enter');
    expect(await dialog.isVisible()).toBe(true);
    await expectNoViolations(page);
    await keepScreenshot(page, 'new-portfolio-confirm');
    await page.getByRole('button', { name: /^Request \d+ limits?$/ }).click();
    await page.waitForURL(/\/portfolios\/K%C3%A4ufer%20Q4$/);
    const other = await openDesk(1);
    await writeFile(join(other.cwd, 'Käufer Q4.csv'), mended);
    await other.limitline('import', 'Käufer Q4.csv', '--map', 'Wunsch=requested_limit');
    const results = async ({ limitline }: typeof desk) =>
      (await limitline('report', 'Käufer Q4', '--format', 'csv')).stdout;
    // Two accounts imported the file, so ports and times differ.
    const less = (csv: string) => csv.replaceAll(/127\.0\.0\.1:\d+|\d{4}-\d\d-\d\dT[\d:.]+Z/g, '');
    expect(less(await results(desk))).toBe(less(await results(other)));
    expect(await readFile(path, 'utf8')).toBe(LINES.join('\r\n'));
  },
);

// Promise: save-over-another-tab
testInBrowser('saving over the version of another tab is refused, and the differences are shown', async () => {
  const { page, tab, expectFault, upload, web } = await openUpload();
  await upload();
  await page.getByLabel('Wunsch is read as').selectOption('requested_limit');
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByLabel('Line 4, Wunsch').waitFor();
  const second = await tab();
  await second.goto(page.url());
  await second.getByLabel('Line 4, Wunsch').fill('20');
  await second.getByRole('button', { name: 'Save as a new version' }).click();
  await second.getByText('version 2: 1 cell corrected').waitFor();
  expectFault(/409/);
  await page.getByLabel('Line 4, Wunsch').fill('30');
  // Holding Enter in the total asks once. The answer has the focus, and not its link, which would discard what was
  // typed.
  await page.getByLabel('Control total').focus();
  for (let times = 0; times < 4; times += 1) await page.keyboard.down('Enter');
  await page.keyboard.up('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('link', { name: 'Load the page again' }).waitFor();
  await page.keyboard.press('Enter');
  expect([await dialog.count(), await dialog.evaluate((shown) => shown.matches(':focus'))]).toEqual([1, true]);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Save as a new version' }).click();
  await page.getByRole('heading', { name: 'Another version was saved meanwhile' }).waitFor();
  expect(await page.getByRole('cell', { name: '20', exact: true }).count()).toBe(1);
  // The typed values can be copied, because going back in the browser shows the new version.
  const left = page.getByRole('table', { name: 'Lines as you left them' });
  expect(await left.getByRole('row').last().textContent()).toMatch(/^4Öztürk KG \| 30 \| DE$/);
  await page.getByRole('link', { name: 'Load version 2' }).click();
  await page.getByText('1,278.00').first().waitFor();
  expect(await web.context.portfolios.names()).toEqual([]);
});

// Promise: imported-as-previewed
testInBrowser(
  'an upload with unapplied changes of name or reading is not submitted, and the page says why',
  async () => {
    const { page, expectFault, upload, web } = await openUpload();
    await upload();
    await page.getByLabel('Wunsch is read as').selectOption('requested_limit');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('1,258.00').first().waitFor();
    const preview = page.url();
    const expectNotSent = async () => {
      expectFault(/422/);
      await page.getByRole('button', { name: 'Request all' }).click();
      await page.getByText('the page has changes that are not applied yet').waitFor();
      // The typed values are kept, so no link offers to load the page again.
      expect(await page.getByRole('dialog').getByRole('link').allTextContents()).toEqual(['Back']);
      expect(await web.context.portfolios.names()).toEqual([]);
      await page.goto(preview);
    };
    await page.getByLabel('Portfolio', { exact: true }).fill('other');
    await expectNotSent();
    await page.getByLabel('Land is read as').selectOption('city');
    await expectNotSent();
    await page.getByLabel('Dates like 05/04/2026').selectOption('mdy');
    await expectNotSent();

    // Each of the buttons applies all typed values.
    await page.getByLabel('Portfolio', { exact: true }).fill('named');
    await page.getByLabel('Dates like 05/04/2026').selectOption('mdy');
    await page.getByRole('button', { name: 'Check for this portfolio' }).click();
    await page.getByText('--portfolio named').waitFor();
    expect(await page.getByLabel('Dates like 05/04/2026').inputValue()).toBe('mdy');
    await page.getByLabel('Portfolio', { exact: true }).fill('again');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('--portfolio again').waitFor();
    await page.getByRole('button', { name: 'Request all' }).click();
    await page.getByRole('button', { name: /^Request \d+ limits?$/ }).click();
    await page.waitForURL(/\/portfolios\/again$/);
  },
);

testInBrowser(
  'uploading, correcting and submitting work without script, at the width of a phone and in the dark',
  async () => {
    const { page, upload } = await openUpload({ script: false, width: 320, dark: true });
    await upload();
    await expectNoSidewaysScroll(page);
    await page.getByLabel('Wunsch is read as').selectOption('requested_limit');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByLabel('Line 4, Wunsch').fill('1,5');
    await page.getByRole('button', { name: 'Save as a new version' }).click();
    await page.getByText('1,259.50').first().waitFor();
    await expectNoSidewaysScroll(page);
    await page.getByRole('button', { name: 'Request all' }).click();
    await page.getByRole('button', { name: /^Request \d+ limits?$/ }).click();
    await page.waitForURL(/\/portfolios\//);
  },
);

testInBrowser('an upload whose connection breaks off says so, and the next try begins at its button', async () => {
  const { page, web, path, expectFault } = await openUpload();
  expectFault(/net::ERR_CONNECTION_RESET/);
  await page.goto(`${web.url}/new`);
  await page.getByLabel('Your list of buyers').setInputFiles(path);
  await page.route('**/new/upload*', (route) => route.abort('connectionreset'));
  const button = page.getByRole('button', { name: 'Upload and check' });
  await button.click();
  await page.getByText('The connection broke off, and nothing was kept.').waitFor();
  expect(await button.evaluate((one) => one.matches(':focus'))).toBe(true);
  await page.unroute('**/new/upload*');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/new\/[\w-]{12}$/);
});

testInBrowser('the confirmation of an import says that changes are not saved', async () => {
  const { page, upload, web } = await openUpload();
  await upload();
  await page.getByLabel('Wunsch is read as').selectOption('requested_limit');
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByLabel('Leave out line 4').check();
  await page.getByRole('button', { name: 'Request all' }).click();
  await page.getByRole('dialog').getByText('1 change of a line is not saved and will not be sent').waitFor();
  expect(await web.context.portfolios.names()).toEqual([]);
});

testInBrowser('the problem of a line is visible in full also in a wide table', async () => {
  const { page, upload, path } = await openUpload({ width: 1280 });
  const head =
    'name,requested_limit,currency,country_code,city,street,state,website,contact_first_name,contact_last_name';
  const cells =
    'US,Sacramento on the River,1200 North-West Front Avenue,California,https://a-buyer.example,Maximiliana,Whitfield';
  const lines = ['USD', 'EUR'].map((currency, at) => `Buyer ${at},12.50,${currency},${cells}`);
  await writeFile(path, `${[head, ...lines].join('\n')}\n`);
  await upload();
  const reason = page.locator('#reasons-3 li');
  await reason.getByText('into a file of their own').waitFor();
  const within = () =>
    reason.evaluate((one) => {
      const box = one.closest('.table-box')?.getBoundingClientRect();
      const { left, right } = one.getBoundingClientRect();
      return box !== undefined && left >= box.left && right <= box.right;
    });
  expect(await within()).toBe(true);
  await page.locator('#mend .table-box').evaluate((box) => box.scrollTo({ left: 500, behavior: 'instant' }));
  expect(await within()).toBe(true);
});
