import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startCommand } from '../support/command.ts';
import { openFaultPlace } from '../support/fault-place.ts';
import { buyerLines, makeFolder } from '../support/workplace.ts';

const LIMITLINE = fileURLToPath(new URL('../../scripts/limitline.ts', import.meta.url));

/** Warns and prints as a library might while `work` runs, and throws after it has ended. */
const TROUBLE = `data:text/javascript,${encodeURIComponent(`
  const timer = setInterval(() => {
    if (process.listenerCount('SIGTERM') === 0) return;
    clearInterval(timer);
    process.emitWarning('mind the step', { code: 'STEP' });
    console.error('said on the console', new Error('and an error'), { name: 'Geheim GmbH' });
    process.once('beforeExit', () => { throw new RangeError('nobody caught it'); });
  }, 20);
`)}`;

/** The lines of a log, each of which must be JSON with an ISO 8601 time. */
function linesOf(stderr: string): Record<string, unknown>[] {
  const lines = stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  for (const { time } of lines) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  return lines;
}

// Promise: work-log-is-json
test('the log of work counts finished and refused rows, and each of its lines is JSON, also for warnings and crashes', async () => {
  const place = await openFaultPlace({
    faults: { rules: [{ on: 'limit', fault: 'status', status: 422, times: 2 }] },
    env: { LOG_LEVEL: 'info' },
  });
  const { child, ended, output } = place.startWorker({ NODE_OPTIONS: `--import=${TROUBLE}` });
  await expect.poll(() => output().stderr).toContain('"msg":"working"');
  await place.import(buyerLines(6));
  await expect.poll(() => output().stderr).toContain('is finished');
  // Counts that were not logged yet are logged at the end.
  child.kill('SIGTERM');
  const { status, stdout, stderr } = await ended;
  expect([status, stdout]).toEqual([1, '']);
  const lines = linesOf(stderr);
  expect(lines).toMatchObject(
    expect.arrayContaining([
      expect.objectContaining({ level: 'warn', code: 'STEP', msg: 'mind the step' }),
      expect.objectContaining({ level: 'error', msg: 'said on the console and an error' }),
      expect.objectContaining({ level: 'warn', state: 'refused', step: 'limit', status: 422, rows: 2 }),
      expect.objectContaining({
        portfolio: 'q4',
        states: { done: 4, refused: 2 },
        msg: 'portfolio q4 is finished: 4 done, 2 refused',
      }),
    ]),
  );
  expect(lines.filter(({ msg }) => String(msg).includes('is finished'))).toHaveLength(1);
  expect(lines.at(-1)).toMatchObject({ level: 'fatal', msg: 'nobody caught it', err: { type: 'RangeError' } });
});

test.each([
  ['a setting', ['work'], { SERVICE_RATE_PER_S: 'fast' }, /^Settings are wrong: .*SERVICE_RATE_PER_S/],
  ['the command line', ['work', '--fast'], {}, /^unknown option '--fast'/],
])('a fault of %s is a JSON line, too', async (_what, words, env, msg) => {
  const { status, stderr } = await startCommand(words, { cwd: await makeFolder(), env }).ended;
  expect(status).toBe(1);
  expect(linesOf(stderr)).toEqual([expect.objectContaining({ level: 'fatal', msg: expect.stringMatching(msg) })]);
});

// Promise: work-log-is-json
test.runIf(process.platform === 'linux')('on a terminal, the log is written in words', async () => {
  const cwd = await makeFolder();
  const env = { PATH: process.env.PATH, SERVICE_RATE_PER_S: 'fast', SHELL: '/bin/sh' };
  const words = ['-qc', `${process.execPath} ${LIMITLINE} work`, '/dev/null'];
  const { stdout } = await promisify(execFile)('script', words, { cwd, env });
  expect(stdout).toMatch(/^\[\d\d:\d\d:\d\d\] .*FATAL.*Settings are wrong: /);
});
