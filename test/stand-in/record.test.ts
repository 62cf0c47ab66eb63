import { expect, test } from 'vitest';
import { makeRecord, makeRequestTimes, makeSeenSet } from '../../src/stand-in/record.ts';

const thing = (what: string) => ({ id: `bl_${what}`, what, body: { what } });

test('the record counts how often each thing was made, and lists those made more than once', () => {
  const record = makeRecord({ keepMade: true });
  for (const what of ['a', 'b', 'a', 'c', 'a']) record.made('limit', thing(what));
  record.made('company', thing('a'));
  expect(record.totals()).toEqual({ company: 1, document: 0, limit: 5 });
  expect(record.times()).toEqual({ company: { a: 1 }, document: {}, limit: { a: 3, b: 1, c: 1 } });
  expect(record.twice()).toEqual([{ kind: 'limit', what: 'a', times: 3 }]);
  expect(record.things('limit').map(({ body }) => body)).toContainEqual({ what: 'b' });
});

test('without keepMade, the record lists things made twice but keeps no body', () => {
  const record = makeRecord({ keepMade: false });
  for (const what of ['a', 'b', 'a']) record.made('limit', thing(what));
  expect(record.totals().limit).toBe(3);
  expect(record.twice()).toEqual([{ kind: 'limit', what: 'a', times: 2 }]);
  expect(record.times().limit).toEqual({});
  expect(record.things('limit')).toEqual([]);
});

test('the list of things made twice is bounded', () => {
  const record = makeRecord({ keepMade: false });
  for (let index = 0; index < 30_000; index += 1) record.made('limit', thing(String(index % 15_000)));
  record.made('limit', thing('0'));
  expect(record.twice()).toHaveLength(10_000);
  expect(record.twice()[0]).toEqual({ kind: 'limit', what: '0', times: 3 });
});

test('answers are counted by kind, and a reset forgets everything', () => {
  const record = makeRecord({ keepMade: true });
  record.answered('limit', 201);
  record.answered('limit', 201);
  record.answered('limit', 'reset');
  record.made('limit', thing('a'));
  record.made('limit', thing('a'));
  expect(record.requests().limit).toEqual({ 201: 2, reset: 1 });
  record.reset();
  record.made('limit', thing('a'));
  expect(record.requests()).toEqual({ token: {}, company: {}, document: {}, limit: {}, other: {} });
  expect(record.twice()).toEqual([]);
  expect(record.totals().limit).toBe(1);
});

test.each([
  ['without requests', [], 0],
  ['with one request', [5], 1],
  ['with requests a second apart', [0, 1_000, 2_000], 1],
  ['with requests just within a second', [0, 999.9, 1_500], 2],
  ['across two seconds of the clock', [900, 950, 1_100, 1_899, 1_900], 4],
  ['with an earlier burst', [0, 0, 0, 5_000, 6_000], 3],
])('the highest number of requests in a second is right: %s', (_name, arrivals, most) => {
  const times = makeRequestTimes();
  for (const nowMs of arrivals) times.arrived(nowMs);
  expect(times.maxPerSecond()).toBe(most);
});

test('requests are counted correctly when the ring buffer starts again', () => {
  const times = makeRequestTimes();
  for (let index = 0; index < 200_000; index += 1) times.arrived(index / 8);
  expect(times.maxPerSecond()).toBe(8_000);
});

test('the peak of concurrent requests is counted, and a reset keeps the open ones', () => {
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

test('a set of a hundred thousand texts reports each as new the first time and as seen the second time', () => {
  const seen = makeSeenSet();
  const texts = Array.from({ length: 100_000 }, (_, index) => `DE${index} / 5000`);
  expect(texts.filter((text) => seen.addSeen(text))).toEqual([]);
  expect(texts.filter((text) => !seen.addSeen(text))).toEqual([]);
  seen.clear();
  expect(seen.addSeen('DE1 / 5000')).toBe(false);
});
