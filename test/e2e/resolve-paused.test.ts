import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callCommand, callOnTerminal } from '../support/command.ts';
import { openFaultPlace } from '../support/fault-place.ts';
import { buyerLines } from '../support/workplace.ts';

const OTHER = '1 held row of portfolio q5, which is not paused, goes on by the same answer.';
const OWN = '1 row goes on once somebody resumes the portfolio, which is paused.';

// Promise: rows-of-others-go-on
test('resolve in a paused portfolio says that a row of another one goes at once, before it is done and when it is', async () => {
  const place = await openFaultPlace({ faults: { rules: [{ on: 'limit', fault: 'reset', made: false, times: 1 }] } });
  const { context } = place;
  const workers = await place.work();
  for (const portfolio of ['q4', 'q5']) {
    await place.import(buyerLines(1), { portfolio });
    expect((await place.settled(portfolio)).states.held).toBe(1);
  }
  await workers.stop();
  await context.portfolios.pause('q4', 'by request');
  await writeFile(join(place.dir, 'held.csv'), 'line,id\n2,resend\n');
  const resolve = async (...args: string[]) => (await place.limitline('resolve', 'q4', ...args)).stdout;
  const [one, all, file] = [
    ['--line', '2', '--resend'],
    ['--all', '--resend', '--yes'],
    ['--from', 'held.csv'],
  ] as const;
  for (const way of [one, all, file]) expect(await resolve(...way, '--dry-run')).toContain(OTHER);
  const asked = callOnTerminal(['resolve', 'q4', ...one], { cwd: place.dir, env: place.childEnv });
  await expect.poll(asked.shown).toMatch(/\[y\/N\]/);
  expect(asked.shown().replaceAll(/\s+/g, ' ')).toContain(OTHER);
  asked.press('n\n');
  await asked.ended;
  const said = await resolve(...one);
  expect(said).toContain(OTHER);
  expect(said).toContain(`1 call resolved; ${OWN}`);
  expect((await place.report('q5')).states.queued).toBe(1);
  // Nothing else is held any more.
  expect(await resolve(...all)).toBe('Nothing of portfolio q4 is held.\n');
});

// Promise: supplier-in-doubt-sent-again
test('a supplier in doubt in a paused portfolio is said to be so, and to go again once somebody resumes it', async () => {
  const place = await openFaultPlace();
  const { context, childEnv: env, dir: cwd } = place;
  await place.import(buyerLines(1));
  const supplier = { body: { name: 'Nordwind' }, key: 'buyer-of-supplier' };
  await context.ledger.hset(context.keys.portfolio('q4'), 'supplier', JSON.stringify(supplier));
  await context.ledger.hset(context.keys.call('company', supplier.key), { state: 'unknown' });
  await context.portfolios.pause('q4', 'by request');
  const said = async (...args: string[]) => (await callCommand(args, { cwd, env })).stdout;
  expect(await said('report', 'q4')).toContain('Supplier: it was sent, and nobody knows whether it was made');
  const words = "The supplier's company is sent again once somebody resumes the portfolio, which is paused.";
  expect(await said('resolve', 'q4', '--all', '--resend', '--yes')).toContain(words);
  expect(await said('report', 'q4')).toContain('Supplier: not created yet');
});
