/** `1234567.5` → `1,234,567.50`: grouped by thousands, with the two decimals at least that people expect of money. */
export function moneyWords(amount: string): string {
  const [whole = '', decimals = ''] = amount.split('.');
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${decimals.padEnd(2, '0')}`;
}
