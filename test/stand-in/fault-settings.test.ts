import { expect, test } from 'vitest';
import { readFaults } from '../../src/stand-in/fault-settings.ts';

test('empty settings have no faults', () => {
  expect(readFaults({}, {})).toEqual({
    seed: 1,
    latencyMs: 0,
    rateLimit: null,
    tokens: { field: 'access_token', lifetimeS: 3_600 },
    outage: null,
    rules: [],
  });
});

test('a change replaces the members that it names, and no others', () => {
  const before = readFaults({}, { latencyMs: 5, rateLimit: { perS: 10 }, tokens: { lifetimeS: null } });
  expect(readFaults(before, { rateLimit: { perS: 3, headers: 'ratelimit' } })).toEqual({
    ...before,
    rateLimit: { perS: 3, headers: 'ratelimit' },
  });
});

const rule = { on: 'any', fault: 'reset' };

test.each([
  [{ latency: 5 }, 'the whole'],
  [{ latencyMs: -1 }, 'latencyMs'],
  [{ latencyMs: [1] }, 'latencyMs'],
  [{ rateLimit: { perS: 0 } }, 'rateLimit.perS'],
  [{ rateLimit: { perS: 1, headers: 'loud' } }, 'rateLimit.headers'],
  [{ tokens: { lifetimeS: 0 } }, 'tokens.lifetimeS'],
  [{ outage: { how: 'sometimes' } }, 'outage.how'],
  [{ rules: [rule, { ...rule, on: 'invoice' }] }, 'rules.1.on'],
  [{ rules: [{ ...rule, fault: 'explode' }] }, 'rules.0.fault'],
  [{ rules: [{ ...rule, madeTwice: true }] }, 'rules.0'],
  [{ rules: [{ ...rule, chance: 2 }] }, 'rules.0.chance'],
  [{ rules: [{ ...rule, every: 0 }] }, 'rules.0.every'],
  [{ rules: [{ ...rule, fault: 'status' }] }, 'rules.0.status'],
  [{ rules: [{ ...rule, fault: 'decision', status: 'pending', share: 0.5 }] }, 'rules.0.on'],
  ['down', 'the whole'],
])('%j is refused, and the fault names %s', (change, place) => {
  expect(() => readFaults({}, change)).toThrow(
    expect.objectContaining({ code: 'USAGE', message: expect.stringContaining(` ${place}: `) }),
  );
});
