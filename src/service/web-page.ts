/** HTML begins with its doctype or its first element (HTML Standard, section 13.1), behind white space, marks and comments. */
const PAGE = /^(?:\s|\ufeff|<!--[\s\S]{0,1000}?-->|<\?xml[^>]{0,200}\?>)*<(?:!doctype\s+html|html|head|body|title)\b/i;

/** Whether an answer's body is a web page, as of a server that is not the service, or of a gateway before it. */
export function isWebPage(text: string): boolean {
  return PAGE.test(text);
}
