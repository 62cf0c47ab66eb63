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
