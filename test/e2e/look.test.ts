import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callCommand, callOnTerminal, KEYS, startOnTerminal } from '../support/command.ts';
import { openFaultPlace } from '../support/fault-place.ts';
import { freshPrefix } from '../support/ledger.ts';
import { buyerLines } from '../support/workplace.ts';

/** A place with a file of seven valid lines and an invalid one, and a service other than the command's stand-in. */
async function openDesk() {
  const { dir: cwd, childEnv: env, standIn, context } = await openFaultPlace();
  const path = join(cwd, 'q4.csv');
  await writeFile(path, `${[...buyerLines(7), 'Broken,Nowhere,,1'].join('\n')}\n`);
  return { cwd, env, standIn, context, path };
}

const QUESTION = /Request these 7 limits\? \[y\/N\] $/;

// Promise: asks-before-sending
test('on a terminal, run shows a preview, and sends the previewed rows even when the file changes meanwhile', async () => {
  const { cwd, env, standIn, context, path } = await openDesk();
  const run = startOnTerminal(['run', 'q4.csv'], { cwd, env });
  await expect.poll(run.shown).toMatch(QUESTION);
  const shown = run.shown();
  expect(shown).toContain(`Account   ${env.SERVICE_URL}, portfolio q4\n`);
  expect(shown).toContain('File      q4.csv: 8 lines; 7 good, 1 invalid, 0 duplicate, 1 warning\n');
  expect(shown).toContain('Requests  7 limits, 7,031.50 in total\n');
  expect(shown).toMatch(
    /Largest {3}1,007.50 {2}line 8, Buyer 7 GmbH\n {10}1,006.50 .*\n.*\n.*\n {10}1,003.50 {2}line 4/,
  );
  expect(shown).not.toContain('line 3, Buyer');
  expect(shown).toContain('Creates   7 companies; no documents\n');
  expect(shown).toContain('Takes     not known yet');
  expect(standIn.counts().requests.token).toEqual({});
  // No line is imported before the yes.
  expect(await context.portfolios.names()).toEqual([]);

  await writeFile(path, `${buyerLines(90).join('\n')}\n`);
  run.press('y\n');
  expect(await run.ended).toMatchObject({ status: 2, shown: expect.stringMatching(/approved +7 /) });
  expect(standIn.counts().made).toMatchObject({ company: 7, limit: 7 });
  // The description of how the file was read appears once, before the question.
  expect(run.shown().match(/Read as/g)).toHaveLength(1);

  // All rows were requested by now, so run asks nothing.
  await writeFile(path, `${buyerLines(7).join('\n')}\n`);
  const again = await callOnTerminal(['run', 'q4.csv'], { cwd, env }).ended;
  expect(again).toMatchObject({ status: 0, shown: expect.stringContaining('Nothing is left to request') });
  expect(again.shown).toMatch(/Requests {2}7 rows, all requested before\nSkips {5}7 requested before/);
});

test('run and check say that a file has another currency than the portfolio, before anything is requested', async () => {
  const { cwd, env } = await openDesk();
  const write = (name: string, line: string) => writeFile(join(cwd, name), `name,requested_limit,currency\n${line}\n`);
  await write('eur.csv', 'Elm,1000,EUR');
  await write('usd.csv', 'Oak,2000,USD');
  await callCommand(['run', 'eur.csv', '--portfolio', 'q3', '--yes'], { cwd, env });
  const words = 'This file is in USD. This portfolio’s other files are in EUR. Sums of both have no currency.';
  const run = callOnTerminal(['run', 'usd.csv', '--portfolio', 'q3'], { cwd, env });
  await expect.poll(run.shown).toMatch(/\[y\/N\] $/);
  expect(run.shown()).toContain(`Currency  ${words}\n`);
  run.press('n\n');
  await run.ended;
  const check = async (file: string, portfolio: string) =>
    (await callCommand(['check', file, '--portfolio', portfolio], { cwd, env })).stdout;
  expect(await check('usd.csv', 'q3')).toContain(words);
  expect(await check('eur.csv', 'q3')).not.toContain('Sums of both');
  expect(await check('usd.csv', 'q4')).not.toContain('Sums of both');
});

// Promise: run-names-other-rows
test('run lists rows of other files that it would send as well, and import lists none', async () => {
  const { cwd, env, standIn, context } = await openDesk();
  await callCommand(['import', 'q4.csv', '--portfolio', 'q3', '--yes'], { cwd, env });
  await writeFile(join(cwd, 'others.csv'), `${[buyerLines(1)[0], 'Another GmbH,DE,,5'].join('\n')}\n`);
  const asked = callOnTerminal(['run', 'others.csv'], { cwd, env });
  await expect
    .poll(asked.shown)
    .toMatch(/Sends too 7 rows of portfolio q3 \(7,031\.50\)\n\nRequest this limit\? \[y\/N\] $/);
  asked.press('n\n');
  expect(await asked.ended).toMatchObject({ status: 2 });
  // Rows of the same portfolio that the file lacks are listed, also when the file has no valid row.
  await writeFile(join(cwd, 'broken.csv'), `${[buyerLines(1)[0], 'Broken,Nowhere,,1'].join('\n')}\n`);
  // --replace makes no difference: a file without a row cancels none.
  for (const how of [[], ['--replace']]) {
    const broken = callOnTerminal(['run', 'broken.csv', '--portfolio', 'q3', ...how], { cwd, env });
    await expect
      .poll(broken.shown)
      .toMatch(/Sends too 7 rows of portfolio q3 \(7,031\.50\)\n\nSend these rows\? \[y\/N\] $/);
    broken.press('n\n');
    await broken.ended;
  }
  // With --replace, a row with an invalid line in the file stays, and the other rows are cancelled.
  const [header, first, second] = buyerLines(2);
  await writeFile(join(cwd, 'some.csv'), `${header},contact_email\n${first},\n${second},nobody\n`);
  const some = callOnTerminal(['run', 'some.csv', '--portfolio', 'q3', '--replace'], { cwd, env });
  await expect
    .poll(some.shown)
    .toMatch(/Cancels {3}5 rows .*\n(.*\n)*Sends too 1 row of portfolio q3\n\nRequest this limit\? \[y\/N\] $/);
  some.press('n\n');
  await some.ended;
  const same = callOnTerminal(['run', 'q4.csv', '--portfolio', 'q3'], { cwd, env });
  await expect.poll(same.shown).toMatch(/\[y\/N\] $/);
  expect(same.shown()).not.toContain('Sends too');
  same.press('n\n');
  await same.ended;
  // Rows that the file corrects are not listed.
  await writeFile(join(cwd, 'corrected.csv'), `${buyerLines(7).join('\n').replaceAll('.50', '.75')}\n`);
  const corrected = callOnTerminal(['run', 'corrected.csv', '--portfolio', 'q3'], { cwd, env });
  await expect
    .poll(corrected.shown)
    .toMatch(/Replaces {2}7 rows of earlier imports that this file corrects\n[\s\S]*\[y\/N\] $/);
  expect(corrected.shown()).not.toContain('Sends too');
  corrected.press('n\n');
  await corrected.ended;
  // An import sends nothing.
  const imported = callOnTerminal(['import', 'others.csv'], { cwd, env });
  await expect.poll(imported.shown).toMatch(/Request this limit\? \[y\/N\] $/);
  expect(imported.shown()).not.toContain('Sends too');
  imported.press('n\n');
  await imported.ended;
  expect(standIn.counts().requests.token).toEqual({});
  expect(await context.portfolios.names()).toEqual(['q3']);
});

// Promise: run-says-others-unasked
test('a run without a question prints which rows of other portfolios it sends', async () => {
  const { cwd, env } = await openDesk();
  await callCommand(['import', 'q4.csv', '--portfolio', 'q3', '--yes'], { cwd, env });
  await writeFile(join(cwd, 'others.csv'), `${[buyerLines(1)[0], 'Another GmbH,DE,,5'].join('\n')}\n`);
  const said = async () => (await callCommand(['run', 'others.csv'], { cwd, env })).stderr;
  expect(await said()).toContain('limitline: this run also sends 7 rows of portfolio q3 (7,031.50).');
  await expect.poll(said).not.toContain('also sends');
  await writeFile(join(cwd, 'q2.csv'), `${[buyerLines(1)[0], 'A AG,DE,,5', 'B AG,DE,,5', 'C AG,DE,,5'].join('\n')}\n`);
  await callCommand(['import', 'q2.csv', '--first', '2', '--yes'], { cwd, env });
  expect(await said()).toContain('limitline: this run also sends 2 rows of portfolio q2.');
});

// Promise: run-names-other-rows
test('run also lists approved rows that are not released yet', async () => {
  const { dir: cwd, childEnv: env, context, importFile } = await openFaultPlace({ env: { APPROVE_ABOVE: '5000' } });
  await writeFile(join(cwd, 'q3.csv'), `${buyerLines(7).join('\n')}\n`);
  await importFile(join(cwd, 'q3.csv'), {}, { portfolio: 'q3' });
  for (const { id, digest } of await context.approvals.waiting())
    await context.approvals.grant({ id, digest, by: 'bob' });
  await writeFile(join(cwd, 'others.csv'), `${[buyerLines(1)[0], 'Another GmbH,DE,,5'].join('\n')}\n`);
  const asked = callOnTerminal(['run', 'others.csv'], { cwd, env });
  await expect
    .poll(asked.shown)
    .toMatch(/Sends too 7 rows of portfolio q3 \(7,031\.50\)\n\nRequest this limit\? \[y\/N\] $/);
  asked.press('n\n');
  await asked.ended;
});

// Promise: check-says-approval
test('run says that another person must approve the file before it asks', async () => {
  const { dir: cwd, childEnv: env } = await openFaultPlace({ env: { APPROVE_ABOVE: '5000' } });
  await writeFile(join(cwd, 'q3.csv'), `${buyerLines(7).join('\n')}\n`);
  const asked = callOnTerminal(['run', 'q3.csv'], { cwd, env });
  await expect.poll(asked.shown).toMatch(QUESTION);
  expect(asked.shown()).toContain(
    'Approval  Portfolio q3 asks for 7,031.50 with these rows, which is above 5,000.00: nothing',
  );
  asked.press('n\n');
  await asked.ended;
});

// Promises: asks-before-sending, only-yes-sends
test('after a no, an empty line, Ctrl-C or the end of input, nothing is sent or imported, and the status is 2', async () => {
  const { cwd, env, standIn, context } = await openDesk();
  const answers = { run: ['n\n', KEYS.ctrlC], import: ['\n', KEYS.ctrlD] };
  const refused = Object.entries(answers).flatMap(([command, keys]) =>
    keys.map(async (key) => {
      const asked = startOnTerminal([command, 'q4.csv'], { cwd, env });
      await expect.poll(asked.shown).toMatch(QUESTION);
      asked.press(key);
      return asked.ended;
    }),
  );
  for (const ended of await Promise.all(refused)) {
    expect(ended).toMatchObject({ status: 2, shown: expect.stringContaining('nothing was imported') });
  }
  expect(standIn.counts().requests.token).toEqual({});
  expect(await context.portfolios.names()).toEqual([]);
  // A preview alone makes no audit entry.
  expect(await context.audit.read.count()).toBe(0);
});

test('with --json the question appears on standard error, and --yes skips it', async () => {
  const { cwd, env } = await openDesk();
  const options = { cwd, env, redirected: '>answer.json' };
  const asked = startOnTerminal(['import', 'q4.csv', '--json'], options);
  await expect.poll(asked.shown).toMatch(QUESTION);
  asked.press('no\n');
  expect((await asked.ended).status).toBe(2);
  const answer = async () => JSON.parse(await readFile(join(cwd, 'answer.json'), 'utf8'));
  expect(await answer()).toEqual({ account: env.SERVICE_URL, portfolio: 'q4', imported: false });
  const told = await startOnTerminal(['import', 'q4.csv', '--json', '--yes'], options).ended;
  expect(told.shown).not.toContain('[y/N]');
  expect(await answer()).toMatchObject({ lines: 8, rows: 7 });
});

// Promise: nobody-asked-without-terminal
test('no question is asked without a terminal or at the stand-in, and a file from - on a terminal needs --yes', async () => {
  const { cwd, env } = await openDesk();
  const [half, standIn, piped] = await Promise.all([
    startOnTerminal(['import', 'q4.csv'], { cwd, env, redirected: '2>said.txt' }).ended,
    startOnTerminal(['import', 'q4.csv'], { cwd, env: { LIMITLINE_PREFIX: freshPrefix(), REDIS_URL: env.REDIS_URL } })
      .ended,
    startOnTerminal(['run', '-', '--portfolio', 'p'], { cwd, env, redirected: '<q4.csv' }).ended,
  ]);
  expect(half).toMatchObject({ status: 2, shown: expect.stringContaining('7 rows') });
  expect(standIn).toMatchObject({ status: 2, shown: expect.stringContaining('7 rows') });
  expect(standIn.shown).not.toContain('[y/N]');
  expect(piped).toMatchObject({ status: 1, shown: expect.stringContaining('add --yes') });
});
