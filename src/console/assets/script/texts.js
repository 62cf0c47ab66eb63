/** A text that people read. The server puts it into the language of pages, by the catalogue, before it serves the script. */
export function t(pieces, ...values) {
  return String.raw({ raw: pieces }, ...values);
}
