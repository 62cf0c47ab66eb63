/** `1 row`, `1,200 rows`: a count with its noun, for people. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** `3,000 rows, all requested before`; undefined if some were not. */
export function allBeforeWords(rows: number, before = 0): string | undefined {
  return rows > 0 && before === rows
    ? `${counted(rows, 'row')}, ${rows === 1 ? '' : 'all '}requested before`
    : undefined;
}

/** `2 rows of earlier imports`. */
export function earlierRows(count: number): string {
  return count === 1 ? '1 row of an earlier import' : `${grouped(count)} rows of earlier imports`;
}

/** `3 rows that had been given up are requested after all.` */
export function revivedWords(count: number): string {
  return `${counted(count, 'row that had been given up is', 'rows that had been given up are')} requested after all.`;
}

/** A sentence that so many rows `were`, or `would be`, replaced by lines of the file that correct them. */
export function replacedWords(count: number, were: string): string {
  const lines = count === 1 ? 'line of this file that corrects it' : 'lines of this file that correct them';
  return `${earlierRows(count)} ${were} replaced by the ${lines}.`;
}

/** A whole number with separators of thousands: `1,200`. By hand, since `toLocaleString` takes 25 ms where it is first called. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** `12.3 MB`, `4 kB`: rounded up, since a size above zero must not show as 0. */
export function sizeWords(bytes: number): string {
  if (bytes < 1_000_000) return `${grouped(Math.max(1, Math.ceil(bytes / 1_000)))} kB`;
  return `${(Math.ceil(bytes / 100_000) / 10).toLocaleString('en')} MB`;
}

/** `1234567.5` → `1,234,567.5`: adds separators of thousands, and keeps the digits. */
export function groupedAmount(amount: string): string {
  const [whole = '', decimals] = amount.split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return decimals === undefined ? grouped : `${grouped}.${decimals}`;
}

/** `1234567.5` → `1,234,567.50`, behind its currency where that is known: adds separators of thousands, and zeros up to two decimals. */
export function moneyText(amount: string, currency?: string): string {
  const [whole = '', decimals = ''] = amount.split('.');
  return `${currency === undefined ? '' : `${currency} `}${groupedAmount(`${whole}.${decimals.padEnd(2, '0')}`)}`;
}
