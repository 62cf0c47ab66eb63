import { isLoopback } from '../../addresses.ts';
import { userInfoOf } from '../way.ts';

export type MailServer = {
  host: string;
  port: number;
  /** Whether the connection has TLS from its first byte (RFC 8314, section 3.3), and not only after STARTTLS. */
  secure: boolean;
  /** Whether TLS is required: an attacker in between could hide that the server offers STARTTLS, and would get the password. */
  requireTLS: boolean;
  login: { user: string; pass: string } | undefined;
};

/** Ports of submission with STARTTLS (RFC 6409) and with TLS (RFC 8314). */
const PORTS = { 'smtp:': 587, 'smtps:': 465 };

/**
 * Reads `smtp://user:password@host:587` (STARTTLS if the server offers it, required with a password) or `smtps://…`; undefined for any other
 * URL, and for one with a path or options.
 */
export function readSmtpUrl(text: string): MailServer | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const { protocol, pathname, search, hash } = url;
  const host = url.hostname.replace(/^\[(.+)\]$/, '$1');
  const hasMore = (pathname !== '' && pathname !== '/') || search !== '' || hash !== '';
  if (!(protocol in PORTS) || host === '' || hasMore) return undefined;
  const login = userInfoOf(url);
  const secure = protocol === 'smtps:';
  return {
    host,
    port: Number(url.port) || PORTS[protocol as keyof typeof PORTS],
    secure,
    requireTLS: !secure && login !== undefined && !isLoopback(host),
    login,
  };
}

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

/** Most characters of an address: RFC 5321, section 4.5.3.1.3, without the brackets. */
const MOST_ADDRESS = 254;

const ADDRESS =
  /^[\w!#$%&'*+/=?^`{|}~-]{1,64}(?:\.[\w!#$%&'*+/=?^`{|}~-]{1,64})*@[a-z\d-]{1,63}(?:\.[a-z\d-]{1,63})*$/i;
