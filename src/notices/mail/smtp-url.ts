import { isLoopback } from '../../addresses.ts';
import { userInfoOf } from '../user-info.ts';

/** A mail server, as nodemailer's connection wants it. */
export type MailServer = {
  host: string;
  port: number;
  /** TLS from the first byte (RFC 8314, section 3.3), not by STARTTLS. */
  secure: boolean;
  /** A password goes to another machine by TLS alone: who stands in between could hide that STARTTLS is offered. */
  requireTLS: boolean;
  login: { user: string; pass: string } | undefined;
};

/** Of a submission by STARTTLS (RFC 6409) and of one by TLS (RFC 8314). */
const PORTS = { 'smtp:': 587, 'smtps:': 465 };

/**
 * Reads `smtp://user:password@host:587` (STARTTLS, where the server offers it or a password is sent) or `smtps://…`; nothing for
 * what is neither, or has something behind the port, where other programs have options.
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
