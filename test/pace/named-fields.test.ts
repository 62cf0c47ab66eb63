import { expect, test } from 'vitest';
import { namedArgs, readNamedFields } from '../../src/pace/read-pace.ts';

test('namedArgs lists each name with its value', () => {
  expect(namedArgs({ wanted: 3, why: '' })).toEqual(['wanted', 3, 'why', '']);
});

test('an answer is read by the names of its fields', () => {
  const answer = readNamedFields(['permits', 2, 'rate', '19.500', 'why', '', 'limits', 1]);
  expect(answer.number('permits')).toBe(2);
  expect(answer.number('rate')).toBe(19.5);
  expect(answer.text('why')).toBe('');
  expect(answer.flag('limits')).toBe(true);
  expect(answer.has('phase')).toBe(false);
  expect(() => answer.text('phase')).toThrow('phase');
});

test('an answer that is no list of fields is an error, and an empty list is reported as empty', () => {
  expect(() => readNamedFields('OK')).toThrow(TypeError);
  expect(readNamedFields([]).isEmpty).toBe(true);
});
