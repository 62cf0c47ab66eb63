import { expect, test } from 'vitest';
import { pausedItself, refusedAlikeWords } from '../../../src/ledger/schema/pause-reasons.ts';

const message = 'The service refused the company with status 403 (may this login do it?)';

test.each([
  ['', '', undefined],
  ['by request', '', undefined],
  ['by request', '10 rows were sent first; resume to send the rest', undefined],
  [
    '10 rows were sent first; resume to send the rest',
    '10 rows were sent first; resume to send the rest',
    { is: 'first rows' },
  ],
  [
    refusedAlikeWords(10, 'company', { status: 403, message, body: 'scope missing' }),
    '',
    { is: 'refused alike', step: 'company', status: 403 },
  ],
  [
    refusedAlikeWords(3, 'limit', { status: 400, message: '' }).slice(0, 120),
    'earlier words',
    { is: 'refused alike', step: 'limit', status: 400 },
  ],
])('the reason %j tells whether a portfolio paused itself, and why', (paused, firstOver, why) => {
  expect(pausedItself(paused, firstOver)).toEqual(why);
});
