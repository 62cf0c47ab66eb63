import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';

test('a test run that is killed leaves neither its Redis nor the folder of it', async () => {
  const script = `import setup from ${JSON.stringify(import.meta.resolve('./global-redis.ts'))};
    await setup({ provide: (name, value) => name === 'redisSocket' && console.log(value) });
    setInterval(() => {}, 1_000);`;
  const run = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = await once(run.stdout.setEncoding('utf8'), 'data');
  const socket = String(said).trim();
  expect(existsSync(socket)).toBe(true);
  run.kill('SIGKILL');
  await expect.poll(() => existsSync(socket.replace(/\/s$/, ''))).toBe(false);
});

test('a test run without redis-server ends with a message', async () => {
  const path = await mkdtemp(join(tmpdir(), 'limitline-no-redis-'));
  for (const name of ['sh', 'rm']) await symlink(`/bin/${name}`, join(path, name));
  const script = `import setup from ${JSON.stringify(import.meta.resolve('./global-redis.ts'))};
    await setup({ provide: () => {} });`;
  const run = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    env: { ...process.env, PATH: path },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void run.kill('SIGKILL'));
  expect(await text(run.stderr)).toContain('redis-server cannot be started: is it installed?');
  await rm(path, { recursive: true });
});
