/** What a person reads of a page: what stands between its tags, with one space for each run of white space. */
export function plainText(markup: string): string {
  return markup
    .replace(/<(?:script|style|svg)[\s\S]*?<\/(?:script|style|svg)>/g, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ');
}
