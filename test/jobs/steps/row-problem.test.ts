import { expect, test } from 'vitest';
import { type Failure, rowProblemOf } from '../../../jobs/steps/row-problem.ts';

const request = { what: 'the company', sent: '{"name":"Muster GmbH"}' };
const sentMs = Date.parse('2026-11-22T10:00:00.000Z');

test.each<[name: string, failure: Failure, problem: object]>([
  [
    'a refusal with its unchanged status and body',
    { is: 'refused', status: 422, body: 'no' },
    { message: 'The service refused the company with status 422', status: 422, body: 'no' },
  ],
  [
    'an answer that is a web page',
    { is: 'refused', status: 404, body: '<!doctype html><p>' },
    {
      message:
        'The service refused the company with status 404 and a web page: check that SERVICE_URL is the address of the service',
    },
  ],
  [
    'an unknown outcome with the time and the content of the call',
    { is: 'unknown', reason: 'status 502', sentMs },
    {
      message: 'It is unknown whether the company was made: sent 2026-11-22T10:00:00.000Z, then status 502',
      sent: request.sent,
    },
  ],
  [
    'an unknown outcome of a call that was sent for another row',
    { is: 'unknown', reason: 'reset', sentFor: 'q5/key' },
    {
      message:
        'It is unknown whether the company was made: reset; it was sent for row q5/key, which asks for something else',
      sentFor: 'q5/key',
    },
  ],
  [
    'an unknown outcome of a call that was sent for a supplier',
    { is: 'unknown', reason: 'reset', sentFor: 'q5/' },
    {
      message: expect.stringMatching(/; it was sent for the supplier of portfolio q5, which asks for something else$/),
    },
  ],
  [
    'an unknown outcome without a time',
    { is: 'unknown', reason: 'the process that was sending it vanished' },
    { message: 'It is unknown whether the company was made: the process that was sending it vanished' },
  ],
  [
    'a request made for another line with this reference',
    { is: 'other', id: 'company_1' },
    { message: expect.stringMatching(/^changed after it was requested: .*company_1/) },
  ],
  [
    'a row that the service put off again and again',
    { is: 'put off', reason: 'status 429', times: 30 },
    { message: 'The service put the company off 30 times (status 429) while others of this step passed' },
  ],
])('the problem of a row describes %s', (_name, failure, problem) => {
  expect(rowProblemOf('company', request, failure)).toMatchObject({ step: 'company', ...problem });
});

test('the sent content is stored in a problem up to two thousand characters', () => {
  const { sent } = rowProblemOf('limit', { ...request, sent: 'x'.repeat(5_000) }, { is: 'unknown', reason: 'reset' });
  expect(sent).toHaveLength(2_000);
});
