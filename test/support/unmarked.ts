/** A page without the marks of numbers that stand in the reader's locale where scripts run. */
export function unmarked(markup: string): string {
  return markup.replace(/<\/?data\b[^>]*>/g, '');
}
