import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { NO_RIGHTS } from '../../../src/console/access/access.ts';
import { needsYou } from '../../../src/console/pages/portfolios/needs-you.ts';
import { underWayPanel } from '../../../src/console/pages/portfolios/portfolios-list.ts';
import type { PaceState } from '../../../src/pace/pace-words.ts';
import { as, byHeader, decided, openConsole, openDesk, plainText } from '../../support/desk.ts';
import { openLedger } from '../../support/ledger.ts';
import { buyerLines } from '../../support/workplace.ts';

// Promise: declined-within-a-week
test('requests that were declined in the last seven days are shown with sums by currency, and link to their rows', async () => {
  const rules = [
    decided(1, 'rejected', 0),
    decided(2, 'approved', 0),
    decided(3, 'open', 0),
    decided(4, 'approved', 0.5),
  ];
  const desk = await openDesk(0, { rules });
  const send = async (name: string, currency: string, buyers: readonly number[]) => {
    const [head, ...lines] = buyerLines(7);
    const some = lines.filter((_line, at) => buyers.includes(at + 1)).map((line) => `${line},${currency}`);
    await writeFile(join(desk.cwd, `${name}.csv`), `${[`${head},currency`, ...some].join('\n')}\n`);
    await desk.limitline('run', `${name}.csv`, '--yes', '--no-results');
  };
  await send('q4', 'EUR', [1, 2, 3, 4, 5]);
  const { get } = await openConsole(desk);
  // An approved limit with nothing granted counts as declined, whatever its status. Nobody has given the status of row
  // 3 a meaning yet.
  expect(plainText((await get('/')).text)).toContain('1 request was declined');
  await send('uk', 'GBP', [6, 7]);
  await desk.limitline('statuses', 'rejected', '--means', 'declined');
  // Later decisions count, too. A repeated status with a later time does not.
  const idOf = (buyer: string) =>
    desk.standIn.things('limit').find(({ body }) => JSON.stringify(body).includes(`${buyer}"`))?.id ?? '';
  const later = ['HRB 6,rejected', 'HRB 5,approved'].map((line) => line.replace(/^HRB \d/, idOf));
  await writeFile(join(desk.cwd, 'later.csv'), `${['buyer_limit_id,status', ...later].join('\n')}\n`);
  await desk.limitline('decisions', 'later.csv');

  const first = await get('/');
  expect(plainText(first.text)).toContain(' 5 EUR 5,017.50 EUR 1,507.75 finished');
  expect(plainText(first.text)).toContain('3 requests were declined In the last 7 days EUR 2,004.00 GBP 1,006.50 2');
  expect(first.text).toContain('href="/declined"');
  const { fragments } = JSON.parse((await get('/newest/events')).text);
  const news = fragments.find(({ id }: { id: string }) => id === 'needs-you')?.html;
  expect(news).toContain('3 requests were declined');

  const page = plainText((await get('/declined')).text);
  for (const [buyer, what] of [
    [1, 'q4 EUR 1,001.50 rejected'],
    [2, 'q4 EUR 1,002.50 approved nothing was granted'],
    [6, 'uk GBP 1,006.50 rejected GBP 1,006.50 had been granted'],
  ] as const)
    expect(page).toContain(`Buyer ${buyer} GmbH ${what} 20`);
  expect(page.match(/Buyer \d GmbH/g)).toHaveLength(3);
  expect(page).toContain('Requested and declined EUR 2,004.00 GBP 1,006.50 3 requests');
  expect((await get('/declined?after=nonsense')).text).toContain('Buyer 1 GmbH');
  // The meaning of a status is looked up when the page is read.
  await desk.limitline('statuses', 'open', '--means', 'declined');
  expect(plainText((await get('/declined')).text)).toContain('Buyer 3 GmbH q4 EUR 1,003.50 open');
});

test('without declined requests the page says so', async () => {
  const { get } = await openConsole(await openDesk(0));
  expect((await get('/declined')).text).toContain('Nothing was declined in the last 7 days.');
});

// Promise: under-way-with-time-left
test('a portfolio under way is shown on the first page until its last row ends', async () => {
  const desk = await openDesk(3);
  await desk.limitline('import', 'q4.csv', '--yes');
  const { get } = await openConsole(desk);
  const shown = async () =>
    plainText(
      /<div class="stacked" id="under-way">(.*?)<div class="stacked" id="this-month">/s.exec(
        (await get('/')).text,
      )?.[1] ?? '',
    );
  expect(await shown()).toMatch(/Not finished .* q4 0 of 3 Sending is stopped/);
  await desk.limitline('run', 'q4.csv', '--yes', '--no-results');
  expect((await shown()).trim()).toBe('');
});

test('a sum is shown as a lower bound when the amounts of lines to fix are not known apart from other lines', async () => {
  const empty = await openLedger().portfolios.read('q4');
  const file = { id: 'a', number: 1, fileName: 'q4.csv', reading: '{}' };
  const times = { startedMs: Date.UTC(2026, 1, 3, 4, 5), finishedMs: Date.now() };
  const q4 = {
    ...{ ...empty, invalid: 1, duplicate: 1, leftOut: { bare: 0, amount: '9' }, file, ...times },
    states: { ...empty.states, refused: 4 },
    sums: { ...empty.sums, byState: { ...empty.sums.byState, refused: '400' } },
  };
  const none = { rows: 0, sums: [], sinceMs: undefined, isAll: true };
  const news = {
    needs: {
      held: { total: 0, sums: [], summed: 0, oldestMs: undefined, answers: [] },
      approvals: [],
      refusedByPeople: [],
    },
    news: { declined: none, lowered: none },
  };
  const shown = (state: typeof q4, rejectedMs = new Map<string, number>()) => {
    const look = {
      rejectedMs,
      portfolios: [state],
      paused: [],
      pausedQueues: [],
      nowMs: Date.now(),
      rights: NO_RIGHTS,
      by: '',
      mayAnswer: () => false,
    };
    return plainText(needsYou(news, look).markup);
  };
  expect(shown(q4)).toContain('1 line to fix , 4 rejected by the service in q4 ≥ 400.00');
  expect(shown({ ...q4, duplicate: 0 })).toContain('in q4 409.00');
  // Rejected rows count from the first rejection, and lines to fix from their import.
  expect(shown(q4)).toMatch(/Since \(UTC\) .* 2026-02-03 04:05 /);
  const later = new Map([['q4', Date.UTC(2026, 1, 3, 7, 8)]]);
  expect(shown({ ...q4, invalid: 0 }, later)).toContain(' 2026-02-03 07:08 ');
  expect(shown({ ...q4, invalid: 0 })).toMatch(/Amount Since Go .* – /);
  expect(shown({ ...q4, states: empty.states })).toContain('2026-02-03 04:05');
});

// Promise: under-way-with-time-left
test('the first page shows the same time left as the page of the portfolio', async () => {
  const empty = await openLedger().portfolios.read('q4');
  const pace: PaceState = {
    ...{ phase: 'hold', ratePerS: 10, flowPerS: 10, accepted: 5_000, isLimiting: true, atCeiling: false },
    blocked: undefined,
  };
  const states = { ...empty.states, done: 2_104, limit: 1_896 };
  const nowMs = Date.now();
  const seen = {
    state: { ...empty, states, startedMs: 1 },
    causes: [],
    pace,
    samples: [],
    ownPerS: undefined,
    nowMs,
    resume: ['fiona', 'olga'],
  };
  const words = (paused?: string, isAll = true) => {
    const shown = [{ ...seen, state: { ...seen.state, paused } }];
    return plainText(underWayPanel({ shown, others: 2, isAll }, { workers: 1, pausedQueues: [] }).markup);
  };
  expect(words('', false)).toContain('At least 2 more portfolios are under way.');
  expect(words()).toMatch(/q4 2,104 of 4,000 about 3 min left .*2 more portfolios are under way\./);
  expect(words('by request')).toContain('2,104 of 4,000 Paused fiona and olga may resume it.');
});

// Promise: several-currencies-said
test('amounts of lines to fix and of requests that need an answer are shown with their currency', async () => {
  const rules = [{ on: 'limit' as const, match: 'HRB 1"', fault: 'reset' as const }];
  const desk = await openDesk(0, { rules });
  const [head, one, two] = buyerLines(2);
  const bad = two?.replace(',DE,', ',XX,');
  await writeFile(join(desk.cwd, 'q4.csv'), `${[`${head},currency`, `${one},EUR`, `${bad},EUR`].join('\n')}\n`);
  await desk.limitline('run', 'q4.csv', '--yes', '--no-results');
  const { get } = await openConsole(desk);
  expect(plainText((await get('/')).text)).toMatch(
    /1 request needs an answer .*? EUR 1,001\.50 .*?1 line to fix in q4 EUR 1,002\.50/,
  );
  const home = (await get('/')).text;
  expect(home).toContain('href="/portfolios/q4?outcomes=needs_answer#rows"');
  expect(home).toContain('href="/portfolios/q4?lines=invalid#rows">1 line to fix</a>');
  // The second file names no currency, so its amounts are not taken for the first file’s currency.
  await writeFile(
    join(desk.cwd, 'more.csv'),
    `${[head, two, two?.replace(',DE,', ',XX,').replace('1002', '7')].join('\n')}\n`,
  );
  await desk.limitline('run', 'more.csv', '--portfolio', 'q4', '--yes', '--no-results');
  const mixed = plainText((await get('/')).text);
  expect(mixed).toMatch(/EUR 1,001\.50 .*?1 line to fix in q4 7\.50 /);
  expect(mixed.match(/EUR/g)).toHaveLength(1);
});

test('amounts in different currencies that wait for approval are not added to one sum', async () => {
  const desk = await openDesk(0, {}, { APPROVE_ALWAYS: 'on' });
  const [head, ...lines] = buyerLines(3);
  for (const [place, currency] of ['EUR', 'GBP', ''].entries()) {
    await writeFile(join(desk.cwd, `q${place}.csv`), `${head},currency\n${lines[place]},${currency}\n`);
    await desk.limitline('import', `q${place}.csv`, '--yes');
  }
  const { get } = await openConsole(desk);
  expect(plainText((await get('/')).text)).toMatch(
    /3 requests wait for a colleague’s approval .*? before that 1,003\.50 no currency, or several EUR 1,001\.50 GBP 1,002\.50 2/,
  );
});

// Promises: for-colleagues-apart, first-page-what-waits
test('own requests are not offered for approval, and a single waiting approval is linked directly', async () => {
  const desk = await openDesk(0, {}, { APPROVE_ALWAYS: 'on' });
  const { get, context } = await openConsole(desk, byHeader);
  const [head, ...lines] = buyerLines(3);
  const ask = async (place: number, author: string) => {
    await writeFile(join(desk.cwd, `q${place}.csv`), `${head}\n${lines[place]}\n`);
    await desk.limitline('import', `q${place}.csv`, '--yes');
    const id = (await context.approvals.waiting()).at(-1)?.id ?? '';
    await context.ledger.hset(context.keys.approval(id), `author:${author}`, author);
    return id;
  };
  const anna = as('anna', 'approver');
  const shown = async (address: string) => {
    const text = (await get(address, anna)).text;
    const { fragments = [] } = address === '/' ? {} : JSON.parse(text);
    const part = fragments.find(({ id }: { id: string }) => id === 'needs-you')?.html ?? text;
    const [own = '', others = ''] = part.split('For colleagues');
    return { own: own.split('id="under-way"')[0] ?? '', others: others.split('id="under-way"')[0] ?? '' };
  };
  const hers = await ask(0, 'anna');
  const his = await ask(1, 'ben');
  for (const address of ['/', '/newest/events']) {
    const { own, others } = await shown(address);
    expect(plainText(own)).toMatch(/1 request waits for your approval .* 1,002\.50 .* Review/);
    expect(own).toContain(`href="/approvals/${his}"`);
    expect(plainText(others)).toMatch(/1 request waits for a colleague’s approval .* 1,001\.50 .* Look/);
    expect(others).toContain(`href="/approvals/${hers}"`);
  }
  await ask(2, 'ben');
  expect((await shown('/')).own).toMatch(/href="\/approvals"[^>]*>Review/);
});

// Promise: for-colleagues-apart
test('tasks beyond the reader’s roles are listed apart, under "For colleagues"', async () => {
  const desk = await openDesk(0, { rules: [{ on: 'limit', match: 'HRB 1"', fault: 'reset' }] });
  const [head, one, two] = buyerLines(2);
  await writeFile(join(desk.cwd, 'q4.csv'), `${[head, one, two?.replace(',DE,', ',XX,')].join('\n')}\n`);
  await desk.limitline('run', 'q4.csv', '--yes', '--no-results');
  const { get } = await openConsole(desk, byHeader);
  const shown = async (role: string) => plainText((await get('/', as('anna', role))).text);
  expect(await shown('finance')).toMatch(/Needs you .*1 line to fix.* For colleagues .*1 request needs an answer/);
  expect(await shown('operator')).toMatch(/Needs you .*1 request needs an answer.* For colleagues .*1 line to fix/);
  expect(await shown('viewer')).not.toContain('Needs you');
});
