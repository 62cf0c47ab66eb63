import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { openBrowser, testInBrowser } from '../support/browser.ts';
import { openConsole, openDesk } from '../support/desk.ts';
import { buyerLines } from '../support/workplace.ts';

testInBrowser(
  'rows with long names and amounts of hundreds of millions stay in their card on a small laptop',
  async () => {
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
  },
);
