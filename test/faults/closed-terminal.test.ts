import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { COMPILED, LIMITLINE } from '../support/command.ts';
import { type FaultPlace, openFaultPlace } from '../support/fault-place.ts';
import { buyerLines } from '../support/workplace.ts';

const ROWS = 30;

/** `script` of util-linux gives a command its own terminal; on other systems it has other arguments. */
const onLinux = test.runIf(process.platform === 'linux');

// Promise: calls-awaited-at-a-stop
onLinux('a run whose terminal is closed holds no row, and can be continued', async () => {
  const place = await openPlace();
  const { close, pid } = startOnTerminal(place, `exec ${command('run')}`);
  await expect.poll(place.madeCount).toBeGreaterThanOrEqual(8);
  close();
  await expect.poll(() => isAlive(pid())).toBe(false);
  expect((await place.report()).states.done).toBeLessThan(ROWS);
  // A call that was cut off would be held now.
  await place.work();
  expect((await place.judged(ROWS)).states.done).toBe(ROWS);
});

// Promise: nohup-continues
onLinux('a run under nohup continues to its end when the terminal is closed', async () => {
  const place = await openPlace();
  const { close, pid } = startOnTerminal(place, `exec nohup ${command('run')}`);
  await expect.poll(place.madeCount).toBeGreaterThanOrEqual(8);
  close();
  process.kill(pid(), 'SIGHUP');
  expect((await place.judged(ROWS)).states.done).toBe(ROWS);
  await expect.poll(() => isAlive(pid())).toBe(false);
  expect(readFileSync(join(place.dir, 'nohup.out'), 'utf8')).toMatch(/^ {4}approved +30 /m);
});

async function openPlace(): Promise<FaultPlace> {
  const place = await openFaultPlace({ faults: { latencyMs: 150 }, env: { SERVICE_CONCURRENCY: '8' } });
  await writeFile(join(place.dir, 'q4.csv'), `${buyerLines(ROWS).join('\n')}\n`);
  return place;
}

const command = (name: string): string => `${process.execPath} ${LIMITLINE} ${name} q4.csv --portfolio q4 --yes`;

/** Starts a shell command as a user types it; `close` closes the terminal window. */
function startOnTerminal({ dir, childEnv }: FaultPlace, words: string): { close: () => void; pid: () => number } {
  const file = join(dir, 'pid');
  const terminal: ChildProcess = spawn('script', ['-qec', `echo $$ > ${file}; ${words}`, '/dev/null'], {
    cwd: dir,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, SHELL: '/bin/sh', ...COMPILED, ...childEnv },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  terminal.stdout?.resume();
  const pid = (): number => (existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0);
  const close = (): void => void terminal.kill('SIGKILL');
  onTestFinished(() => {
    close();
    if (isAlive(pid())) process.kill(pid(), 'SIGKILL');
  });
  return { close, pid };
}

function isAlive(pid: number): boolean {
  if (pid === 0) return false;
  try {
    process.kill(pid, 0);
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
