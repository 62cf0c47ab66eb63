import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';

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
