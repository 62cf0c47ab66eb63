import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { requestedSums } from '../../../src/console/pages/portfolios/this-month.ts';
import { decided, openConsole, openDesk, plainText } from '../../support/desk.ts';
import { openLedger } from '../../support/ledger.ts';
import { buyerLines } from '../../support/workplace.ts';

// Promise: sums-of-all-portfolios
test('the first page shows the sums of this month by currency and outcome, and those of all portfolios', async () => {
  const desk = await openDesk(0, {
    rules: [decided(2, 'approved', 0.5), decided(3, 'open', 0), decided(4, 'approved', 0)],
  });
  for (const [name, currency, buyers] of [
    ['q4', 'EUR', [1, 2, 3, 4]],
    ['uk', 'GBP', [5]],
    ['old', 'EUR', [6]],
  ] as const) {
    const [head, ...lines] = buyerLines(6);
    const some = buyers.map((buyer) => `${lines[buyer - 1]},${currency}`);
    await writeFile(join(desk.cwd, `${name}.csv`), `${[`${head},currency`, ...some].join('\n')}\n`);
    await desk.limitline('run', `${name}.csv`, '--yes', '--no-results');
  }
  await desk.limitline('statuses', 'open', '--means', 'review');
  const { get, context } = await openConsole(desk);
  await context.ledger.hset(context.keys.portfolio('old'), 'started', Date.parse('2020-01-31T00:00:00Z'));
  const { fragments } = JSON.parse((await get('/newest/events')).text);
  const live = fragments.find(({ id }: { id: string }) => id === 'this-month')?.html;
  for (const text of [live, (await get('/')).text])
    expect(plainText(text)).toContain(
      'This month Requested EUR 4,012.00 GBP 1,005.50 5 requests Granted EUR 1,502.75 GBP 1,005.50 of EUR 2,004.00 GBP 1,005.50 requested in 3 requests Under review EUR 1,003.50 1 request in q4 Declined EUR 1,004.50 1 request in q4',
    );
  // Times stand in the reader's zone, so the page says when the month began.
  const began = `${new Date().toISOString().slice(0, 7)}-01 00:00:00 UTC`;
  expect(plainText(live)).toContain(`Portfolios that were begun since ${began}`);
  const all = 'In all portfolios Requested EUR 5,018.50 GBP 1,005.50 6 requests Granted EUR 2,509.25 GBP 1,005.50';
  expect(plainText(live)).toContain(all);
  expect(plainText(live)).toMatch(/In all portfolios .* Available EUR 2,509\.25 GBP 1,005\.50 of what was granted/);
  // The tiles add up to the requested sum, also while a status has no meaning.
  await desk.limitline('statuses', 'open', '--means', 'unknown');
  expect(plainText((await get('/')).text)).toContain('Under review – 0 requests');
  expect(plainText((await get('/')).text)).toContain('Outcome not known EUR 1,003.50 1 request in q4');
  await desk.limitline('archive', 'uk', '--yes');
  expect(plainText((await get('/')).text)).toMatch(/In all portfolios .* Not in these sums: 1 archived portfolio/);
});

test('a portfolio whose files name several currencies says so beside its sum and below those of all', async () => {
  const desk = await openDesk(0);
  for (const [at, currency] of ['CHF', 'EUR'].entries()) {
    const [head, ...lines] = buyerLines(2);
    await writeFile(join(desk.cwd, `q${at}.csv`), `${head},currency\n${lines[at]},${currency}\n`);
    await desk.limitline('run', `q${at}.csv`, '--portfolio', 'mix', '--yes', '--no-results');
  }
  const { get } = await openConsole(desk);
  const { text } = await get('/');
  expect(plainText(text)).toContain('2,004.00 several currencies');
  expect(plainText(text)).toContain(
    'The files of mix name several currencies, or some of them none. Their sums stand here without a currency.',
  );
  expect(text).toContain('The files of <a href="/portfolios/mix"><bdi>mix</bdi></a> name');
  await desk.limitline('run', 'q1.csv', '--portfolio', 'one', '--yes', '--no-results');
  await desk.limitline('archive', 'mix', '--yes');
  expect(plainText((await get('/')).text)).not.toMatch(/several currencies/);
});

// Promise: requested-beside-the-file
test('the requested sum is shown beside the sum of the files, which includes rejected and left-out lines', async () => {
  const desk = await openDesk(0, { rules: [{ on: 'limit', match: 'HRB 2"', fault: 'status', status: 422 }] });
  const [head, ...lines] = buyerLines(3);
  const some = [...lines, 'Nobody GmbH,QQ,HRB 9,7.00'].map((line) => `${line},EUR`);
  await writeFile(join(desk.cwd, 'q4.csv'), `${[`${head},currency`, ...some].join('\n')}\n`);
  await desk.limitline('run', 'q4.csv', '--yes', '--no-results');
  const page = plainText((await (await openConsole(desk)).get('/')).text);
  expect(page).toContain('This month Requested EUR 2,005.00 2 requests · in the files EUR 3,014.50 Granted');
  expect(page).toContain('EUR 2,005.00 in the file 3,014.50');
});

// Promise: archived-sums-of-month
test('an archived portfolio of this month is not in the sums, and is named beside them with its own', async () => {
  const desk = await openDesk(1);
  for (const name of ['q4', 'q5']) await desk.limitline('run', 'q4.csv', '--portfolio', name, '--no-results');
  const { get } = await openConsole(desk);
  expect(plainText((await get('/')).text)).toContain('This month Requested 1,001.50 1 request');
  await desk.limitline('archive', 'q5', '--yes');
  const page = plainText((await get('/')).text);
  expect(page).toContain('This month Requested 1,001.50 1 request');
  expect(page).toMatch(
    /Not in these sums: 1 portfolio of this month, archived or forgotten since ?, with 0\.00 requested and 0\.00 granted\./,
  );
  await desk.limitline('archive', 'q4', '--yes');
  expect(plainText((await get('/')).text)).toMatch(
    /This month .* 2 portfolios of this month, .* with 1,001\.50 requested/,
  );
});

test('the sums of portfolios that are archived or forgotten stand by currency, in the console and in commands', async () => {
  const desk = await openDesk(0);
  const [head, ...lines] = buyerLines(3);
  for (const [at, currency] of ['EUR', 'GBP', 'SEK'].entries()) {
    const name = currency.toLowerCase();
    await writeFile(join(desk.cwd, `${name}.csv`), `${head},currency\n${lines[at]},${currency}\n`);
    await desk.limitline('run', `${name}.csv`, '--yes', '--no-results');
  }
  expect((await desk.limitline('portfolios')).stdout).toContain('requested GBP 1,002.50, granted GBP 1,002.50');
  for (const name of ['eur', 'gbp']) await desk.limitline('archive', name, '--yes');
  await desk.limitline('forget', 'sek', '--yes', 'sek');
  const { get } = await openConsole(desk);
  const sums = 'EUR 1,001.50 , GBP 1,002.50 , SEK 1,003.50';
  expect(plainText((await get('/')).text)).toContain(`with ${sums} requested and ${sums} granted.`);
  expect(plainText((await get('/archived')).text)).toMatch(/gbp .* GBP 1,002\.50 GBP 1,002\.50/);
  expect(plainText((await get('/portfolios/gbp')).text)).toContain('Requested GBP 1,002.50 Granted GBP 1,002.50');
  expect((await desk.limitline('report', 'eur')).stdout).toContain('requested EUR 1,001.50, granted EUR 1,001.50');
  expect((await desk.json('portfolios', '--all')).archived).toMatchObject([
    { currency: 'EUR' },
    { currency: 'GBP' },
    { currency: 'SEK' },
  ]);
});

test('a figure of this month names the three portfolios with most requests, and counts the others', async () => {
  const empty = await openLedger().portfolios.read('q4');
  const nowMs = Date.UTC(2026, 4, 6);
  const answer = { status: 'no', share: 'nothing' as const, requested: '1', granted: '0', available: '0', unsaid: 0 };
  const portfolios = [
    ['few', 7],
    ['some', 9],
    ['many', 14],
    ['more', 12],
  ].map(([name, rows]) => ({
    ...empty,
    name: `${name}`,
    startedMs: nowMs,
    answers: [{ ...answer, rows: Number(rows) }],
    states: { ...empty.states, done: Number(rows) },
  }));
  const shown = (total: number) =>
    plainText(
      requestedSums({
        portfolios,
        total,
        archivedLately: [],
        archived: 0,
        meanings: new Map([['no', 'declined']]),
        nowMs,
      }).markup,
    );
  expect(shown(4)).toContain('42 requests in many , more , some and 1 more');
  expect(shown(4)).not.toContain('lower bounds');
  expect(shown(9)).toContain('These sums cover the newest 4 portfolios alone, so they are lower bounds.');
});
