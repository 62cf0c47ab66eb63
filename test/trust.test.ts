import { chmod, chown, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { readSettings } from '../src/config.ts';
import { runnerOf } from '../src/trust.ts';
import { callCommand } from './support/command.ts';
import { makeFolder } from './support/workplace.ts';

/** Another user of this machine. These tests run as root, who may give files away. */
const STRANGER = 4_242;

let cwd = '';
beforeEach(async () => {
  cwd = await makeFolder();
});

/** A `.env` that sends secrets of this machine to its author. */
async function strangersEnv() {
  await writeFile(join(cwd, 'secret'), 'of this machine');
  const lines = ['SERVICE_URL=https://evil.example', 'SERVICE_CLIENT_ID=x', `SERVICE_CLIENT_SECRET_FILE=${cwd}/secret`];
  await writeFile(join(cwd, '.env'), lines.join('\n'), { mode: 0o644 });
}

const read = (env: Record<string, string> = {}) => readSettings({ env: { HOME: cwd, ...env }, cwd });

describe('a .env in the working directory', () => {
  // Promise: env-file-of-own
  test('of this user is used, may name files with secrets, and is reported by its names only', async () => {
    await strangersEnv();
    expect(read()).toMatchObject({
      SERVICE_CLIENT_SECRET: 'of this machine',
      dotenv: { path: join(cwd, '.env'), names: ['SERVICE_CLIENT_ID', 'SERVICE_CLIENT_SECRET_FILE', 'SERVICE_URL'] },
    });
    const { stderr } = await callCommand(['portfolios'], { cwd, env: { HOME: cwd, REDIS_URL: 'redis://127.0.0.1:1' } });
    expect(stderr).not.toContain('of this machine');
  });

  // Promise: env-file-of-own
  test.each<[what: string, change: (path: string) => Promise<void>, words: RegExp]>([
    ['of another user', (path) => chown(path, STRANGER, 0), /\.env: it belongs to user 4242 and not to you/],
    ['that every user can write', (path) => chmod(path, 0o646), /others than you can write to it.*chmod go-w/],
    [
      'that another group can write',
      async (path) => {
        await chown(path, 0, STRANGER);
        await chmod(path, 0o664);
      },
      /others than you can write/,
    ],
  ])('%s ends each command with status 1 and a remedy, and is not used', async (_what, change, words) => {
    await strangersEnv();
    await change(join(cwd, '.env'));
    expect(() => read()).toThrow(words);
    expect(() => read()).toThrow(/LIMITLINE_TRUST_ENV=on in the environment/);
    const { status, stderr } = await callCommand(['portfolios'], { cwd, env: { HOME: cwd } });
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(words) });
    expect(stderr).not.toContain('evil.example');
    expect(read({ LIMITLINE_TRUST_ENV: 'on' }).SERVICE_URL).toBe('https://evil.example');
    expect(() => read({ LIMITLINE_TRUST_ENV: 'off' })).toThrow(words);
  });

  test('that is a link is used only if the link belongs to this user', async () => {
    await writeFile(join(cwd, 'ours'), 'SERVICE_CONCURRENCY=5\n', { mode: 0o600 });
    await symlink('ours', join(cwd, '.env'));
    expect(read().SERVICE_CONCURRENCY).toBe(5);
    const { lchown } = await import('node:fs/promises');
    await lchown(join(cwd, '.env'), STRANGER, STRANGER);
    expect(() => read()).toThrow(/belongs to user 4242/);
  });

  // Promise: setting-faults-all-at-once
  test('cannot trust itself by LIMITLINE_TRUST_ENV', async () => {
    await writeFile(join(cwd, '.env'), 'LIMITLINE_TRUST_ENV=on\nSERVICE_CONCURRENCY=none\n');
    expect(() => read()).toThrow(/it belongs into the environment; SERVICE_CONCURRENCY is "none"/);
    await writeFile(join(cwd, '.env'), 'LIMITLINE_TRUST_ENV=on\nSERVICE_CLIENT_ID=us\nSERVICE_CLIENT_SECRET=ours\n');
    expect(() => read({ SERVICE_URL: 'https://api.example.com' })).toThrow(/it belongs into the environment\.$/);
    await chown(join(cwd, '.env'), STRANGER, STRANGER);
    expect(() => read()).toThrow(/belongs to user 4242/);
  });

  test("that the user's own group can write is used, and under sudo that of the caller", async () => {
    await writeFile(join(cwd, '.env'), 'SERVICE_CONCURRENCY=5\n');
    await chmod(join(cwd, '.env'), 0o664);
    expect(read().SERVICE_CONCURRENCY).toBe(5);
    await chown(join(cwd, '.env'), STRANGER, STRANGER);
    expect(read({ SUDO_UID: String(STRANGER), SUDO_GID: String(STRANGER) }).SERVICE_CONCURRENCY).toBe(5);
    expect(() => read({ SUDO_UID: '1', SUDO_GID: String(STRANGER) })).toThrow(/belongs to user 4242/);
    // Anyone but root is only themselves, whatever the environment says.
    expect(runnerOf({ SUDO_UID: 'x' })?.uids).toEqual([0, 0]);
  });
});

// Promise: env-file-of-own
test('a .limitline of another user is not used unless the environment allows it', async () => {
  const here = join(cwd, '.limitline');
  await mkdir(here, { mode: 0o755 });
  await writeFile(join(here, 'file'), 'x');
  const home = await makeFolder();
  expect(read({ HOME: home }).LIMITLINE_DATA).toBe(here);
  await chown(here, STRANGER, STRANGER);
  expect(() => read({ HOME: home })).toThrow(/\.limitline: it belongs to user 4242/);
  expect(read({ HOME: home, LIMITLINE_TRUST_ENV: 'on' }).LIMITLINE_DATA).toBe(here);
  expect(read({ HOME: home, LIMITLINE_DATA: here }).LIMITLINE_DATA).toBe(here);
});

test('what comes from .env is said without settings that the environment has, if only as empty', async () => {
  const lines = ['APPROVE_ABOVE=5', 'CONSOLE_PORT=1', 'REDIS_URL=redis://h', 'REVIEW_DAYS=3'];
  await writeFile(join(cwd, '.env'), lines.join('\n'), { mode: 0o600 });
  const given = read({ APPROVE_ABOVE: '', CONSOLE_PORT: '2', REDIS_URL_FILE: '' });
  const { dotenv, APPROVE_ABOVE, CONSOLE_PORT, REDIS_URL } = given;
  expect({ APPROVE_ABOVE, CONSOLE_PORT, REDIS_URL }).toEqual({ CONSOLE_PORT: 2 });
  expect(dotenv?.names).toEqual(['REVIEW_DAYS']);
});
