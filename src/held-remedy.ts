/** What a person can do about held rows, with commands to copy. `NAME` is a placeholder if the portfolio is not known here. */
export function heldRemedy(portfolio = 'NAME'): string {
  return `To say what became of held calls, write them to a file: npx limitline report "${portfolio}" --state held --out held.csv; in its column id, write the id of what was made, or resend; then run: npx limitline resolve "${portfolio}" --from held.csv`;
}
