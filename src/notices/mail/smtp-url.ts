import { isLoopback } from '../../addresses.ts';
import { userInfoOf } from '../user-info.ts';

/** A mail server, in the form that nodemailer's connection needs. */
export type MailServer = {
  host: string;
  port: number;
  /** TLS from the first byte (RFC 8314, section 3.3), not by STARTTLS. */
  secure: boolean;
  /** A password goes to another machine over TLS only. Without this an attacker in between could hide that STARTTLS is offered. */
  requireTLS: boolean;
  login: { user: string; pass: string } | undefined;
};

/** The ports for submission by STARTTLS (RFC 6409) and by TLS (RFC 8314). */
const PORTS = { 'smtp:': 587, 'smtps:': 465 };

/**
 * Reads `smtp://user:password@host:587` (STARTTLS if the server offers it, required if a password is sent) or `smtps://…`. Undefined for
 * any other address, and for one with a path, query or fragment: other programs have options there, which are not supported.
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
