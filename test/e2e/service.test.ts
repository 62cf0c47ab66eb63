import { expect, test } from 'vitest';
import { startCommand } from '../support/command.ts';
import { makeFolder } from '../support/workplace.ts';

test('service listens on loopback, prints its address, and ends on SIGTERM', async () => {
  const cwd = await makeFolder();
  const { child, ended, output } = startCommand(['service', '--json'], { cwd });
  await expect.poll(() => output().stdout).toContain('url');
  const { url } = JSON.parse(output().stdout);
  expect((await fetch(`${url}/_stand-in/made`)).status).toBe(200);
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ status: 0 });
});

test('service prints the settings that another command needs, but no credentials of the user', async () => {
  const said = async (env: Record<string, string>) => {
    const { child, ended, output } = startCommand(['service'], { cwd: await makeFolder(), env });
    await expect.poll(() => output().stdout).toMatch(/SERVICE_URL=http.*\n/);
    child.kill('SIGTERM');
    await ended;
    return output().stdout;
  };
  expect(await said({})).toMatch(/ SERVICE_CLIENT_ID=\S+ SERVICE_CLIENT_SECRET=\S+\n/);
  const own = { SERVICE_URL: 'http://127.0.0.1:1', SERVICE_CLIENT_ID: 'mine', SERVICE_CLIENT_SECRET: 'hush-hush' };
  expect(await said(own)).not.toContain('hush-hush');
});

test('service --json prints the credentials that it takes, but none of the user', async () => {
  const said = async (env: Record<string, string>) => {
    const { child, ended, output } = startCommand(['service', '--json'], { cwd: await makeFolder(), env });
    await expect.poll(() => output().stdout).toMatch(/\}\n$/);
    const { url, ...credentials } = JSON.parse(output().stdout);
    const token = await fetch(`${url}/v1/auth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: credentials.clientId ?? '',
        client_secret: credentials.clientSecret ?? '',
      }),
    });
    child.kill('SIGTERM');
    await ended;
    return [Object.keys(credentials), token.status];
  };
  expect(await said({})).toEqual([['clientId', 'clientSecret'], 200]);
  const own = { SERVICE_URL: 'http://127.0.0.1:1', SERVICE_CLIENT_ID: 'mine', SERVICE_CLIENT_SECRET: 'hush-hush' };
  expect(await said(own)).toEqual([[], 401]);
});
