/** The commands by which a person resolves held rows, to copy; `NAME` is a placeholder for an unknown portfolio. */
export function heldRemedy(portfolio = 'NAME'): string {
  return `To say what became of held calls, write them to a file: npx limitline report "${portfolio}" --state held --out held.csv; in its column id, write the id of what was made, or resend; then run: npx limitline resolve "${portfolio}" --from held.csv`;
}
