import { Redis } from 'ioredis';
import { expect, onTestFinished, test, vi } from 'vitest';
import { errorFacts, makeWordsLog } from '../src/log.ts';
import { redisPlace } from './support/redis/own-database.ts';

test('an error of Redis is logged without the arguments of its command', async () => {
  const redis = new Redis(redisPlace());
  onTestFinished(() => redis.disconnect());
  const error: unknown = await redis.call('INCRBY', 'k', 'Geheim GmbH').catch((reason: unknown) => reason);
  expect(Reflect.get(Object(error), 'command')).toMatchObject({ args: ['k', 'Geheim GmbH'] });
  const facts = errorFacts(error);
  expect(facts).toMatchObject({ type: 'ReplyError', message: expect.stringMatching(/^ERR value is not an integer/) });
  expect(JSON.stringify(facts)).not.toContain('Geheim');
});

test('an error is logged with its code, the place in the code, and its causes', () => {
  const cause = Object.assign(new Error('http://anna:geheim@proxy is away'), { code: 'ECONNREFUSED', data: 'geheim' });
  cause.cause = cause;
  const facts = errorFacts(new TypeError('two\n    at geheim\nlines', { cause }));
  expect(facts).toMatchObject({
    type: 'TypeError',
    stack: expect.stringContaining('log.test.ts'),
    cause: { type: 'Error', code: 'ECONNREFUSED', message: 'http://***@proxy is away' },
  });
  expect(JSON.stringify([facts.stack, facts.cause])).not.toContain('geheim');
});

test('a thrown value that is no error is logged with its type', () => {
  expect(errorFacts('just so')).toEqual({ type: 'string', message: 'just so', stack: '' });
});

test('no field of the log shows the user and password of an address', () => {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => written.mockRestore());
  makeWordsLog({ level: 'warn' }).warn({ reason: 'redis://:geheim@host is away' }, 'at https://anna:geheim@host');
  expect(written.mock.calls.flat().join('')).toBe('limitline: at https://***@host (redis://***@host is away)\n');
});

test('the log for people repeats a sentence once a minute at most', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => {
    written.mockRestore();
    vi.useRealTimers();
  });
  const log = makeWordsLog({ level: 'warn' });
  for (const seconds of [0, 4, 55, 2, 4]) {
    vi.advanceTimersByTime(seconds * 1_000);
    log.warn('waiting: nobody is there');
    log.warn({ reason: `after ${seconds} s` }, 'something else');
  }
  const said = written.mock.calls.flat();
  expect(said.filter((line) => String(line).includes('nobody'))).toHaveLength(2);
  expect(said.filter((line) => String(line).includes('something else'))).toHaveLength(5);
});
