import { expect, test } from 'vitest';
import { sayLate } from '../../../jobs/workers/workers.ts';
import { makeKeptLog } from '../../support/workplace.ts';

test.each([
  [
    { unanswered: 2, inHand: 3, isRedisAway: true },
    [expect.objectContaining({ msg: expect.stringMatching(/^stopped with calls still/) })],
  ],
  [
    { unanswered: 0, inHand: 3, isRedisAway: true },
    [expect.objectContaining({ inHand: 3, msg: expect.stringMatching(/^stopped while Redis is away.*will be held$/) })],
  ],
  [
    { unanswered: 0, inHand: 3, isRedisAway: false },
    [expect.objectContaining({ msg: expect.stringMatching(/^stopped with unfinished/) })],
  ],
  [{ unanswered: 0, inHand: 0, isRedisAway: true }, []],
])('a worker that is late with %j says what it leaves, and nothing of rows without one in hand', (left, said) => {
  const { log, lines } = makeKeptLog();
  sayLate({ ...left, log });
  expect(lines.filter(({ level }) => level === 'warn')).toEqual(said);
});
