import { expect, test } from 'vitest';
import { makeRequestTimes } from '../../src/stand-in/request-times.ts';

test.each([
  ['none', [], 0],
  ['one', [5], 1],
  ['a second apart', [0, 1_000, 2_000], 1],
  ['just within a second', [0, 999.9, 1_500], 2],
  ['across two seconds of the clock', [900, 950, 1_100, 1_899, 1_900], 4],
  ['a burst long ago', [0, 0, 0, 5_000, 6_000], 3],
])('the fullest second: %s', (_name, arrivals, most) => {
  const times = makeRequestTimes();
  for (const nowMs of arrivals) times.arrived(nowMs);
  expect(times.maxPerSecond()).toBe(most);
});

test('requests are counted rightly when the ring begins again', () => {
  const times = makeRequestTimes();
  for (let index = 0; index < 200_000; index += 1) times.arrived(index / 8);
  expect(times.maxPerSecond()).toBe(8_000);
});

test('the most requests open at once are told, and a reset forgets the peak but not those still open', () => {
  const times = makeRequestTimes();
  for (let open = 0; open < 5; open += 1) times.arrived(0);
  for (let open = 0; open < 3; open += 1) times.left();
  times.arrived(1);
  expect(times.maxInFlight()).toBe(5);
  times.reset();
  times.arrived(2);
  expect(times.maxInFlight()).toBe(4);
  expect(times.maxPerSecond()).toBe(1);
});
