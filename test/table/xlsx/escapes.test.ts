import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapedAsText, unescaped } from '../../../src/table/xlsx/escapes.ts';

test.each([
  ['a_x000D_b', 'a\rb'],
  ['_x0041__x0042_', 'AB'],
  ['_x005F_x0041_', '_x0041_'],
  ['_x41_ _X0041_', '_x41_ _X0041_'],
])('%j means %j', (written, text) => {
  expect(unescaped(written)).toBe(text);
});

test('a text that looks like escapes is read as it was written', () => {
  const text = fc.string({ unit: fc.constantFrom('_x0041_', '_x005F_', '_x41_', ' ', 'a') });
  fc.assert(
    fc.property(text, (written) => {
      expect(unescaped(escapedAsText(written))).toBe(written);
    }),
  );
});
