import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { COMPILED, LIMITLINE } from '../support/command.ts';
import { type FaultPlace, openFaultPlace } from '../support/fault-place.ts';
import { buyerLines } from '../support/workplace.ts';

const ROWS = 12;

/** `/dev/full` fails with ENOSPC like a full disk. */
const onLinux = test.runIf(process.platform === 'linux');

onLinux(
  // Promise: full-disk-under-output
  'a full disk for the output of run interrupts no call, and the results file is written; the status is 1',
  async () => {
    const place = await openPlace();
    expect(await shell(place, 'run q4.csv --portfolio q4 --yes >/dev/full 2>/dev/full')).toMatchObject({ status: 1 });
    expect((await place.judged(ROWS)).states.done).toBe(ROWS);
    expect(await readdir(place.dir)).toContain('q4.results.csv');

    // A report that cannot be written is one sentence on standard error.
    const asked = ['q4 --format csv >/dev/full', 'q4 --json --out /dev/full'];
    const answers = await Promise.all(asked.map((words) => shell(place, `report ${words}`)));
    const full = / (\S+ \S+|\/dev\/full) cannot be written: the disk is full; make room and try again\.\n$/;
    for (const answer of answers) expect(answer).toEqual({ status: 1, stderr: expect.stringMatching(full) });
    expect(answers.flatMap(({ stderr }) => stderr.match(/cannot be written/g))).toHaveLength(asked.length);
    // A reader that closes the output is no fault.
    const unread = await shell(place, 'report q4 --format csv', { unread: true });
    expect(unread).toEqual({ status: 0, stderr: expect.not.stringMatching(/gone|cannot/) });
  },
);

// Promise: full-disk-under-output
onLinux('a log on a full disk, or above the file size limit, interrupts no call of work', async () => {
  const place = await openPlace();
  await place.import(buyerLines(ROWS));
  const log = join(place.dir, 'work.log');
  // 512 bytes: the log ends in the middle of a line, and the rest is lost.
  const work = await shell(place, `work --until-settled 2>>${log}`, { before: 'ulimit -f 1;' });
  expect(work).toMatchObject({ status: 0 });
  expect((await place.judged(ROWS)).states).toMatchObject({ done: ROWS, held: 0 });
});

function openPlace(): Promise<FaultPlace> {
  return openFaultPlace({ faults: { latencyMs: 20 } }).then(async (place) => {
    await writeFile(join(place.dir, 'q4.csv'), `${buyerLines(ROWS).join('\n')}\n`);
    return place;
  });
}

/** Runs a command line with its redirections; `unread` closes its output at once. */
async function shell({ dir, childEnv }: FaultPlace, words: string, { before = '', unread = false } = {}) {
  const child = spawn('sh', ['-c', `${before} exec "$1" "$2" ${words}`, 'sh', process.execPath, LIMITLINE], {
    cwd: dir,
    env: { PATH: process.env.PATH, HOME: dir, ...COMPILED, LOG_LEVEL: 'info', ...childEnv },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  if (unread) child.stdout.destroy();
  else child.stdout.resume();
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [status] = await once(child, 'close');
  return { status: status as number | null, stderr };
}
