/**
 * HTML starts with doctype or first element (HTML Standard, section 13.1), after white space, BOM and comments. Each beginning can be read in
 * one way only: with two, thirty comments or BOMs would block the process for a minute.
 */
const PAGE =
  /^(?:\s|<!--(?:(?!-->)[\s\S]){0,1000}-->|<\?xml[^>]{0,200}\?>)*<(?:!doctype\s+html|html|head|body|title)\b/i;

/** Whether the body of a response is a web page, as from a wrong server or a gateway. */
export function isWebPage(text: string): boolean {
  return PAGE.test(text);
}
