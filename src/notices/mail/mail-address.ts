/** A mail address, perhaps with a name before it. */
export type MailAddress = { name: string; address: string };

/**
 * `ops@example.com` or `Limitline <ops@example.com>`: letters, digits and the other signs of an atom alone (RFC 5321, section 4.1.2), so that
 * nothing in it ends a header or a command; nothing for what is none.
 */
export function readMailAddress(text: string): MailAddress | undefined {
  const [, name = '', address = ''] = /^\s*(?:"?([^"<>\p{Cc}]{0,80}?)"?\s*<([^<>]*)>|[^<>]*)\s*$/u.exec(text) ?? [];
  const bare = address === '' ? text.trim() : address;
  return bare.length <= MOST_ADDRESS && ADDRESS.test(bare) ? { name: name.trim(), address: bare } : undefined;
}

/** RFC 5321, section 4.5.3.1.3, less the brackets. */
const MOST_ADDRESS = 254;

const ADDRESS =
  /^[\w!#$%&'*+/=?^`{|}~-]{1,64}(?:\.[\w!#$%&'*+/=?^`{|}~-]{1,64})*@[a-z\d-]{1,63}(?:\.[a-z\d-]{1,63})*$/i;
