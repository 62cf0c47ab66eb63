import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { STAND_IN_CREDENTIALS } from '../../src/config.ts';
import { callCommand, runCommand, startCommand } from '../support/command.ts';
import { startForwardProxy } from '../support/forward-proxy.ts';
import { ownRedis } from '../support/ledger.ts';
import { CERTIFICATE_PATH, startTlsService, TLS_HOST } from '../support/tls-service.ts';
import { buyerLines, makeFolder, startStandIn } from '../support/workplace.ts';

const USER = 'anna:geheim';
/** A port without a listener. */
const DEAD_PROXY = 'http://127.0.0.1:1';

/** A stand-in behind TLS, a file to run, and a proxy as the only way there. */
async function openPlace() {
  const cwd = await makeFolder();
  await writeFile(join(cwd, 'q4.csv'), `${buyerLines(5).join('\n')}\n`);
  const standIn = await startStandIn();
  const proxy = await startForwardProxy({
    targetPort: await startTlsService(Number(new URL(standIn.url()).port)),
    user: USER,
  });
  const redis = ownRedis();
  const { clientId, clientSecret } = STAND_IN_CREDENTIALS;
  const env = {
    ...redis,
    SERVICE_CLIENT_ID: clientId,
    SERVICE_CLIENT_SECRET: clientSecret,
    SERVICE_URL: `https://${TLS_HOST}`,
    NODE_EXTRA_CA_CERTS: CERTIFICATE_PATH,
  };
  return { cwd, standIn, proxy, redis, env, withUser: proxy.url.replace('//', `//${USER}@`) };
}

// Promise: proxy-of-environment
test('run sends all calls through the proxy, names it, and prints no password', async () => {
  const { cwd, standIn, proxy, env, withUser } = await openPlace();
  const ended = await runCommand(['run', 'q4.csv'], { cwd, env: { ...env, HTTPS_PROXY: withUser } });
  expect(ended).toMatchObject({ status: 0, stderr: expect.stringContaining(`the proxy ${proxy.url}.`) });
  expect(standIn.counts().made).toMatchObject({ company: 5, limit: 5 });
  expect(ended.stdout + ended.stderr).not.toContain('geheim');
});

test('the first log line of work names the proxy, also from a setting in lower case', async () => {
  const { cwd, proxy, env, withUser } = await openPlace();
  const work = startCommand(['work'], { cwd, env: { ...env, https_proxy: withUser } });
  await expect.poll(() => work.output().stderr).toContain('"working"');
  expect(work.output().stderr).toContain(`"proxy":"${proxy.url}"`);
  expect(work.output().stderr).not.toContain('geheim');
  work.child.kill('SIGTERM');
  expect(await work.ended).toMatchObject({ status: 0 });
});

test('a proxy password that is wrong ends run with 1 and refuses no row', async () => {
  const { cwd, standIn, proxy, env } = await openPlace();
  const wrong = proxy.url.replace('//', '//anna:falsch@');
  const ended = await callCommand(['run', 'q4.csv'], { cwd, env: { ...env, HTTPS_PROXY: wrong } });
  expect(ended).toMatchObject({ status: 1, stderr: expect.stringMatching(/\(407\); correct those in HTTPS_PROXY/) });
  expect(ended.stderr).not.toContain('falsch');
  expect(standIn.counts().made.company).toBe(0);
  const report = await callCommand(['report', 'q4', '--json'], { cwd, env });
  expect(JSON.parse(report.stdout).states).toMatchObject({ refused: 0, held: 0 });
});

test('the stand-in that run starts is called without a proxy', async () => {
  const { cwd, redis } = await openPlace();
  const ended = await callCommand(['run', 'q4.csv'], {
    cwd,
    // A proxy for other programs, of a kind that Limitline does not support.
    env: { ...redis, HTTP_PROXY: DEAD_PROXY, HTTPS_PROXY: 'socks5://127.0.0.1:1' },
  });
  expect(ended.status).toBe(0);
});

test('a service in NO_PROXY is called without the proxy', async () => {
  const { cwd, standIn, env } = await openPlace();
  const direct = { SERVICE_URL: standIn.url(), HTTP_PROXY: DEAD_PROXY, NO_PROXY: 'localhost, 127.0.0.1' };
  const ended = await callCommand(['run', 'q4.csv'], { cwd, env: { ...env, ...direct } });
  expect(ended.status).toBe(0);
  expect(ended.stderr).not.toContain('through the proxy');
});

test('an unsupported proxy is reported as a fault of the settings', async () => {
  const { cwd, env } = await openPlace();
  const ended = await callCommand(['run', 'q4.csv'], { cwd, env: { ...env, HTTPS_PROXY: 'socks5://a:geheim@b' } });
  expect(ended).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^limitline: Settings are wrong: HTTPS_PROXY/),
  });
  expect(ended.stderr).not.toContain('geheim');
});
