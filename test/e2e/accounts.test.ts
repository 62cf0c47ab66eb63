import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeSilentLog } from '../../src/log.ts';
import { makeStandIn } from '../../src/stand-in/stand-in.ts';
import { callCommand, runCommand, startCommand } from '../support/command.ts';
import { buyerLines, makeFolder, startStandIn } from '../support/workplace.ts';

/** A folder with a file of three buyers, and a service with its own credentials. */
async function openDesk() {
  const cwd = await makeFolder();
  await writeFile(join(cwd, 'q4.csv'), `${buyerLines(3).join('\n')}\n`);
  const service = makeStandIn({
    credentials: { clientId: 'live-id', clientSecret: 'live-secret' },
    keepMade: true,
    log: makeSilentLog(),
  });
  await service.start();
  const live = { SERVICE_URL: service.url(), SERVICE_CLIENT_ID: 'live-id', SERVICE_CLIENT_SECRET: 'live-secret' };
  return { cwd, service, live, [Symbol.asyncDispose]: () => service.close() };
}

// Promise: accounts-never-meet
test('a file that was run at the stand-in is sent in full to a real service', async () => {
  await using desk = await openDesk();
  const { cwd, service, live } = desk;
  const tried = await callCommand(['run', 'q4.csv'], { cwd });
  expect(tried).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Portfolio q4, account stand-in$/m) });
  expect(tried.stderr).toMatch(/^limitline: account stand-in, in which nothing was requested yet/);

  const ran = await callCommand(['run', 'q4.csv', '--json'], { cwd, env: live });
  expect(ran.status).toBe(0);
  expect(ran.stderr.split('\n')[0]).toContain(`account ${live.SERVICE_URL}, in which nothing was requested yet`);
  expect(JSON.parse(ran.stdout)).toMatchObject({ account: live.SERVICE_URL, states: { done: 3, skipped: 0 } });
  expect(service.counts().made).toMatchObject({ company: 3, limit: 3 });

  const again = await callCommand(['run', 'q4.csv'], { cwd, env: live });
  expect(again.stderr.split('\n')[0]).toBe(`limitline: account ${live.SERVICE_URL}`);
  const csv = await callCommand(['report', 'q4', '--format', 'csv'], { cwd, env: live });
  const [header, first] = csv.stdout.split('\r\n');
  expect(header).toMatch(/,limitline_account,limitline_buyer$/);
  expect(first).toMatch(new RegExp(`,${live.SERVICE_URL},own:[^,]+$`));
});

// Promise: errors-file-own-account-only
test('run, import and check refuse an errors file of another account', async () => {
  await using desk = await openDesk();
  const { cwd, service, live } = desk;
  expect((await callCommand(['import', 'q4.csv'], { cwd, env: live })).status).toBe(0);
  await callCommand(['report', 'q4', '--format', 'errors-csv', '--out', 'errors.csv'], { cwd, env: live });
  const env = { ...live, SERVICE_ACCOUNT: 'other' };
  for (const command of ['check', 'import', 'run']) {
    const { status, stdout, stderr } = await callCommand([command, 'errors.csv', '--portfolio', 'q4'], { cwd, env });
    expect(status).toBe(2);
    expect(`${stdout}${stderr}`).toContain(
      `Line 2 belongs to account "${live.SERVICE_URL}", but this is account "other"`,
    );
  }
  expect(service.counts().made.limit).toBe(0);
  expect(await callCommand(['check', 'errors.csv', '--portfolio', 'q4'], { cwd, env: live })).toMatchObject({
    status: 0,
  });
});

// Promise: all-belongs-to-one-account
test('a worker without SERVICE_URL leaves the rows of another account alone', async () => {
  await using desk = await openDesk();
  const { cwd, live } = desk;
  expect((await callCommand(['import', 'q4.csv'], { cwd, env: live })).status).toBe(0);
  const worker = startCommand(['work'], { cwd });
  await expect.poll(() => worker.output().stderr).toMatch(/"account":"stand-in".*"msg":"working"/);
  // Rows of the worker's own account, behind which it would also have worked on rows of the other account.
  await writeFile(join(cwd, 'own.csv'), `${buyerLines(1).join('\n')}\n`);
  expect((await callCommand(['run', 'own.csv'], { cwd })).status).toBe(0);
  const report = await callCommand(['report', 'q4', '--json'], { cwd, env: live });
  expect(JSON.parse(report.stdout)).toMatchObject({ rows: 3, states: { queued: 3 }, calls: { token: 0, company: 0 } });
  worker.child.kill('SIGTERM');
  await worker.ended;
});

// Promise: portfolio-of-another-account
test('report names the account that has the portfolio when the current account does not', async () => {
  await using desk = await openDesk();
  const { cwd, live } = desk;
  expect((await callCommand(['import', 'q4.csv'], { cwd, env: live })).status).toBe(0);
  const lost = await callCommand(['report', 'q4'], { cwd });
  expect(lost).toMatchObject({ status: 1, stderr: expect.stringContaining('no portfolio "q4" in account stand-in') });
  expect(lost.stderr).toContain(`Account ${live.SERVICE_URL} has one`);
  const found = await callCommand(['report', 'q4'], { cwd, env: { SERVICE_ACCOUNT: live.SERVICE_URL } });
  expect(found).toMatchObject({ status: 0, stdout: expect.stringContaining(`account ${live.SERVICE_URL}`) });
});

// Promise: new-client-id-stops
test('a client id that is new to an account stops every command until SERVICE_ACCOUNT confirms the account', async () => {
  await using desk = await openDesk();
  const { cwd, service, live } = desk;
  expect((await callCommand(['run', 'q4.csv'], { cwd, env: live })).status).toBe(0);
  const { made } = service.counts();
  // `work` reports it as a line of its log.
  const renewed = { ...live, SERVICE_CLIENT_ID: 'live-id-2' };
  for (const args of [['run', 'q4.csv'], ['work'], ['import', 'q4.csv'], ['report', 'q4']]) {
    const run = args[0] === 'work' ? runCommand : callCommand;
    expect(await run(args, { cwd, env: renewed })).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(
        /^(?:limitline: |.*"msg":")Client id \\?"live-id-2\\?" is new to account .*SERVICE_ACCOUNT=http/m,
      ),
    });
  }
  // The service accepts the old client id only. The account is the same, so nothing is requested twice.
  const named = await callCommand(['import', 'q4.csv', '--json'], {
    cwd,
    env: { ...renewed, SERVICE_ACCOUNT: live.SERVICE_URL },
  });
  expect(named.status).toBe(0);
  expect((await callCommand(['report', 'q4', '--json'], { cwd, env: renewed })).status).toBe(0);
  const other = await callCommand(['run', 'q4.csv', '--json'], { cwd, env: { ...live, SERVICE_ACCOUNT: 'tenant-b' } });
  expect(JSON.parse(other.stdout)).toMatchObject({ account: 'tenant-b', states: { done: 3 } });
  expect(service.counts().made.limit).toBe(made.limit * 2);
});

test('an account name needs SERVICE_URL, and a real service cannot have the account name of the stand-in', async () => {
  const cwd = await makeFolder();
  await writeFile(join(cwd, 'q4.csv'), `${buyerLines(1).join('\n')}\n`);
  const standIn = await startStandIn();
  const alone = await callCommand(['run', 'q4.csv'], { cwd, env: { SERVICE_ACCOUNT: 'live' } });
  expect(alone).toMatchObject({ status: 1, stderr: expect.stringContaining('SERVICE_URL is not set') });
  const half = await callCommand(['run', 'q4.csv'], {
    cwd,
    env: { SERVICE_CLIENT_ID: 'a', SERVICE_CLIENT_SECRET: 'b' },
  });
  expect(half).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('SERVICE_CLIENT_ID is set, but SERVICE_URL is not'),
  });
  const env = { SERVICE_URL: standIn.url(), SERVICE_CLIENT_ID: 'a', SERVICE_CLIENT_SECRET: 'b' };
  const named = await callCommand(['run', 'q4.csv'], { cwd, env: { ...env, SERVICE_ACCOUNT: 'Stand-In' } });
  expect(named).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("which is the name of the stand-in's account"),
  });
});
