import { expect, test } from 'vitest';
import { cutText } from '../src/cut-text.ts';

test.each([
  ['', ''],
  ['Nordlicht', 'Nordlicht'],
  ['Nordlicht!', 'Nordlich…'],
  ['Nordlic🚲!', 'Nordlic…'],
  ['Nordli🚲!!', 'Nordli🚲…'],
])('%s, cut to nine characters, is %s', (text, shown) => {
  expect(cutText(text, 9)).toBe(shown);
});
