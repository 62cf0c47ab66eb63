import { once } from 'node:events';
import { request } from 'node:https';
import { expect, test } from 'vitest';
import { callCommand, startCommand } from '../support/command.ts';
import { ownRedis } from '../support/ledger.ts';
import { CERTIFICATE_PATH, TLS_HOST, TLS_KEY_PATH } from '../support/tls-service.ts';
import { makeFolder } from '../support/workplace.ts';

const TLS = { CONSOLE_TLS_CERT_FILE: CERTIFICATE_PATH, CONSOLE_TLS_KEY_FILE: TLS_KEY_PATH };

async function openPlace() {
  const cwd = await makeFolder();
  const env = { ...ownRedis(), CONSOLE_PORT: '0' };
  return {
    start: (args: string[], more: Record<string, string> = {}) => startCommand(args, { cwd, env: { ...env, ...more } }),
    addUser: (more: Record<string, string> = {}) =>
      callCommand(['user', 'add', 'anna', '--roles', 'admin'], { cwd, env: { ...env, ...more } }),
  };
}

const fatal = (stderr: string): string[] =>
  stderr
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
    .filter(({ level }) => level === 'fatal')
    .map(({ msg }) => msg);

// Promises: console-on-this-machine, missing-for-others-named
test('up and console refuse a host beyond loopback without HTTPS, address and user, and name all that is missing', async () => {
  const { start } = await openPlace();
  const outside = { CONSOLE_HOST: '0.0.0.0' };
  const safe = { ...outside, ...TLS, CONSOLE_URL: `https://${TLS_HOST}` };
  // Other faults of certificates: test/console/server/certificate.test.ts.
  const [up, nobody] = await Promise.all([start(['up'], outside).ended, start(['console'], safe).ended]);
  for (const { status, stdout } of [up, nobody]) expect([status, stdout]).toEqual([1, '']);
  expect(fatal(up.stderr)[0]).toMatch(/CONSOLE_HOST is "0\.0\.0\.0".*HTTPS.*CONSOLE_URL is needed.*limitline user add/);
  expect(fatal(nobody.stderr)[0]).toMatch(/nobody who could sign in.*limitline user add/);
});

// Promise: setting-faults-all-at-once
test.each(['up', 'console'])(
  '%s reports missing requirements for other hosts together with other faults of the settings',
  async (command) => {
    const { start } = await openPlace();
    const { status, stderr } = await start([command], { CONSOLE_HOST: '0.0.0.0', CONSOLE_PORT: 'many' }).ended;
    expect(status).toBe(1);
    expect(fatal(stderr)).toEqual([expect.stringMatching(/CONSOLE_PORT is "many".*; CONSOLE_HOST is "0\.0\.0\.0"/)]);
  },
);

// Promise: setting-faults-all-at-once
test('the console reports files of its certificate that cannot be read together with other faults of the settings', async () => {
  const { start } = await openPlace();
  const files = { CONSOLE_TLS_CERT_FILE: '/nowhere/cert.pem', CONSOLE_TLS_KEY_FILE: '/nowhere/key.pem' };
  const { status, stderr } = await start(['console'], { ...files, CONSOLE_PORT: 'many' }).ended;
  expect(status).toBe(1);
  const words = /CONSOLE_PORT is "many".*CONSOLE_TLS_CERT_FILE cannot be read.*CONSOLE_TLS_KEY_FILE cannot be read/;
  expect(fatal(stderr)).toEqual([expect.stringMatching(words)]);
});

// Promise: other-secret-starts-nothing
test("console and nightly do not start with another secret than the installation's", async () => {
  const { start, addUser } = await openPlace();
  const added = await addUser({ LIMITLINE_SECRET: 'a'.repeat(32) });
  expect(added.status, added.stderr).toBe(0);
  const other = { LIMITLINE_SECRET: 'b'.repeat(32) };
  for (const command of ['console', 'nightly']) {
    const { status, stdout, stderr } = await start([command], other).ended;
    expect([command, status, stdout]).toEqual([command, 1, '']);
    expect(fatal(stderr).join('\n')).toMatch(/The secret of this host is not the one that .*LIMITLINE_SECRET_FILE/);
  }
});

// Promise: roles-say-what-one-may
test('with a user, a certificate and an address, the console serves other hosts under its name and requires sign-in', async () => {
  const { start, addUser } = await openPlace();
  const added = await addUser();
  expect([added.status, added.stderr]).toEqual([0, expect.anything()]);
  const safe = { CONSOLE_HOST: '0.0.0.0', ...TLS, CONSOLE_URL: `https://${TLS_HOST}` };
  const { child, output, ended } = start(['console', '--json'], { ...safe, LOG_LEVEL: 'debug' });
  await expect.poll(() => output().stdout).toContain('"url"');
  expect(JSON.parse(output().stdout).url).toBe(`https://${TLS_HOST}`);
  await expect.poll(() => output().stderr).toContain('"listens"');
  const [, port] = /"listens":"[^"]*:(\d+)"/.exec(output().stderr) ?? [];
  const ask = async (host: string) => {
    const asked = request({
      host: '127.0.0.1',
      port,
      path: '/keys',
      headers: { host },
      rejectUnauthorized: false,
      agent: false,
    });
    asked.end();
    const [answer] = await once(asked, 'response');
    answer.resume();
    return [answer.statusCode, answer.headers.location];
  };
  expect(await ask(TLS_HOST)).toEqual([303, '/sign-in?to=%2Fkeys']);
  expect(await ask('evil.example')).toEqual([421, undefined]);
  child.kill('SIGTERM');
  expect((await ended).status).toBe(0);
});
