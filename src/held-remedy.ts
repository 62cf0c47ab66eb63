/** The commands that say what became of held calls: of a portfolio, or of one that is still to be found. */
export function heldRemedy(portfolio?: string): string {
  const name = portfolio === undefined ? 'NAME' : `"${portfolio}"`;
  const which =
    portfolio === undefined
      ? 'those of a portfolio to a file (npx limitline portfolios says which have some)'
      : 'them to a file';
  return `To say what became of held calls, write ${which}: npx limitline report ${name} --state held --like-input --out held.csv; in its column id, ${fillIn(name, 'held.csv')}`;
}

/** What to do with a file that lists held rows, once it is written. */
export function heldFileRemedy(portfolio: string, file: string): string {
  return `In the column id of ${file}, ${fillIn(`"${portfolio}"`, `"${file}"`)}`;
}

function fillIn(portfolio: string, file: string): string {
  return `write the id of what was made, or resend; then run: npx limitline resolve ${portfolio} --from ${file}`;
}
