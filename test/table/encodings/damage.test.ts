import { describe, expect, test } from 'vitest';
import { makeDecoder } from '../../../src/table/encodings/decoders.ts';
import { describeDamage } from '../../../src/table/encodings/utf8.ts';

function decode(bytes: Buffer, encoding = 'utf-8'): string {
  const decoder = makeDecoder(encoding);
  return decoder.decode(bytes) + decoder.end();
}

describe('describeDamage', () => {
  test.each([
    [Buffer.from('Müller', 'latin1'), 'The byte FC in this cell is not UTF-8 (it may be meant as ü)'],
    [Buffer.of(0x41, 0x80), 'The byte 80 in this cell is not UTF-8 (it may be meant as €)'],
    [Buffer.of(0xe2, 0x82), 'The byte E2 in this cell is not UTF-8 (it may be meant as â)'],
  ])('reports the first damaged byte of %j', (bytes, damage) => {
    expect(describeDamage(decode(bytes), 'utf-8')).toContain(damage);
  });

  test('finds no damage in valid text', () => {
    expect(describeDamage('Müller \u{1f600}', 'utf-8')).toBeNull();
  });
});
