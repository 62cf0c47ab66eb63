import { expect, test } from 'vitest';
import { openFaultPlace } from '../support/fault-place.ts';
import { startOnTerminal } from '../support/terminal.ts';
import { buyerLines } from '../support/workplace.ts';

test('resolve --all --resend says on a terminal what it will do, and does it after a yes only', async () => {
  const place = await openFaultPlace({ faults: { rules: [{ on: 'limit', fault: 'reset', made: false, times: 2 }] } });
  await place.import(buyerLines(3));
  await place.work();
  expect((await place.settled()).states).toMatchObject({ done: 1, held: 2 });
  const ask = async (answer: string) => {
    const command = startOnTerminal(['resolve', 'q4', '--all', '--resend'], { cwd: place.dir, env: place.childEnv });
    await expect
      .poll(command.shown)
      .toMatch(/To be sent again: 2 rows held at the step limit, [\d.]+ in total.*\[y\/N\]/s);
    command.press(`${answer}\n`);
    return command.ended;
  };
  expect(await ask('n')).toMatchObject({ status: 2, shown: expect.stringContaining('Nothing was changed.') });
  expect((await place.report()).states.held).toBe(2);
  // A plan alone is no entry of the audit, and a yes is.
  expect(await place.context.audit.read.count()).toBe(0);
  const shown = expect.stringContaining('2 calls resolved; 2 rows go on; 1 worker process runs.');
  expect(await ask('y')).toMatchObject({ status: 0, shown });
  expect((await place.judged(3)).states.done).toBe(3);
  const { entries } = await place.context.audit.read.page({ count: 9, walk: 9 });
  expect(entries.reverse()).toMatchObject([
    { what: 'held calls resolved', about: 'q4', is: 'begun', facts: { all: true, resend: true } },
    { is: 'done', of: 1, facts: { calls: 2, rows: 2 } },
  ]);
});
