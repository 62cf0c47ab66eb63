/** A row's id: portfolio and request key (CONTRACT of the product, "Identity"). */
export type RowId = { portfolio: string; key: string };

/** The id as one text: how the ledger and the queues name a row. A portfolio's name has no slash. */
export function rowName({ portfolio, key }: RowId): string {
  return `${portfolio}/${key}`;
}

/** The row that this text names; nothing where it names none. */
export function rowIdOf(name: string): RowId | undefined {
  const [portfolio = '', key = '', ...more] = name.split('/');
  return more.length === 0 && isPortfolioName(portfolio) && ROW_KEY.test(key) ? { portfolio, key } : undefined;
}

/** A digest as `identity.ts` makes it: 16 characters of base64url. */
const ROW_KEY = /^[\w-]{16}$/;

const PORTFOLIO_NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u;

/** Letters of any script, digits, space, dot, underscore and hyphen, up to 64: safe in keys, file names and addresses. */
export function isPortfolioName(name: string): boolean {
  return PORTFOLIO_NAME.test(name);
}
