/** The held desk of a portfolio, or of the account. */
export function heldAddress(portfolio: string | undefined): string {
  return portfolio === undefined ? '/held' : `/portfolios/${encodeURIComponent(portfolio)}/held`;
}

/** What came of a plan about one row, by the word in the address of the page behind it. */
export const HELD_DID: ReadonlyMap<string, string> = new Map([
  ['made', 'Taken as made: the row goes on.'],
  ['resent', 'It is sent again, as soon as it is its turn.'],
  ['nothing', 'Nothing was changed: what became of the call is known by now.'],
]);
