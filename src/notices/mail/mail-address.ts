/** A mail address, perhaps with a name in front. */
export type MailAddress = { name: string; address: string };

/**
 * Reads `ops@example.com` or `Limitline <ops@example.com>`; undefined if invalid. Only characters of an atom are allowed (RFC 5321, section
 * 4.1.2), so that nothing in it can end a header or a command.
 */
export function readMailAddress(text: string): MailAddress | undefined {
  const [, name = '', address = ''] = /^\s*(?:"?([^"<>\p{Cc}]{0,80}?)"?\s*<([^<>]*)>|[^<>]*)\s*$/u.exec(text) ?? [];
  const bare = address === '' ? text.trim() : address;
  return bare.length <= MOST_ADDRESS && ADDRESS.test(bare) ? { name: name.trim(), address: bare } : undefined;
}

/** RFC 5321, section 4.5.3.1.3, without the brackets. */
const MOST_ADDRESS = 254;

const ADDRESS =
  /^[\w!#$%&'*+/=?^`{|}~-]{1,64}(?:\.[\w!#$%&'*+/=?^`{|}~-]{1,64})*@[a-z\d-]{1,63}(?:\.[a-z\d-]{1,63})*$/i;
