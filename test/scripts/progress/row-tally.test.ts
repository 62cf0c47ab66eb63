import { expect, test } from 'vitest';
import { problemOf } from '../../../jobs/steps/row-problem.ts';
import type { RowEnd } from '../../../jobs/steps/step.ts';
import { startRowTally } from '../../../scripts/progress/row-tally.ts';
import { makeKeptLog } from '../../support/log-fixture.ts';

/** As a step ends a row whose answer was this. */
function held(reason: string): RowEnd {
  const request = { what: 'the document status 404.pdf', sent: '{}' };
  return { state: 'held', step: 'limit', problem: problemOf('limit', request, { is: 'unknown', reason, sentMs: 1 }) };
}

const refused = (status: number): RowEnd => ({
  state: 'refused',
  step: 'company',
  problem: { step: 'company', message: 'no', status, body: 'Geheim GmbH' },
});

test('rows that were refused or held are counted by step and status, and said in one sentence each', () => {
  const { log, lines } = makeKeptLog();
  const tally = startRowTally({ log });
  for (let n = 0; n < 1_000; n += 1) tally.ended(refused(422));
  for (const end of [refused(409), held('status 502: Geheim'), held('status 502: x'), held('no whole answer')]) {
    tally.ended(end);
  }
  tally.ended({ state: 'done', step: 'limit' });
  tally.stop();
  expect(lines).toEqual([
    {
      level: 'warn',
      state: 'refused',
      step: 'company',
      status: 422,
      rows: 1_000,
      msg: '1000 rows refused at the step company, status 422',
    },
    {
      level: 'warn',
      state: 'refused',
      step: 'company',
      status: 409,
      rows: 1,
      msg: '1 row refused at the step company, status 409',
    },
    {
      level: 'warn',
      state: 'held',
      step: 'limit',
      status: 502,
      rows: 2,
      msg: '2 rows held at the step limit, status 502',
    },
    { level: 'warn', state: 'held', step: 'limit', rows: 1, msg: '1 row held at the step limit' },
  ]);
  expect(tally.counts()).toEqual({ refused: 1_001, held: 3, done: 1 });
  tally.stop();
  expect(lines).toHaveLength(4);
});
