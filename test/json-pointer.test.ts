import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inPlace, listPlaces, listsOf, pointerOf, pointerSegments, valueAt } from '../src/json-pointer.ts';

test.each([
  ['/a/b', ['a', 'b']],
  ['/', ['']],
  ['/a~1b/c~0d/~01', ['a/b', 'c~d', '~1']],
  ['/data/*/id', ['data', '*', 'id']],
  ['', undefined],
  ['a/b', undefined],
  ['#/a', undefined],
  ['/a~2', undefined],
  ['/a~', undefined],
])('%j has the segments %j', (pointer, segments) => {
  expect(pointerSegments(pointer)).toEqual(segments);
});

test('pointerSegments reads any segments that pointerOf wrote', () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1 }), (all) => {
      expect(pointerSegments(pointerOf(all))).toEqual(all);
    }),
  );
});

test.each([
  [['a', 'b'], 1],
  [['list', '1'], 'y'],
  [['list', '2'], undefined],
  [['list', '01'], undefined],
  [['list', '-'], undefined],
  [['list', 'length'], undefined],
  [['a', 'b', 'c'], undefined],
  [['none'], null],
  [['none', 'x'], undefined],
  [['text', '0'], undefined],
  [['__proto__'], undefined],
  [['__proto__', 'toString'], undefined],
  [['constructor', 'name'], undefined],
  [['toString'], undefined],
])('the value at %j is %j', (segments, value) => {
  expect(valueAt({ a: { b: 1 }, list: ['x', 'y'], none: null, text: 'abc' }, segments)).toBe(value);
});

test('a JSON field named __proto__ is an ordinary field', () => {
  expect(valueAt(JSON.parse('{"__proto__":{"status":"x"}}'), ['__proto__', 'status'])).toBe('x');
});

test('each * iterates over a list, also nested, and a value that is no list is reported', () => {
  const document = { a: [{ b: [1, 2] }, { b: [] }, { b: 'text' }, {}] };
  const segments = ['a', '*', 'b', '*', 'c'];
  expect([...listPlaces(document, segments)]).toEqual([
    { places: ['0', '0'] },
    { places: ['0', '1'] },
    { places: ['2'], noList: '/a/2/b' },
    { places: ['3'], noList: '/a/3/b' },
  ]);
  expect(inPlace(segments, ['0', '1'])).toEqual(['a', '0', 'b', '1', 'c']);
  expect(listsOf(segments)).toEqual(['a', '*', 'b', '*']);
  expect(listsOf(['a'])).toEqual([]);
  expect([...listPlaces(document, ['x'])]).toEqual([{ places: [] }]);
  expect([...listPlaces([1], ['*'])]).toEqual([{ places: ['0'] }]);
});
