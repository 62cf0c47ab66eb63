import { expect, test } from 'vitest';
import { conclude } from '../../../scripts/run/conclude.ts';
import { makeTerminal } from '../../../scripts/terminal/terminal.ts';
import { countLiving } from '../../../src/ledger/calls/fleet.ts';
import { openConsole, openDesk } from '../../support/desk.ts';
import { openWorkplace } from '../../support/workplace.ts';

// Promise: answer-check-warn
test('the end of a run counts the answers that differ from what was sent', async () => {
  const rule = { on: 'limit', fault: 'answer', set: { requested_limit: 1 }, times: 2 } as const;
  const desk = await openDesk(3, { rules: [rule] }, { SERVICE_ANSWER_CHECK: 'warn' });
  expect(await desk.limitline('run', 'q4.csv', '--no-results')).toMatchObject({
    status: 0,
    stderr: expect.stringContaining(
      'limitline: 2 answers of the service differ from what was sent, and SERVICE_ANSWER_CHECK=warn took them. The column problem',
    ),
  });
});

test('a stopped run mentions the workers of another process that continue, and resume mentions them, too', async () => {
  const desk = await openDesk(200, { latencyMs: 200 }, { SERVICE_CONCURRENCY: '2' });
  const { context } = await openConsole(desk);
  const run = desk.start('run', 'q4.csv');
  await expect.poll(() => desk.standIn.counts().made.limit, { timeout: 20_000 }).toBeGreaterThan(0);
  const work = desk.start('work');
  await expect.poll(() => countLiving({ connection: context.ledger, keys: context.keys }), { timeout: 20_000 }).toBe(2);
  run.child.kill('SIGINT');
  const { stderr } = await run.ended;
  expect(stderr).toContain('run the same command to continue.');
  expect(stderr).toContain('workers of another process go on sending; to stop them: npx limitline pause "q4"');
  await desk.limitline('pause', 'q4');
  expect((await desk.limitline('resume', 'q4')).stdout).toBe('Portfolio q4 is resumed: it goes on now.\n');
  work.child.kill('SIGTERM');
  await work.ended;
});

test('a run that is stopped after its last row reports that only results are missing', async () => {
  const place = await openWorkplace();
  await place.import(['name,requested_limit', 'Acme,1']);
  await place.work();
  await place.settled();
  const said: string[] = [];
  const terminal = { ...makeTerminal({ json: false }), say: (words: string) => said.push(words), answer: () => {} };
  const run = { portfolio: 'q4', path: null };
  const limit = { text: '', isOver: () => false, forget: () => {} };
  const status = await conclude(
    run,
    { faults: [], read: undefined },
    { context: place.context, terminal, stop: AbortSignal.abort(), limit },
  );
  expect({ status, said }).toEqual({
    status: 2,
    said: ['limitline: stopped after the last row; run the same command to write results.'],
  });
});

test('a run that is stopped before its portfolio exists prints JSON, if asked for', async () => {
  const { context } = await openWorkplace();
  const printed: unknown[] = [];
  const print = (_words: string, value: unknown) => printed.push(value);
  const terminal = { ...makeTerminal({ json: true }), say: () => {}, answer: () => {}, print };
  const limit = { text: '', isOver: () => false, forget: () => {} };
  const deps = { context, terminal, stop: AbortSignal.abort(), limit };
  expect(await conclude({ portfolio: 'q4', path: null }, { faults: [], read: undefined }, deps)).toBe(2);
  expect(printed).toEqual([{ portfolio: 'q4', files: expect.anything() }]);
});
