/** The held desk of a portfolio, or of the account. */
export function heldAddress(portfolio: string | undefined): string {
  return portfolio === undefined ? '/held' : `/portfolios/${encodeURIComponent(portfolio)}/held`;
}
