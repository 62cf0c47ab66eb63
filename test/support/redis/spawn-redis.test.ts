import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';

test.runIf(process.platform === 'linux')('a server of a test that is killed ends with it', async () => {
  const script = `import { spawnRedis } from ${JSON.stringify(import.meta.resolve('./spawn-redis.ts'))};
    console.log(spawnRedis(['--port', '0', '--save', '']).pid);
    setInterval(() => {}, 1_000);`;
  const starter = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void starter.kill('SIGKILL'));
  const [said] = await once(starter.stdout.setEncoding('utf8'), 'data');
  const commandLine = () => commandLineOf(Number(said));
  expect(commandLine()).toContain('redis-server');
  starter.kill('SIGKILL');
  await expect.poll(commandLine).toBe('');
});

/** The command line of a process, which is empty when it has ended. */
function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
