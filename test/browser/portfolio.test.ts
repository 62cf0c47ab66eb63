import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { startWorkers } from '../../jobs/workers/workers.ts';
import { openService } from '../../src/open-service.ts';
import { expectNoSidewaysScroll, expectNoViolations } from '../support/browser/expectations.ts';
import { keepScreenshot, openBrowser, testInBrowser } from '../support/browser.ts';
import { openConsole, openDesk } from '../support/desk.ts';
import { buyerLines } from '../support/workplace.ts';

const refused = {
  on: 'limit',
  match: 'HRB 3',
  fault: 'status',
  status: 422,
  body: { message: 'a <b>limit</b> too high' },
} as const;

async function openPages(rows: number) {
  const desk = await openDesk(rows, { rules: [refused] });
  await desk.limitline('import', 'q4.csv', '--yes');
  const web = await openConsole(desk);
  const work = async () => {
    const workers = await startWorkers(web.context, openService(web.context, desk.standIn.url()));
    onTestFinished(() => workers.stop());
  };
  return { ...web, desk, work };
}

testInBrowser(
  // Promises: list-stays-while-read, proof-strip
  'a portfolio’s page is updated from the import to its end, while the listed rows stay as they were',
  async () => {
    const { url, work, context } = await openPages(40);
    // The window is high enough to show the table all the time. A table that scrolls into view is loaded again.
    const { page } = await openBrowser({ width: 1_280, height: 4_000 });
    await page.goto(`${url}/portfolios/q4`);
    await page.getByText('Nothing is sent, because no worker runs. An operator can start one.').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('nothing new is sent until it is resumed').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Resume' }).waitFor({ state: 'detached' });
    expect((await context.portfolios.read('q4')).paused).toBeUndefined();
    // The present page, without a worker, is the one to be compared.
    await page.locator('#rows-now [data-counts]').waitFor({ state: 'attached' });
    await work();
    await page.getByText('Finished', { exact: true }).waitFor();
    await page.getByText('a <b>limit</b> too high').first().waitFor();
    // The part for operators is folded, and updated like the rest.
    await page.getByText('All counts agree.').waitFor({ state: 'hidden' });
    await page.getByText('Pipeline').click();
    await page.getByText('All counts agree.').waitFor();
    // The workers have kept samples of the pace for the chart.
    await expect.poll(async () => (await context.paceSamples.read()).length).toBeGreaterThan(0);
    // The table that is being read still shows the earlier states.
    const states = page.locator('#rows tbody .badge');
    expect(await states.first().textContent()).toMatch(/waiting|sending/);
    const changed = page.getByRole('link', { name: 'Show them as they are now' });
    await changed.waitFor();
    // The filter counts rows as they are now, also in states without a row at first.
    await expect
      .poll(() => page.locator('#rows .chip:visible').allTextContents())
      .toEqual(['approved 29', 'rejected by the service 11']);
    await changed.click();
    await expect.poll(() => states.first().textContent()).toBe('approved');
    await page.getByRole('checkbox', { name: 'rejected by the service' }).check();
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.waitForURL(/outcomes=rejected/);
    expect(await states.allTextContents()).toEqual(Array(11).fill('rejected by the service'));
    await keepScreenshot(page, 'portfolio-watched');
  },
);

testInBrowser('rows that scroll into view are loaded again', async () => {
  const { url, work } = await openPages(40);
  const { page } = await openBrowser();
  await page.goto(`${url}/portfolios/q4`);
  const states = page.locator('#rows tbody .badge');
  expect(await states.first().textContent()).toBe('waiting');
  await work();
  await page.getByText('Finished', { exact: true }).waitFor();
  expect(await states.first().textContent()).not.toBe('approved');
  await page.locator('#rows table').scrollIntoViewIfNeeded();
  await expect.poll(() => states.first().textContent()).toBe('approved');
  await page.getByRole('link', { name: 'Show them as they are now' }).waitFor({ state: 'hidden' });
  // The filters are updated, too, such as the causes.
  await page.getByRole('combobox', { name: 'Cause' }).waitFor();
  expect(await page.getByRole('combobox', { name: 'Answer' }).textContent()).toContain('approved (29)');
});

testInBrowser(
  'the list of portfolios and a portfolio’s page fit the narrowest phone in the dark, without script',
  async () => {
    const { url, desk } = await openPages(3);
    await writeFile(join(desk.cwd, `${'w'.repeat(120)}.csv`), `${buyerLines(2).join('\n')}\n`);
    await desk.limitline('import', `${'w'.repeat(120)}.csv`, '--portfolio', 'W'.repeat(64), '--yes');
    const { page } = await openBrowser({ width: 320, dark: true, script: false });
    for (const path of ['/', `/portfolios/${'W'.repeat(64)}`]) {
      await page.goto(`${url}${path}`);
      await expectNoSidewaysScroll(page);
    }
    await keepScreenshot(page, 'portfolio-narrow-dark');
  },
);

testInBrowser('large amounts stay within their cells', async () => {
  const { url, desk } = await openPages(3);
  const lines = buyerLines(3).map((line) => line.replace(/\b\d+\.50$/, '13534966176123.25'));
  expect(lines[2]).toContain('13534966176123.25');
  await writeFile(join(desk.cwd, 'large.csv'), `${lines.join('\n')}\n`);
  await desk.limitline('import', 'large.csv', '--yes');
  for (const width of [320, 800, 1280]) {
    const { page } = await openBrowser({ width });
    await page.goto(`${url}/portfolios/large`);
    const room = await page.locator('#portfolio-money tbody .cell').evaluateAll((cells) =>
      cells.map((cell) => {
        const range = cell.ownerDocument.createRange();
        range.selectNodeContents(cell);
        return cell.getBoundingClientRect().right - range.getBoundingClientRect().right;
      }),
    );
    expect(room.length).toBeGreaterThan(0);
    expect(Math.min(...room)).toBeGreaterThanOrEqual(0);
    // No column of the list of portfolios is out of sight.
    await page.goto(url);
    const list = page.locator('#portfolios-list .table-box');
    expect(await list.evaluate((box) => box.scrollWidth - box.clientWidth)).toBeLessThanOrEqual(0);
  }
});

testInBrowser('the list of portfolios is updated live, and searched by keyboard', async () => {
  const { url, desk } = await openPages(3);
  const { page } = await openBrowser();
  await page.goto(url);
  const list = page.getByRole('region', { name: 'Portfolios', exact: true });
  await list.getByRole('link', { name: 'q4', exact: true }).waitFor();
  await desk.limitline('pause', 'q4');
  for (const one of [list, page.getByRole('region', { name: 'Portfolios with rows still to be sent' })])
    await one.getByText('Paused', { exact: true }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('nothing like it');
  await page.keyboard.press('Enter');
  await page.getByText('No portfolio found.').waitFor();
  await expectNoViolations(page);
  await keepScreenshot(page, 'portfolios-searched');
});

testInBrowser('rows with long names and large amounts fit the card on a small laptop', async () => {
  const on = 'limit' as const;
  const rules = [
    {
      on,
      match: 'HRB 1"',
      fault: 'status' as const,
      status: 422,
      body: 'above what the policy allows for this buyer',
    },
    { on, match: 'HRB 2"', fault: 'reset' as const },
  ];
  const desk = await openDesk(0, { rules });
  const [head, ...lines] = buyerLines(3);
  const wide = lines.map((line) =>
    line.replace(/^[^,]*/, `${'Donaudampfschiff'.repeat(4)} GmbH`).replace(/100(\d)\.50/, '98765432$1.50'),
  );
  await writeFile(join(desk.cwd, 'q4.csv'), `${[head, ...wide].join('\n')}\n`);
  await desk.limitline('run', 'q4.csv', '--yes', '--no-results');
  const { url } = await openConsole(desk);
  const { page } = await openBrowser({ width: 1280 });
  await page.goto(`${url}/portfolios/q4`);
  const over = await page.locator('#rows').evaluate((card) => {
    const table = card.querySelector('table')?.getBoundingClientRect();
    return (table?.right ?? 0) - card.getBoundingClientRect().right;
  });
  expect(over).toBeLessThanOrEqual(0);
  expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
});
