import { expect, test } from 'vitest';
import type { CallKind } from '../../src/call-kind.ts';
import { hintedStatus, meaningOf } from '../../src/service/answer-meaning.ts';
import type { Reply } from '../../src/service/send.ts';

const answer = (status: number, body: unknown = {}, headers: Record<string, string> = {}): Reply => ({
  is: 'answer',
  status,
  headers,
  text: typeof body === 'string' ? body : JSON.stringify(body),
});
const silence = (sent: boolean, status?: number): Reply => ({
  is: 'silence',
  sent,
  error: new Error('ECONNRESET'),
  ...(status === undefined ? {} : { status }),
});

const deep = (lists: number): string => '['.repeat(lists) + ']'.repeat(lists);

test.each<[string, CallKind, Reply, string]>([
  ['200 with an id', 'company', answer(200, { id: 'company_1' }), 'made'],
  ['201 with an id', 'limit', answer(201, { id: 'bl_1' }), 'made'],
  ['an unknown status of the limit', 'limit', answer(200, { id: 'bl_1', status: 'pending' }), 'made'],
  ['a document id of any form', 'document', answer(200, { id: 'x' }), 'made'],
  ['a document id that is a number', 'document', answer(200, { id: 17 }), 'made'],
  ['200 without an id', 'company', answer(200, {}), 'unknown'],
  ['200 with the prefix of another kind', 'limit', answer(200, { id: 'company_1' }), 'unknown'],
  ['200 that is not JSON', 'company', answer(200, '<html>'), 'unknown'],
  ['200 with half a body', 'company', answer(200, '{"id": "company_'), 'unknown'],
  [
    '200 with a hundred thousand lists within each other',
    'limit',
    answer(200, `{"id":"bl_1","x":${deep(100_000)}}`),
    'unknown',
  ],
  ['204 without a body', 'document', answer(204, ''), 'unknown'],
  ['302', 'company', answer(302), 'refused'],
  ['400', 'company', answer(400), 'refused'],
  ['403', 'limit', answer(403), 'refused'],
  ['404', 'limit', answer(404), 'refused'],
  ['303', 'limit', answer(303), 'unknown'],
  ['408', 'limit', answer(408), 'unknown'],
  ['409', 'limit', answer(409), 'refused'],
  ['413', 'document', answer(413), 'refused'],
  ['418', 'company', answer(418), 'refused'],
  ['422', 'company', answer(422), 'refused'],
  ['425', 'company', answer(425), 'refused'],
  ['429', 'company', answer(429), 'throttled'],
  ['500', 'company', answer(500), 'unknown'],
  ['502', 'company', answer(502), 'unknown'],
  ['401', 'company', answer(401), 'unauthorized'],
  ['503', 'company', answer(503), 'unknown'],
  ['503 with Retry-After', 'company', answer(503, {}, { 'retry-after': '5' }), 'unknown'],
  ['599', 'limit', answer(599), 'unknown'],
  ['504', 'limit', answer(504), 'unknown'],
  ['no answer before anything was sent', 'limit', silence(false), 'unreachable'],
  ['no answer after the call was sent', 'limit', silence(true), 'unknown'],
  ['a status of success whose body broke', 'limit', silence(true, 200), 'unknown'],
  ['a status of refusal whose body broke', 'limit', silence(true, 422), 'unknown'],
])('the meaning of %s, for a %s, is right', (_name, kind, reply, meaning) => {
  expect(meaningOf(kind, reply).is).toBe(meaning);
});

// Promise: silent-statuses
test.each([303, 408, 500, 503])(
  'status %s means that nothing was made if SERVICE_NOT_MADE has it, and an unknown outcome otherwise',
  (status) => {
    expect(meaningOf('limit', answer(status), { notMade: [303, 408, 500, 503] }).is).toBe('throttled');
    expect(meaningOf('limit', answer(status), { notMade: [502] }).is).toBe('unknown');
  },
);

test.each([200, 302, 401, 422, 429, 500, 503])('the meaning of an answer with status %s has its headers', (status) => {
  expect(meaningOf('company', answer(status, {}, { 'retry-after': '5' }))).toMatchObject({
    headers: { 'retry-after': '5' },
  });
});

test('an unknown outcome after a 5xx suggests SERVICE_NOT_MADE, and its short form has nothing of the body', () => {
  const unknown = meaningOf('limit', answer(503, 'Anna Berg'));
  if (unknown.is !== 'unknown') throw new Error(unknown.is);
  expect(unknown.reason).toContain('SERVICE_NOT_MADE');
  expect(unknown.reason).toContain('Anna Berg');
  expect(unknown.brief).toBe('status 503');
  expect(hintedStatus(`sent, then ${unknown.reason}`)).toBe(503);
  // The setting accepts no status above 599.
  for (const reply of [answer(408), answer(200), silence(true), answer(600), answer(999)]) {
    const other = meaningOf('limit', reply);
    expect(other.is).toBe('unknown');
    expect('reason' in other ? other.reason : '').not.toContain('SERVICE_NOT_MADE');
    expect(hintedStatus('reason' in other ? other.reason : '')).toBeUndefined();
  }
});

test('a web page instead of an answer is reported as one, and a refusal keeps its status', () => {
  const page = '<!doctype html><html>Anna Berg</html>';
  const unknown = meaningOf('company', answer(200, page));
  if (unknown.is !== 'unknown') throw new Error(unknown.is);
  expect(unknown.brief).toBe(
    'status 200, but its body is a web page: check that SERVICE_URL is the address of the service',
  );
  expect(meaningOf('company', answer(404, page))).toMatchObject({ is: 'refused', body: page });
});

test('amounts are kept digit by digit as the service wrote them', () => {
  const text = '{"id":"bl_1","status":"approved","total_limit":1000.50,"available_limit":1e3,"contact":{"phone":null}}';
  expect(meaningOf('limit', answer(200, text))).toMatchObject({
    id: 'bl_1',
    record: { status: 'approved', total_limit: '1000.50', available_limit: '1e3' },
  });
});

test('a refusal keeps 2 kB of its body and no incomplete character', () => {
  const refused = meaningOf('company', answer(422, `x${'é'.repeat(2_000)}`));
  expect(refused).toMatchObject({ is: 'refused', status: 422, body: `x${'é'.repeat(1_023)}` });
});

// Promise: other-fields-kept
test('limit fields that are neither documented nor sent are kept as up to 256 bytes of JSON', () => {
  const sent = { company: 'company_1', requested_limit: 3000, terms: { days: 30 } };
  const known = { id: 'bl_1', object: 'buyer_limit', status: 'pending', terms: { days: 30 } };
  const besides = (more: object) => meaningOf('limit', answer(200, { ...known, ...more }), { sent });
  expect(besides({})).toMatchObject({ record: { status: 'pending' } });
  expect(besides({})).not.toHaveProperty('record.besides');
  expect(besides({ score: 7, note: 'x' })).toHaveProperty('record.besides', '{"score":7,"note":"x"}');
  expect(besides({ n: 'é'.repeat(200) })).toHaveProperty('record.besides', `{"n":"${'é'.repeat(125)}`);
});

test('a limit that is answered for another amount is foreign, or only differs with answerCheck warn', () => {
  const sent = { company: 'company_1', requested_limit: 3000 };
  const others = answer(200, { id: 'bl_1', company: 'company_1', requested_limit: 1 });
  expect(meaningOf('limit', others, { sent })).toMatchObject({
    is: 'not ours',
    id: 'bl_1',
    reason: 'status 200, but it answers another request (bl_1): its requested_limit is 1, where 3000 was sent',
    brief: 'status 200, but it answers another request',
  });
  expect(meaningOf('limit', others, { sent, answerCheck: 'warn' })).toMatchObject({
    is: 'made',
    id: 'bl_1',
    record: { differs: 'its requested_limit is 1, where 3000 was sent' },
  });
  expect(meaningOf('limit', answer(200, { id: 'bl_1' }), { sent })).toMatchObject({ is: 'made', record: {} });
});
