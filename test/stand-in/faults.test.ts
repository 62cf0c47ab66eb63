import { expect, test } from 'vitest';
import { type FaultChange, makeFaults } from '../../src/stand-in/fault-settings.ts';

type Rule = NonNullable<FaultChange['rules']>[number];

const silence = { on: 'limit', fault: 'silence' } satisfies Rule;

/** The numbers of the limit requests, counted from 1, that a rule hits. */
function hitsOf(rule: Rule, count: number, seed = 1): number[] {
  const faults = makeFaults({ seed, rules: [rule] });
  return Array.from({ length: count }, (_, index) => index + 1).filter(
    (number) => faults.pick('limit', () => `{"number":${number}}`) !== undefined,
  );
}

test.each([
  ['every request by default', silence, [1, 2, 3, 4, 5, 6]],
  ['no request of another kind', { ...silence, on: 'company' }, []],
  ['every request with "any"', { ...silence, on: 'any' }, [1, 2, 3, 4, 5, 6]],
  ['the first two requests with "times"', { ...silence, times: 2 }, [1, 2]],
  ['each third request with "every"', { ...silence, every: 3 }, [3, 6]],
  ['each second request, twice', { ...silence, every: 2, times: 2 }, [2, 4]],
  ['the request whose body has the text of "match"', { ...silence, match: '"number":4' }, [4]],
  ['no request with chance 0', { ...silence, chance: 0 }, []],
  ['every request with chance 1', { ...silence, chance: 1 }, [1, 2, 3, 4, 5, 6]],
] satisfies [string, Rule, number[]][])('a rule hits %s', (_name, rule, hits) => {
  expect(hitsOf(rule, 6)).toEqual(hits);
});

test('a rule with a chance hits that share of requests, and the same ones for the same seed', () => {
  const hits = hitsOf({ ...silence, chance: 0.3 }, 2_000);
  expect(hits.length).toBeGreaterThan(500);
  expect(hits.length).toBeLessThan(700);
  expect(hitsOf({ ...silence, chance: 0.3 }, 2_000)).toEqual(hits);
  expect(hitsOf({ ...silence, chance: 0.3 }, 2_000, 2)).not.toEqual(hits);
});

test('the first rule that hits is applied, and each rule counts its hits', () => {
  const faults = makeFaults({
    rules: [
      { ...silence, times: 1 },
      { on: 'any', fault: 'reset' },
    ],
  });
  const picked = [1, 2, 3].map(() => faults.pick('limit', () => '')?.fault);
  expect(picked).toEqual(['silence', 'reset', 'reset']);
  expect(faults.hits()).toEqual([1, 2]);
});

test('rules keep their counts when other settings change, and start at zero when they are set again', () => {
  const faults = makeFaults({ rules: [{ ...silence, times: 1 }] });
  const pick = () => faults.pick('limit', () => '')?.fault;
  expect(pick()).toBe('silence');
  faults.set({ latencyMs: 3 });
  expect(pick()).toBeUndefined();
  faults.set({ rules: faults.settings().rules });
  expect(pick()).toBe('silence');
  expect(faults.settings().latencyMs).toBe(3);
  faults.restore();
  expect(faults.settings().latencyMs).toBe(0);
  expect(pick()).toBe('silence');
});

test('latency is fixed or between its bounds', () => {
  expect(makeFaults({ latencyMs: 7 }).latencyMs()).toBe(7);
  const faults = makeFaults({ latencyMs: [10, 20] });
  const drawn = Array.from({ length: 200 }, () => faults.latencyMs());
  expect(Math.min(...drawn)).toBeGreaterThanOrEqual(10);
  expect(Math.max(...drawn)).toBeLessThanOrEqual(20);
  expect(new Set(drawn).size).toBeGreaterThan(100);
});
