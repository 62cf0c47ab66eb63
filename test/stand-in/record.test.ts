import { expect, test } from 'vitest';
import { makeRecord } from '../../src/stand-in/record.ts';

const thing = (what: string) => ({ id: `bl_${what}`, what, body: { what } });

test('the record tells how often each thing was made, and which were made more than once', () => {
  const record = makeRecord({ keepMade: true });
  for (const what of ['a', 'b', 'a', 'c', 'a']) record.made('limit', thing(what));
  record.made('company', thing('a'));
  expect(record.totals()).toEqual({ company: 1, document: 0, limit: 5 });
  expect(record.times()).toEqual({ company: { a: 1 }, document: {}, limit: { a: 3, b: 1, c: 1 } });
  expect(record.twice()).toEqual([{ kind: 'limit', what: 'a', times: 3 }]);
  expect(record.things('limit').map(({ body }) => body)).toContainEqual({ what: 'b' });
});

test('without keepMade the record still knows what was made twice, but keeps no body', () => {
  const record = makeRecord({ keepMade: false });
  for (const what of ['a', 'b', 'a']) record.made('limit', thing(what));
  expect(record.totals().limit).toBe(3);
  expect(record.twice()).toEqual([{ kind: 'limit', what: 'a', times: 2 }]);
  expect(record.times().limit).toEqual({});
  expect(record.things('limit')).toEqual([]);
});

test('the list of what was made twice has a limit', () => {
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
