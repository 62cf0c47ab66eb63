import { expect, test } from 'vitest';
import { LIMITS, makeTextParts } from '../../../src/table/xlsx/parse-xml.ts';

const tooLong = () => new Error('too long');

test('a text consists of its text elements, without the text between them and without phonetic text', () => {
  const parts = makeTextParts(['t'], tooLong);
  for (const step of ['<r', '<t', 'Mü', 't>', ' ', '<t', 'ller', 't>', 'r>', '<rPh', '<t', 'myula', 't>', 'rPh>']) {
    if (step.startsWith('<')) parts.open(step.slice(1));
    else if (step.endsWith('>')) parts.close(step.slice(0, -1));
    else parts.add(step);
  }
  expect(parts.text()).toBe('Müller');
  parts.clear();
  expect(parts.text()).toBe('');
});

test('a text may have the maximum length of a cell, and not more', () => {
  const parts = makeTextParts(['v', 't'], tooLong);
  parts.open('v');
  parts.add('x'.repeat(LIMITS.textLength));
  expect(() => parts.add('x')).toThrow('too long');
});
