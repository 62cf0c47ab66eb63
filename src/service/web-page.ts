/** HTML starts with doctype or first element (HTML Standard, section 13.1), after white space, BOM and comments. */
const PAGE = /^(?:\s|\ufeff|<!--[\s\S]{0,1000}?-->|<\?xml[^>]{0,200}\?>)*<(?:!doctype\s+html|html|head|body|title)\b/i;

/** Whether an answer's body is a web page, as from a wrong server or a gateway. */
export function isWebPage(text: string): boolean {
  return PAGE.test(text);
}
