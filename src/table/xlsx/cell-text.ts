import { unescaped } from './escapes.ts';
import { dateOfSerial, plainNumber, withZeros } from './numbers.ts';
import type { Workbook } from './workbook.ts';

/** What of a workbook says what its cells mean. */
type Meanings = Pick<Workbook, 'shared' | 'styles' | 'from1904'>;

/**
 * The text of a cell as a person sees it: numbers as plain decimals, days as YYYY-MM-DD (ECMA-376, part 1, 18.18.11).
 *
 * @param written what the cell's element contains.
 */
export function cellText(book: Meanings, { type, style }: { type: string; style: number }, written: string): string {
  if (type === 's') return written === '' ? '' : (book.shared[Number(written)] ?? '');
  if (type === 'd') return written.replace(/T00:00:00(\.0+)?Z?$/, '');
  if (type === 'b') return written === '1' ? 'TRUE' : 'FALSE';
  if (type !== 'n' || written === '') return unescaped(written);
  const { isDate = false, leastDigits = 0, scale = '' } = book.styles[style] ?? {};
  if (isDate) return dateOfSerial(written, book);
  const number = withZeros(plainNumber(written), leastDigits);
  // As it is seen: 50 shown as 50 T€ is no amount of 50.
  return scale === '' ? number : `${number} ${scale}`;
}
