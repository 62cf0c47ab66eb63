/** The text, cut to `most` characters where it is longer: with an ellipsis at the cut, and never half of a character. */
export function cutText(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…` : text;
}
