import { expect, test } from 'vitest';
import { failureReason } from '../../../jobs/steps/row-problem.ts';
import type { RedisConnection } from '../../../src/lua-script.ts';
import { QUEUES } from '../../../src/queue/queues.ts';
import type { FaultChange } from '../../../src/stand-in/fault-settings.ts';
import { openWorkplace } from '../../support/workplace.ts';

/** This mark is in every cell and in every answer of the service. */
const MARK = /geheim/i;
const body = 'Geheim 1 GmbH, anna@geheim.example: no';

const RULES: NonNullable<FaultChange['rules']> = [
  { on: 'company', match: '"name":"Geheim 1 GmbH"', times: 1, fault: 'status', status: 422, body },
  { on: 'company', match: '"name":"Geheim 2 GmbH"', times: 1, fault: 'status', status: 500, body },
  { on: 'limit', match: '"Geheim HRB 3"', times: 1, fault: 'reset', made: true },
];

const lineOf = (n: number) => `Geheim ${n} GmbH,DE,Geheim HRB ${n},${n}000,anna${n}@geheim.example,Geheim,Geheimer`;

// Promise: failed-jobs-name-nobody
test("no key of the queues contains a buyer's data or the service's words, however a row failed", async () => {
  const { work, context, settled, ...place } = await openWorkplace({ faults: { rules: RULES } });
  const header =
    'name,country_code,company_registration_number,requested_limit,contact_email,contact_first_name,contact_last_name';
  await place.import([header, lineOf(1), lineOf(2), lineOf(3), lineOf(4)]);
  await work();
  const { states } = await settled();
  expect(states).toMatchObject({ refused: 1, held: 2, done: 1 });
  const failed = () => Promise.all(QUEUES.map((queue) => context.ledger.zcard(queueKey(queue, 'failed'))));
  const queueKey = (queue: string, rest: string) => `${context.keys.queuePrefix(queue)}:${queue}:${rest}`;
  await expect.poll(failed).toEqual([2, 0, 1]);

  const texts = await Promise.all(QUEUES.map((queue) => allUnder(context.keys.queuePrefix(queue), context.ledger)));
  const kept = texts.flat();
  // Each reason is in its job and in the events of the queue.
  const reasons = new Set(kept.filter((text) => text.startsWith('line ')).sort());
  expect([...reasons]).toEqual([
    expect.stringMatching(/^line 2: refused with status 422 \(step company, cause [0-9a-z]{8}\)$/),
    expect.stringMatching(
      /^line 3: held, since .* \(step company, cause [0-9a-z]{8}\)\. To say .*npx limitline report "q4" --state held/,
    ),
    expect.stringMatching(
      /^line 4: held, since .* \(step limit, cause [0-9a-z]{8}\)\. To say .*npx limitline report "q4" --state held/,
    ),
  ]);
  const causes = (await context.portfolios.causes('q4')).map(({ id }) => id);
  for (const reason of reasons) expect(causes).toContain(/cause (\w+)/.exec(reason)?.[1]);
  expect(kept.filter((text) => MARK.test(text))).toEqual([]);
});

test('the reason without an answer has no status, and a missing row is reported as such', () => {
  const result = { line: 9, problem: undefined, cause: undefined };
  expect(failureReason('refused', result, 'q4')).toBe('line 9: refused');
  expect(failureReason('refused', { ...result, problem: { step: 'limit', message: body } }, 'q4')).toBe(
    'line 9: refused (step limit)',
  );
  expect(failureReason('held', undefined, 'q4')).toBe('a row that no longer exists: held');
});

/** All texts of all keys with this prefix: names, fields, members and entries. */
async function allUnder(prefix: string, redis: RedisConnection): Promise<string[]> {
  const names: string[] = [];
  for (let cursor = '0'; ; ) {
    const [next, found] = await redis.scan(cursor, 'MATCH', `${prefix}*`, 'COUNT', 1_000);
    names.push(...found);
    cursor = next;
    if (cursor === '0') break;
  }
  const texts = await Promise.all(names.map((name) => textsOf(name, redis)));
  return [...names, ...texts.flat()];
}

async function textsOf(name: string, redis: RedisConnection): Promise<string[]> {
  switch (await redis.type(name)) {
    case 'hash':
      return Object.entries(await redis.hgetall(name)).flat();
    case 'list':
      return redis.lrange(name, 0, -1);
    case 'zset':
      return redis.zrange(name, '0', '-1');
    case 'stream':
      return (await redis.xrange(name, '-', '+')).flatMap(([, fields]) => fields);
    default:
      return [(await redis.get(name)) ?? ''];
  }
}
