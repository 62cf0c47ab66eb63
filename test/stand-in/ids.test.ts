import { expect, test } from 'vitest';
import { makeIds } from '../../src/stand-in/ids.ts';

const ids = makeIds({ secret: 'one' });

test.each([
  ['company', /^company_[0-9a-f]{32}$/],
  ['limit', /^bl_[0-9a-f]{32}$/],
  ['document', /^doc_[0-9a-f]{32}$/],
] as const)('an id of a %s looks as shown, and is another each time', (kind, shape) => {
  const made = ids.make(kind);
  expect(made).toMatch(shape);
  expect(ids.make(kind)).not.toBe(made);
});

test('an id is known to every holder of the secret, and to nobody else', () => {
  const id = ids.make('company');
  expect(makeIds({ secret: 'one' }).knows('company', id)).toBe(true);
  expect(makeIds({ secret: 'two' }).knows('company', id)).toBe(false);
});

test.each([
  ['of another kind', (id: string) => id.replace('company_', 'doc_')],
  ['with a digit changed', (id: string) => id.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))],
  ['cut short', (id: string) => id.slice(0, -1)],
  ['made longer', (id: string) => `${id}0`],
  ['made up', () => 'company_1'],
  ['empty', () => ''],
])('an id %s is not known', (_how, change) => {
  expect(ids.knows('company', change(ids.make('company')))).toBe(false);
});
