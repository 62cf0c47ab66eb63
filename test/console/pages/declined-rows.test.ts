import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answerApproval, carryOutAllAnswered } from '../../../jobs/approvals/answer-approval.ts';
import { openConsole, openDesk, plainText, unmarked } from '../../support/desk.ts';

// Promises: decline-is-told, first-page-what-waits
test('declined rows are shown on the first page and on their portfolio’s page until they are requested again', async () => {
  const desk = await openDesk(4, {}, { APPROVE_ALWAYS: 'on' });
  const web = await openConsole(desk, {
    identify: async () => ({ by: 'ada', roles: ['admin', 'approver', 'operator'] }),
  });
  const { context } = web;
  const page = async (path: string) => plainText(unmarked((await web.get(path)).text));
  const answer = async (said: 'approve' | 'decline') => {
    const [waiting] = await context.approvals.waiting();
    const { id = '', digest = '' } = waiting ?? {};
    const person = { by: 'bob', roles: ['approver' as const] };
    await answerApproval({ id, digest, answer: said, words: said === 'decline' ? 'too much' : '', person }, context);
    await carryOutAllAnswered(context);
  };
  const told =
    /Declined\. bob declined 4 rows, 4,012\.00 ?: “ ?too much ?” ?\. They are not sent\. See these rows ?, and send them from there/;
  const task = /bob declined 4 requests of q4 too much 4,012\.00/;

  await desk.limitline('import', 'q4.csv', '--yes');
  await answer('decline');
  expect(await page('/portfolios/q4')).toMatch(told);
  expect(await page('/portfolios/q4')).toContain('Nothing left to send since');
  expect(await page('/')).toMatch(task);

  const rows = '/portfolios/q4?outcomes=not_sent';
  expect((await web.get('/portfolios/q4')).text).toContain(`href="${rows}`);
  expect(await page(rows)).toContain('Send these…');
  const plan = await page('/plans/new?portfolio=q4&action=retry&outcomes=not_sent');
  expect(plan).toMatch(/Send 4 cancelled rows\? .* Send 4 cancelled rows Not now/);
  expect(plan).not.toMatch(/Send [^?]* again/);

  // While only some of them are requested again, the decline is still shown.
  const lines = (await desk.read('q4.csv')).trim().split('\n');
  await writeFile(join(desk.cwd, 'part.csv'), `${lines.slice(0, 3).join('\n')}\n`);
  await desk.limitline('import', 'part.csv', '--portfolio', 'q4', '--yes');
  expect(await page('/')).toMatch(task);
  await answer('approve');
  expect(await page('/')).toMatch(task);

  await desk.limitline('import', 'q4.csv', '--yes');
  expect(await page('/')).not.toMatch(task);
  expect(await page('/portfolios/q4')).not.toMatch(told);
  await answer('approve');
  expect(await page('/')).not.toMatch(task);
});

test('a portfolio’s page names no duration where a clock was set back before the portfolio finished', async () => {
  const desk = await openDesk(1);
  await desk.limitline('run', 'q4.csv', '--yes');
  const { context, get } = await openConsole(desk);
  const page = async () => plainText(unmarked((await get('/portfolios/q4')).text));
  expect(await page()).toMatch(/Finished .{16,40}, \d+\.\d s after its last import\./);
  await context.ledger.hset(context.keys.portfolio('q4'), 'finished', String(Date.now() - 3_600_000));
  expect(await page()).not.toMatch(/after its last import/);
});

// Promises: under-way-with-time-left, tasks-lead-to-where-done
test('the first page counts rows as the portfolio’s page does, and shows since when the portfolio is paused', async () => {
  const desk = await openDesk(3);
  const { get } = await openConsole(desk);
  const page = async () => plainText(unmarked((await get('/')).text));
  await desk.limitline('run', 'q4.csv', '--first', '1', '--yes');
  expect(await page()).toMatch(/q4 is paused after its first 1 row .*? \d{4}-\d\d-\d\d \d\d:\d\d Look/);
  // The second line asks for less, so its row is replaced by a new one.
  const changed = (await desk.read('q4.csv')).replace('1002.5', '999');
  await writeFile(join(desk.cwd, 'q4.csv'), changed);
  await desk.limitline('import', 'q4.csv', '--yes');
  expect(await page()).toMatch(/1 of 3 Paused/);
});
