/** A row's id: portfolio and request key (CONTRACT of the product, "Identity"). */
export type RowId = { portfolio: string; key: string };

/** The id as one text: how the ledger and the queues name a row. A portfolio's name has no slash. */
export function rowName({ portfolio, key }: RowId): string {
  return `${portfolio}/${key}`;
}

const PORTFOLIO_NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u;

/** Letters of any script, digits, space, dot, underscore and hyphen, up to 64: safe in keys, file names and addresses. */
export function isPortfolioName(name: string): boolean {
  return PORTFOLIO_NAME.test(name);
}
