/** A browser drops these, so that `java\nscript:` and `/\t/elsewhere` mean something else than what is read here. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const DROPPED = /[\u0000-\u001F\u007F]|^\s|\\/;

/** A path of this server, a query or fragment of the page, nothing, or an address of the web or of a person. */
const SAFE = /^(?:\/(?!\/)|[?#]|https?:\/\/[^/]|mailto:|$)/i;

/** Whether an address may be put into a page: it stays on this server or is one of the web, and runs nothing. */
export function safeAddress(address: string): boolean {
  return !DROPPED.test(address) && SAFE.test(address);
}
