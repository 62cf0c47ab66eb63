import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Role } from '../../src/people/person.ts';
import { keepScreenshot, openBrowser, testInBrowser } from '../support/browser.ts';
import { openConsole, openDesk, plainText } from '../support/desk.ts';
import { buyerLines } from '../support/workplace.ts';

/** The answers of the service by the number of the buyer. All other limits are approved as requested. */
const PLAYED = { declined: [1, 2, 3], partly: [4, 5], in_progress: [6], odd: [7], refused: [8, 9], lost: [10] };

const on = 'limit' as const;
const each = (numbers: readonly number[], fault: object) =>
  numbers.map((number) => ({ on, match: `HRB ${number}"`, ...fault }) as never);
const RULES = [
  ...each(PLAYED.declined, { fault: 'decision', status: 'declined', share: 0 }),
  ...each(PLAYED.partly, { fault: 'decision', status: 'approved', share: 0.5 }),
  ...each(PLAYED.in_progress, { fault: 'decision', status: 'in_progress', share: 0 }),
  ...each(PLAYED.odd, { fault: 'decision', status: 'odd', share: 0 }),
  ...each(PLAYED.refused, { fault: 'status', status: 422, body: 'too odd' }),
  ...each(PLAYED.lost, { fault: 'reset', made: true }),
];

/** A number as a page shows it to an English reader. */
const shown = (amount: number) => amount.toLocaleString('en', { minimumFractionDigits: 2 });

/** The outcome of a buyer’s limit and its granted amount, as the list of rows shows them. */
function become(number: number, amount: number): [outcome: string, granted: string] {
  if (PLAYED.declined.includes(number)) return ['declined', '–'];
  if (PLAYED.partly.includes(number)) return ['partly approved', shown(amount / 2)];
  if (PLAYED.in_progress.includes(number)) return ['under review', '–'];
  if (PLAYED.odd.includes(number)) return ['answered: “odd”', '–'];
  if (PLAYED.lost.includes(number)) return ['needs an answer', '–'];
  return ['approved', shown(amount)];
}

/**
 * The rows of the table with this caption, each as its cells’ texts. All are read at one moment, because updates
 * replace tables.
 */
async function rowsOf(page: Page, caption: string): Promise<string[][]> {
  const rows = await page.locator('table').evaluateAll((tables, named) => {
    const table = tables.find((one) => one.querySelector('caption')?.textContent?.trim() === named);
    const all = [...(table?.querySelectorAll('tbody tr') ?? [])];
    return all.map((row) => [...row.querySelectorAll('th, td')].map((cell) => cell.innerHTML));
  }, caption);
  return rows.map((cells) => cells.map((markup) => plainText(markup).trim()));
}

/** Two portfolios. The second repeats one buyer unchanged and another with a different amount. */
async function openSent() {
  const desk = await openDesk(0, { rules: RULES });
  const lines = buyerLines(13).map((line, at) => (at === 0 ? `${line},currency` : `${line},EUR`));
  const again = [lines[0], lines[1], lines[11]?.replace('1011.50', '77.00')];
  await writeFile(join(desk.cwd, 'q4.csv'), `${lines.join('\n').replace('1013.50', 'much')}\n`);
  await writeFile(join(desk.cwd, 'q5.csv'), `${again.join('\n')}\n`);
  for (const name of ['q4', 'q5']) await desk.limitline('run', `${name}.csv`, '--yes', '--no-results');
  await desk.limitline('statuses', 'declined', '--means', 'declined');
  await desk.limitline('statuses', 'in_progress', '--means', 'review');
  return desk;
}

/** The limits that the service made, by the number of the buyer, without those of the second portfolio. */
function accountOf(desk: Awaited<ReturnType<typeof openDesk>>) {
  const made = desk.standIn.things('limit').map(({ body }) => {
    const text = JSON.stringify(body);
    return {
      number: Number(/HRB (\d+)"/.exec(text)?.[1]),
      amount: Number(/"requested_limit":"?([\d.]+)/.exec(text)?.[1]),
    };
  });
  const known = Object.values(PLAYED).flat();
  const inQ4 = made.filter(({ amount }) => amount !== 77);
  const of = (...numbers: number[]) => {
    const some = inQ4.filter(({ number }) => numbers.includes(number));
    return { rows: some.length, amount: some.reduce((total, { amount }) => total + amount, 0) };
  };
  const others = inQ4.map(({ number }) => number).filter((number) => !known.includes(number));
  return { of, others, made };
}

testInBrowser('every figure on the pages agrees with the service’s own records', async () => {
  const desk = await openSent();
  const { of, others, made } = accountOf(desk);
  expect(made).toHaveLength(11);
  expect(desk.standIn.madeTwice()).toEqual([]);
  const line = (what: string, { rows, amount }: { rows: number; amount: number }, granted = '') => [
    what,
    `${rows}`,
    shown(amount),
    granted,
  ];
  const [full, part] = [of(...others), of(...PLAYED.partly)];
  const answered = of(...others, ...PLAYED.partly, ...PLAYED.declined, ...PLAYED.in_progress, ...PLAYED.odd);
  const lost = of(...PLAYED.lost);
  // Rejected requests are in no record of the service, so their amounts come from the file.
  const refused = { rows: PLAYED.refused.length, amount: 1_008.5 + 1_009.5 };
  const granted = full.amount + part.amount / 2;
  const whole = {
    rows: answered.rows + lost.rows + refused.rows + 1,
    amount: answered.amount + lost.amount + refused.amount,
  };

  let roles: Role[] = [];
  const web = await openConsole(desk, { identify: async () => ({ by: 'somebody', roles }) });
  const { page } = await openBrowser();
  for (const role of ['finance', 'approver', 'operator', 'viewer'] as const) {
    roles = [role];
    await page.goto(`${web.url}/portfolios/q4`);
    expect(await rowsOf(page, 'Money of portfolio q4')).toEqual([
      line('In the file', whole),
      line('Left out: invalid or duplicate', { rows: 1, amount: 0 }),
      line('Rejected by the service', refused),
      line('Needs an answer', lost),
      line('Requested', answered, shown(granted)),
      line('Approved', full, shown(full.amount)),
      line('Partly approved', part, shown(part.amount / 2)),
      line('Under review', of(...PLAYED.in_progress), '–'),
      line('Declined', of(...PLAYED.declined), '0.00'),
      line('Answered, outcome not known', of(...PLAYED.odd), '–'),
    ]);
    const rows = await rowsOf(page, 'Rows of portfolio q4');
    for (const { number, amount } of made.filter((one) => one.amount !== 77)) {
      const cells = rows.find((row) => row.includes(shown(amount))) ?? [];
      const at = cells.indexOf(shown(amount));
      const [outcome, grantedOfRow] = become(number, amount);
      expect([number, ...cells.slice(at + 1, at + 3)]).toEqual([number, outcome, grantedOfRow]);
    }

    await page.goto(`${web.url}/portfolios/q5`);
    expect(await rowsOf(page, 'Money of portfolio q5')).toEqual([
      line('In the file', { rows: 2, amount: of(1).amount + 77 }),
      line('Requested before', of(1), '0.00'),
      line('Requested', { rows: 1, amount: 77 }, '77.00'),
      line('Approved', { rows: 1, amount: 77 }, '77.00'),
    ]);

    await page.goto(web.url);
    const [declined, listed] = [of(...PLAYED.declined), await rowsOf(page, 'Portfolios')];
    expect(listed.map((cells) => cells.filter((text) => /\d\.\d\d/.test(text)))).toEqual([
      [`EUR 77.00 in the file ${shown(of(1).amount + 77)}`, 'EUR 77.00'],
      [`EUR ${shown(answered.amount)} in the file ${shown(whole.amount)}`, `EUR ${shown(granted)}`],
    ]);
    const month = await page.getByRole('region', { name: 'This month' }).locator('dd').allTextContents();
    expect(month.filter((text) => text.startsWith('EUR'))).toEqual(
      [
        answered.amount + 77,
        granted + 77,
        ...[PLAYED.in_progress, PLAYED.declined, PLAYED.odd].map((some) => of(...some).amount),
      ].map((sum) => `EUR ${shown(sum)}`),
    );
    const waits = ['What waits for people', 'What waits for colleagues'].map((title) => rowsOf(page, title));
    const [own = [], ofOthers = []] = (await Promise.all(waits)).map((tasks) =>
      tasks.map((cells) => cells.join(' | ')),
    );
    const toAnswer = expect.stringMatching(`^1 request needs an answer.*EUR ${shown(lost.amount)}`);
    const toCorrect = expect.stringMatching(/^1 line to fix ?, 2 rejected by the service/);
    const isOwn = [role === 'operator', role === 'operator' || role === 'finance'];
    const tasks = [toAnswer, toCorrect];
    expect(ofOthers).toEqual(tasks.filter((_, at) => !isOwn[at]));
    expect(own).toEqual([
      ...tasks.filter((_, at) => isOwn[at]),
      expect.stringMatching(`^3 requests were declined.*EUR ${shown(declined.amount)}`),
    ]);

    await page.goto(`${web.url}/declined`);
    const amounts = (await rowsOf(page, 'Requests that were declined, the latest first')).map((cells) => cells[2]);
    const asked = made.filter(({ number, amount }) => PLAYED.declined.includes(number) && amount !== 77);
    expect(amounts.sort()).toEqual(asked.map(({ amount }) => `EUR ${shown(amount)}`).sort());
  }

  const [of77] = await web.context.rows.inState('q5', 'done', { count: 1 });
  const [sent] = await web.context.rows.read([{ portfolio: 'q5', key: of77?.row.key ?? '' }]);
  await page.goto(`${web.url}/buyers/${sent?.request.buyer}`);
  const ofBuyer = `EUR ${shown(of(11).amount + 77)}`;
  const sums = (await page.locator('main dd').allTextContents()).filter((text) => text.startsWith('EUR'));
  expect(sums).toEqual([ofBuyer, ofBuyer, ofBuyer]);

  roles = ['operator'];
  await page.goto(`${web.url}/held`);
  expect(await page.locator('main dd').allTextContents()).toEqual([
    '1',
    `EUR ${shown(lost.amount)}`,
    expect.any(String),
  ]);
});

testInBrowser(
  'on a phone each amount has its currency, and outcomes neither overlap amounts nor share a colour',
  async () => {
    // Without script no update replaces the table while it is measured.
    const { page } = await openBrowser({ width: 360, script: false });
    const web = await openConsole(await openSent(), { identify: async () => ({ by: 'somebody', roles: ['finance'] }) });
    await page.goto(`${web.url}/portfolios/q4`);
    const lines = await page.locator('#portfolio-money tbody tr').evaluateAll((rows) =>
      rows.map((row) => {
        const box = (of: string) => row.querySelector(of)?.getBoundingClientRect();
        const [name, sum] = [box('.names .badge'), box('.money-amount')];
        const isApart = !name || !sum || name.right <= sum.left || name.bottom <= sum.top;
        const view = row.ownerDocument.defaultView;
        const money = row.querySelector('.money-amount');
        const before = money && view?.getComputedStyle(money, '::before').content;
        const badge = row.querySelector('.badge');
        return { isApart, before, color: badge && view?.getComputedStyle(badge).backgroundColor };
      }),
    );
    await keepScreenshot(page, 'money-360');
    expect(lines.map(({ isApart, before }) => [isApart, before])).toEqual(lines.map(() => [true, '"EUR "']));
    const colors = lines.flatMap(({ color }) => color ?? []);
    expect(colors).toHaveLength(5);
    expect(new Set(colors).size).toBe(5);
    expect(await page.getByText('Available of what was granted: EUR').count()).toBe(1);
  },
);
