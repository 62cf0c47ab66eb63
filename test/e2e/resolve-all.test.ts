import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { resolveCalls } from '../../jobs/operators/resolve-calls.ts';
import { callCommand, callOnTerminal, startOnTerminal } from '../support/command.ts';
import { openFaultPlace } from '../support/fault-place.ts';
import { buyerLines } from '../support/workplace.ts';

// Promises: resend-all-asks, plan-alone-no-entry
test('resolve --all --resend shows its plan on a terminal, and acts only after a yes', async () => {
  const place = await openFaultPlace({ faults: { rules: [{ on: 'limit', fault: 'reset', made: false, times: 2 }] } });
  await place.import(buyerLines(3));
  await place.work();
  expect((await place.settled()).states).toMatchObject({ done: 1, held: 2 });
  const ask = async (answer: string) => {
    const command = startOnTerminal(['resolve', 'q4', '--all', '--resend'], { cwd: place.dir, env: place.childEnv });
    await expect.poll(command.shown).toMatch(/To be sent again: 2 held rows, [\d,.]+ in total.*\[y\/N\]/s);
    command.press(`${answer}\n`);
    return command.ended;
  };
  expect(await ask('n')).toMatchObject({ status: 2, shown: expect.stringContaining('Nothing was changed.') });
  expect((await place.report()).states.held).toBe(2);
  // A plan alone makes no audit entry; an action makes one.
  expect(await place.context.audit.read.count()).toBe(0);
  const shown = expect.stringContaining('2 rows go on; 1 worker process runs.');
  expect(await ask('y')).toMatchObject({ status: 0, shown });
  expect((await place.judged(3)).states.done).toBe(3);
  const { entries } = await place.context.audit.read.page({ count: 9, walk: 9 });
  expect(entries.reverse()).toMatchObject([
    { what: 'held calls resolved', about: 'q4', is: 'begun', facts: { all: true, resend: true } },
    { is: 'done', of: 1, facts: { rows: 2, changed: 0 } },
  ]);
});

test('rows that were lost again while a person decided are left alone, for all rows and for a named row', async () => {
  const lost = (match: string, times: number) => ({ on: 'limit', match, fault: 'reset', made: true, times }) as const;
  const rules = [lost('HRB 1"', 1), lost('HRB 2"', 3), lost('HRB 3"', 1)];
  const place = await openFaultPlace({ faults: { rules } });
  const [header = '', ...lines] = buyerLines(3);
  await place.import([header, ...lines.slice(0, 2)]);
  await place.work();
  const held = async (count: number) =>
    expect.poll(async () => (await place.report()).states).toMatchObject({ held: count, limit: 0, queued: 0 });
  await held(2);
  const askAbout = async (args: string[], meanwhile: () => Promise<unknown>) => {
    const command = callOnTerminal(['resolve', 'q4', ...args], { cwd: place.dir, env: place.childEnv });
    await expect.poll(command.shown).toMatch(/\[y\/N\]/);
    await meanwhile();
    command.press('y\n');
    return command.ended;
  };
  const again = () => resolveCalls({ portfolio: 'q4', line: 3 }, place.context);

  // While a person looks at two rows, another person resends one of them in vain, and a third row is held.
  const all = await askAbout(['--all', '--resend'], async () => {
    await again();
    await place.import([header, lines[2] ?? '']);
    await expect.poll(() => place.standIn.counts().made.limit).toBe(4);
    await held(3);
  });
  expect(all.shown).toMatch(/1 row goes on; .*2 rows changed meanwhile and were left alone\./s);
  await held(2);
  // Each other limit was made once more than it was answered, and not more often.
  expect(place.standIn.counts().made.limit).toBe(5);

  const one = await askAbout(['--line', '3', '--resend'], async () => {
    await again();
    await expect.poll(() => place.standIn.counts().made.limit).toBe(6);
    await held(2);
  });
  expect(one).toMatchObject({
    status: 1,
    shown: expect.stringMatching(/sent again, and is held anew.*Nothing was done/s),
  });
  await held(2);
  expect(place.standIn.counts().made.limit).toBe(6);
});

// Promise: resend-all-needs-yes
test('without a terminal, resolve --all --resend needs --yes when rows are held, and reports when none is', async () => {
  const place = await openFaultPlace({ faults: { rules: [{ on: 'limit', fault: 'reset', made: false, times: 1 }] } });
  await place.import(buyerLines(1));
  const all = () => callCommand(['resolve', 'q4', '--all', '--resend'], { cwd: place.dir, env: place.childEnv });
  expect(await all()).toMatchObject({ status: 0, stdout: 'Nothing of portfolio q4 is held.\n' });
  await place.work();
  await expect.poll(async () => (await place.report()).states.held).toBe(1);
  const stderr = expect.stringMatching(/made a second time\. Look with --dry-run first, then add --yes/);
  expect(await all()).toMatchObject({ status: 1, stdout: '', stderr });
  expect((await place.report()).states.held).toBe(1);
});

// Promise: resend-of-file-asks
test('resolve --from asks on a terminal before it resends calls, and asks nothing elsewhere', async () => {
  const lost = (match: string) => ({ on: 'limit', match, fault: 'reset', made: true, times: 1 }) as const;
  const rules = [lost('HRB 1"'), lost('HRB 2"'), lost('HRB 3"')];
  const place = await openFaultPlace({ faults: { rules } });
  await place.import(buyerLines(3));
  await place.work();
  expect((await place.settled()).states).toMatchObject({ held: 3 });
  const from = ['resolve', 'q4', '--from', 'held.csv'];
  const file = (lines: string) => writeFile(join(place.dir, 'held.csv'), `line;id\n${lines}`);
  const made = place.standIn.things('limit').find(({ body }) => JSON.stringify(body).includes('HRB 1"'))?.id;
  await file(`2;${made}\n3;resend\n`);
  const ask = async (answer: string) => {
    const command = callOnTerminal(from, { cwd: place.dir, env: place.childEnv });
    await expect.poll(command.shown).toMatch(/To be sent again: 1 held row, 1,002\.50 in total\. Whatever.*\[y\/N\]/s);
    command.press(`${answer}\n`);
    return command.ended;
  };
  expect(await ask('n')).toMatchObject({ status: 2, shown: expect.stringContaining('Nothing was changed.') });
  expect((await place.report()).states.held).toBe(3);
  expect(await place.context.audit.read.count()).toBe(0);
  expect(await ask('y')).toMatchObject({ status: 0, shown: expect.stringContaining('2 calls resolved') });
  await expect.poll(async () => (await place.report()).states).toMatchObject({ held: 1, done: 2 });
  expect(await place.context.audit.read.count()).toBe(2);
  await file('4;resend\n');
  expect(await callCommand(from, { cwd: place.dir, env: place.childEnv })).toMatchObject({ status: 0 });
  await expect.poll(async () => (await place.report()).states).toMatchObject({ done: 3 });
});

// Promises: earlier-no-is-said, plan-says-who-must-approve
test('resolve --all --resend prints beforehand that another person has to approve it, and why', async () => {
  const rules = [{ on: 'limit', fault: 'reset', made: false, times: 3 }] as const;
  const place = await openFaultPlace({ faults: { rules: [...rules] } });
  await place.import(buyerLines(3));
  const workers = await place.work();
  expect((await place.settled()).states).toMatchObject({ held: 3 });
  await workers.stop();
  const env = { ...place.childEnv, APPROVE_ABOVE: '2500' };
  const { stdout } = await callCommand(['resolve', 'q4', '--all', '--resend', '--dry-run'], { cwd: place.dir, env });
  expect(stdout).toContain(
    'A colleague must approve this first. These rows ask for 3,007.50 in all, which is above 2,500.00.\nNothing was changed',
  );
});

const OTHER = '1 held row of portfolio q5, which is not paused, goes on by the same answer.';
const OWN = '1 row goes on once somebody resumes the portfolio, which is paused.';

// Promise: rows-of-others-go-on
test('resolve in a paused portfolio announces that a row of another portfolio continues at once', async () => {
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
  for (const way of [one, all, file]) {
    expect(await resolve(...way, '--dry-run')).toContain(OTHER);
    expect(JSON.parse(await resolve(...way, '--dry-run', '--json'))).toMatchObject({ portfolio: 'q4', dryRun: true });
  }
  const asked = callOnTerminal(['resolve', 'q4', ...one], { cwd: place.dir, env: place.childEnv });
  await expect.poll(asked.shown).toMatch(/\[y\/N\]/);
  expect(asked.shown().replaceAll(/\s+/g, ' ')).toContain(OTHER);
  asked.press('n\n');
  await asked.ended;
  const said = await resolve(...one);
  expect(said).toContain(OTHER);
  expect(said).toContain(`1 call resolved; ${OWN}`);
  expect((await place.report('q5')).states.queued).toBe(1);
  // No row is held any more.
  expect(await resolve(...all)).toBe('Nothing of portfolio q4 is held.\n');
});

// Promise: supplier-in-doubt-sent-again
test('a supplier in doubt is shown in the report, and is sent again after the portfolio is resumed', async () => {
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
