import { expect, test } from 'vitest';
import { delimiterNamed, dialectWords, encodingNamed } from '../../src/table/dialect.ts';

test.each([
  ['850', 'cp850'],
  ['IBM437', 'cp437'],
  ['CP-852', 'cp852'],
  ['ibm866', 'ibm866'],
  ['mac', 'macintosh'],
  ['cp1252', 'windows-1252'],
  ['cp932', 'shift_jis'],
  ['CP936', 'gbk'],
  ['cp949', 'euc-kr'],
  ['ms950', 'big5'],
  ['1251', 'windows-1251'],
  ['cp65001', 'utf-8'],
])('the encoding name %s means %s', (label, name) => {
  expect(encodingNamed(label)).toBe(name);
});

test('any label of an encoding is accepted, and an unknown one is a usage error', () => {
  expect(encodingNamed('SJIS')).toBe('shift_jis');
  expect(() => encodingNamed('utf-9')).toThrow(expect.objectContaining({ code: 'USAGE' }));
});

test('a delimiter is accepted by name or sign, and any other is a usage error', () => {
  expect([delimiterNamed('tab'), delimiterNamed(';')]).toEqual(['\t', ';']);
  expect(() => delimiterNamed('x')).toThrow(expect.objectContaining({ code: 'USAGE' }));
});

test('dialectWords describes a dialect', () => {
  const dialect = { encoding: 'utf-8', bom: true, delimiter: ';', sepLine: false, lineBreak: '\r\n' } as const;
  expect(dialectWords(dialect)).toBe('UTF-8 with a byte order mark, separated by semicolons, lines end in CRLF');
});
