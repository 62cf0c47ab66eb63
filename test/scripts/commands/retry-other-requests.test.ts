import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startOnTerminal } from '../../support/command.ts';
import { openConsole, openDesk } from '../../support/desk.ts';

/** Three refused rows; then two of these buyers with a request_reference: one refused, one made with another amount. */
async function openTwice() {
  const desk = await openDesk(1, { rules: [{ on: 'limit', match: '5555', fault: 'status', status: 422 }] });
  const file = (name: string, ...lines: string[]) =>
    writeFile(join(desk.cwd, name), `${lines.map((line) => `${line}\n`).join('')}`);
  await file('one.csv', 'name,requested_limit', 'Ivy GmbH,5555', 'Jade AG,55550', 'Lime Ltd,555500');
  await file('two.csv', 'name,request_reference,requested_limit', 'Ivy GmbH,I-1,5555', 'Jade AG,J-1,60000');
  await desk.limitline('run', 'one.csv', '--portfolio', 'l');
  await desk.limitline('run', 'two.csv', '--portfolio', 'l');
  const states = async () => (await desk.json('report', 'l')).states;
  expect(await states()).toMatchObject({ refused: 4, done: 1 });
  await desk.standIn.setFaults({ rules: [] });
  return { ...desk, states };
}

const SAID = [
  '3 rows are of buyers with another request, so a second limit would be requested:',
  'of one.csv #1, Ivy GmbH, 5,555.00 (row l/',
  'beside line 2 of two.csv #2 in portfolio l (5,555.00, refused)',
  'of one.csv #1, Jade AG, 55,550.00 (row l/',
  'beside line 3 of two.csv #2 in portfolio l (60,000.00, done)',
  'beside line 2 of one.csv #1 in portfolio l (5,555.00, refused)',
  'Give up first what is not meant.',
];

// Promise: retry-names-other-requests
test('retry lists the rows whose buyer has another request: in the dry run, on the page and when it sends', async () => {
  const { limitline, json, states, ...desk } = await openTwice();
  const { stdout } = await limitline('retry', 'l', '--dry-run');
  for (const part of SAID) expect(stdout).toContain(part);
  expect(stdout).not.toContain('Lime');
  const planned = await json('retry', 'l', '--dry-run');
  expect(planned).toMatchObject({ rows: 4, otherRequests: { rows: 3, isExact: true } });
  const jade = planned.otherRequests.first.find(({ name }: { name: string }) => name === 'Jade AG');
  expect(jade).toMatchObject({ line: 3, requested_limit: '55550', other: { requested_limit: '60000', state: 'done' } });

  const web = await openConsole(desk);
  const page = (await web.get('/plans/new?portfolio=l&action=retry')).text;
  expect(page).toContain('Some buyers have another request.');
  for (const part of SAID) expect(page).toContain(part);
  // No plan keeps a buyer's name, because a plan outlives the rows.
  const keys = await web.context.ledger.keys(web.context.keys.plan('*'));
  for (const key of keys) expect(await web.context.ledger.hget(key, 'plan')).not.toMatch(/Ivy|Jade/);

  const one = await limitline('retry', 'l', '--row', jade.row);
  expect(one.stderr).toContain('1 row is of a buyer with another request');
  expect(one.stderr).toContain('beside line 3 of two.csv #2 in portfolio l (60,000.00, done)');
  const others = await limitline('retry', 'l', '--json');
  expect(others.stderr).toContain('2 rows are of buyers with another request');
  expect(JSON.parse(others.stdout)).toMatchObject({ retried: 3, otherRequests: { rows: 2 } });
  expect(await states()).toMatchObject({ queued: 4, refused: 0 });
});

// Promise: retry-names-other-requests
test('a request that was cancelled, or that stays refused, does not count as another request', async () => {
  const { limitline, json } = await openTwice();
  const { otherRequests } = await json('retry', 'l', '--dry-run');
  const [ivy] = otherRequests.first;
  const one = await limitline('retry', 'l', '--row', ivy.row);
  expect(one).toMatchObject({ status: 0, stderr: expect.not.stringContaining('another request') });
  await limitline('cancel', 'l', '--where', 'states=refused&max=5555');
  await limitline('cancel', 'l', '--where', 'states=refused&text=Jade');
  expect((await json('retry', 'l', '--dry-run')).otherRequests).toBeUndefined();
  expect((await json('retry', 'l', '--state', 'cancelled', '--dry-run')).otherRequests).toMatchObject({ rows: 2 });
});

// Promise: retry-asks-first
test('on a terminal, retry asks before it requests a second limit for a buyer, and --yes skips the question', async () => {
  const { cwd, env, states, json, limitline } = await openTwice();
  const ask = async (answer: string, ...more: string[]) => {
    const command = startOnTerminal(['retry', 'l', ...more], { cwd, env });
    await expect.poll(command.shown, { timeout: 20_000 }).toMatch(/another request.*\[y\/N\]/s);
    command.press(`${answer}\n`);
    return command.ended;
  };
  const { first } = (await json('retry', 'l', '--dry-run')).otherRequests;
  const [ivy, jade] = ['Ivy GmbH', 'Jade AG'].map((wanted) =>
    first.find(({ name }: { name: string }) => name === wanted),
  );
  for (const more of [[], ['--row', jade.row]])
    expect(await ask('n', ...more)).toMatchObject({
      status: 2,
      shown: expect.stringContaining('Nothing was changed.'),
    });
  expect(await states()).toMatchObject({ refused: 4 });
  expect(await ask('y', '--row', jade.row)).toMatchObject({ status: 0 });
  const without = startOnTerminal(['retry', 'l', '--row', ivy.row], { cwd, env });
  expect((await without.ended).shown).not.toContain('[y/N]');
  const agreed = startOnTerminal(['retry', 'l', '--yes'], { cwd, env });
  expect((await agreed.ended).shown).toMatch(/another request.*2 rows go on/s);
  expect(await states()).toMatchObject({ refused: 0, queued: 4 });
  const { stdout } = await limitline('audit', 'list');
  expect(stdout.match(/rows retried/g)).toHaveLength(6);
});
