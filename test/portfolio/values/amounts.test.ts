import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Decimal, decimalOf, parseAmount } from '../../../src/portfolio/values/amounts.ts';

const STYLES = [
  { group: '', decimal: '.' },
  { group: '', decimal: ',' },
  { group: ',', decimal: '.' },
  { group: '.', decimal: ',' },
  { group: ' ', decimal: ',' },
  { group: '\u202f', decimal: ',' },
  { group: "'", decimal: '.' },
] as const;

describe('parseAmount', () => {
  test('gives advice in the decimal separator of the column', () => {
    expect(parseAmount('1234.50', ',')).toEqual({
      problem: 'The amount has a decimal point, and this column has decimal commas: write it like 1234,50.',
    });
    expect(parseAmount('1234,50', '.')).toEqual({
      problem:
        'The amount has a decimal comma, and this column has decimal points: write a plain decimal, like 1234.50.',
    });
    expect(parseAmount('viel', ',')).toEqual({
      problem: 'The amount has letters or signs beside its digits: write it like 1234,50.',
    });
    expect(parseAmount(',50', ',')).toEqual({
      problem: 'The amount lacks a digit before or after its comma: write it like 1234,50.',
    });
  });

  test.each([
    ['5.000,-', '5000', ','],
    ['EUR 5.000,--', '5000', ','],
    ['€ 12.000,–', '12000', ','],
    ['1.250.000,- €', '1250000', ','],
    ["5'000.-", '5000', '.'],
    ["Fr. 5'000.--", '5000', '.'],
    ['750.–', '750', '.'],
    ['5 000:-', '5000', null],
    ['5,00,000/-', '500000', '.'],
  ])('reads the dash of %s as zeros', (text, value, decimal) => {
    expect(parseAmount(text)).toMatchObject({ value });
    expect(decimalOf(text)).toBe(decimal);
  });

  test.each(['5.000,00-', '5.000-', '-5.000,-', '(5.000,-)', '5000-6000', '5.000.-', ',-', '5.000,-/6.000,-'])(
    'reads no amount above zero in %s',
    (text) => expect(parseAmount(text)).toHaveProperty('problem'),
  );

  test.each([
    ['1000', '1000'],
    ['+1000.50', '1000.5'],
    ['1000.500', '1000.5'],
    ['1000.0', '1000'],
    ['007', '7'],
    ['0.01', '0.01'],
    ['00.10', '0.1'],
    ['750000.01', '750000.01'],
    ['0.000001', '0.000001'],
    ['9007199254740992', '9007199254740992'],
    ['100000000000000000000', '100000000000000000000'],
  ])('reads %s as %s', (text, value) => {
    expect(parseAmount(text)).toEqual({ value });
  });

  test.each([
    ['0', 'above zero'],
    ['0.00', 'above zero'],
    ['+0', 'above zero'],
    ['-5', 'above zero'],
    ['\u22125', 'above zero'],
    ['(5)', 'above zero'],
    ['1e5', 'exponent'],
    ['1E400', 'exponent'],
    ['1.5e-3', 'exponent'],
    ['NaN', 'not a number'],
    ['Infinity', 'not a number'],
    ['inf', 'not a number'],
    ['1,00,0', 'not grouped'],
    ['1.00.000', 'not grouped'],
    ['1.234,567,890.5', 'not an amount'],
    ['(1,234.56)', 'above zero'],
    ['1.234,56-', 'above zero'],
    ['-€5', 'above zero'],
    ['€5 EUR', 'letters or signs beside its digits'],
    ['.5', 'before or after its point'],
    ['5.', 'before or after its point'],
    ['0x10', 'letters or signs beside its digits'],
    ['1000 usd', 'letters or signs beside its digits'],
    ['१०००', 'not an amount'],
    ['1000%', 'not an amount'],
    ['', 'not an amount'],
    ['9007199254740993', 'more digits'],
    ['0.1234567890123456789', 'more digits'],
    ['12345678901234567.5', 'more digits'],
    ['0.0000001', 'more digits'],
    ['1000000000000000000000', 'more digits'],
    [`1${'0'.repeat(400)}`, 'more digits'],
  ])('refuses %s with the message: %s', (text, message) => {
    expect(parseAmount(text)).toEqual({ problem: expect.stringContaining(message) });
  });

  // Promise: no-currency-word-refused
  test.each([
    '50 T€',
    '50 TEUR',
    'TEUR 50',
    '2 MIO',
    '40 TSD',
    '30 K€',
    '1.5 M€',
    '3 MLN',
    '3 MEUR',
    'MIO 5',
    '1,5 Mio. €',
    '1000 k',
    '1000 mio',
    '5 tkr',
    '1.234,56 T€',
    '2 Mrd.',
    '3 million',
  ])('refuses %s, which is in thousands or millions', (text) => {
    expect(parseAmount(text)).toEqual({ problem: expect.stringContaining('in thousands or millions') });
    expect(parseAmount(text, ',')).toEqual({ problem: expect.any(String) });
  });

  // Promise: no-currency-word-refused
  test.each(['10 PCS', '30 PCT', '10 DAY', 'LCY 5', '5 XY€'])('refuses %s, which names no currency', (text) => {
    expect(parseAmount(text)).toEqual({ problem: expect.stringContaining('is not a currency') });
  });

  test.each([
    '5 MXN',
    'KES 5',
    '5 TRY',
    '5 kr',
    'kr. 5',
    '5 zł',
    '5 Kč',
    '5 Ft',
    '5 lei',
    'Fr. 5',
    'NT$5',
    '₱5',
    'R$ 5',
  ])('accepts the currency in %s', (text) => {
    expect(parseAmount(text)).toEqual({ value: '5', change: expect.stringContaining('the currency') });
  });

  test.each([
    ['1.234,56', '1234.56'],
    ['1,234.56', '1234.56'],
    ['1 234,56', '1234.56'],
    ['1\u00a0234,5', '1234.5'],
    ['1\u202f234.567', '1234.567'],
    ["1'234.56", '1234.56'],
    ['1’234.56', '1234.56'],
    ['1_000', '1000'],
    ['1.000.000', '1000000'],
    ['1,000,000', '1000000'],
    ['12,34,567.00', '1234567'],
    ['1000,50', '1000.5'],
    ['0,001', '0.001'],
    ['€ 1.234,56', '1234.56'],
    ['1.234,56 €', '1234.56'],
    ['1.234,56 Euro', '1234.56'],
    ['Euros 1.234,56', '1234.56'],
    ['1.234,56 EURO', '1234.56'],
    ['US$1,234.56', '1234.56'],
    ['1000 USD', '1000'],
    ["CHF 1'000.-", '1000'],
  ])('normalises %s to %s, with a note', (text, value) => {
    expect(parseAmount(text)).toEqual({ value, change: expect.any(String) });
  });

  test.each([
    ['1.234', '1.234', '1234'],
    ['1,234', '1234', '1.234'],
    ['€ 100.000', '100', '100000'],
  ])("reports %s as ambiguous unless the column's separator is known", (text, point, comma) => {
    expect(parseAmount(text)).toEqual({ problem: expect.stringContaining('--decimal'), open: true });
    expect(parseAmount(text, '.')).toMatchObject({ value: point });
    expect(parseAmount(text, ',')).toMatchObject({ value: comma });
  });

  test.each<[string, Decimal]>([
    ['1234.50', ','],
    ['1.234,50', '.'],
  ])('refuses %s in a column with the other decimal separator', (text, decimal) => {
    expect(parseAmount(text, decimal)).toEqual({ problem: expect.stringContaining('this column has') });
  });

  test('is exact for any amount in any notation', () => {
    const anyStyle = fc.constantFrom(...STYLES);
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 14n }), anyStyle, (cents, { group, decimal }) => {
        const [whole = '', fraction = ''] = decimalText(cents, 2).split('.');
        const text = `${whole.replace(/\B(?=(\d{3})+$)/g, group)}${decimal}${fraction}`;
        const read = parseAmount(text);
        expect('value' in read && unitsOf(read.value, 2)).toBe(cents);
        expect(decimalOf(text)).toBe(decimal);
      }),
    );
  });

  test('returns the digits of the JSON number', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 15n - 1n }), fc.integer({ min: 0, max: 6 }), (units, decimals) => {
        const read = parseAmount(decimalText(units, decimals));
        const value = 'value' in read ? read.value : '';
        expect(JSON.stringify(Number(value))).toBe(value);
        expect(unitsOf(value, 6)).toBe(units * 10n ** BigInt(6 - decimals));
      }),
    );
  });

  test('returns the same value for padded amounts', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 ** 9 }), fc.nat(5), fc.nat(5), (units, before, after) => {
        const plain = decimalText(BigInt(units), 3);
        const padded = `+${'0'.repeat(before)}${plain}${'0'.repeat(after)}`;
        expect(parseAmount(padded, '.')).toEqual(parseAmount(plain, '.'));
      }),
    );
  });

  test('refuses a million digits with a letter', () => {
    expect(parseAmount(`${'0'.repeat(1_000_000)}x`)).toEqual({ problem: expect.any(String) });
  });
});

function decimalText(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

function unitsOf(text: string, decimals: number): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}
