import { expect, test } from 'vitest';
import { LIMITS, makeTextParts } from '../../../src/table/xlsx/parse-xml.ts';

const tooLong = () => new Error('too long');

test('a text is put together from its elements, without what is between them and without its pronunciation', () => {
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

test('a text may be as long as a cell, and no longer', () => {
  const parts = makeTextParts(['v', 't'], tooLong);
  parts.open('v');
  parts.add('x'.repeat(LIMITS.textLength));
  expect(() => parts.add('x')).toThrow('too long');
});
