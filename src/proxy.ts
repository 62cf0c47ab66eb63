import { LimitlineError } from './errors.ts';

export type ForwardProxy = {
  /** `http:` or `https:`: the protocol of the proxy itself, whatever the service uses. Without user and password. */
  url: URL;
  /** Value of `proxy-authorization` (RFC 7617), if the setting contains a user. */
  authorization: string | undefined;
  /** The proxy's URL for people, without user and password. */
  where: string;
  setting: ProxySetting;
};

type ProxySetting = 'HTTPS_PROXY' | 'HTTP_PROXY';

/** Settings under these names, or the same in lower case. */
export type ProxySettings = { [name in ProxySetting | 'NO_PROXY']?: string | undefined };

/**
 * The proxy for calls to `serviceUrl`, by the rules of undici's `EnvHttpProxyAgent`: for https `HTTPS_PROXY`, or without it `HTTP_PROXY`;
 * for http `HTTP_PROXY`; none if `NO_PROXY` names the host. No host is exempt by default, not even this machine.
 *
 * @throws LimitlineError `SETTINGS` for an invalid proxy URL; the message never repeats the URL, which may contain a password
 */
export function chooseProxy(serviceUrl: string, settings: ProxySettings): ForwardProxy | undefined {
  const service = new URL(serviceUrl);
  const setting = service.protocol === 'https:' && settings.HTTPS_PROXY ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const address = settings[setting];
  if (!address || isExempt(service, settings.NO_PROXY ?? '')) return undefined;
  return readProxy(address, setting);
}

/** The error for a proxy that asks for credentials: every call would meet it, and nothing was forwarded. */
export function proxyWantsCredentials({ where, setting, authorization }: ForwardProxy): LimitlineError {
  const remedy =
    authorization === undefined
      ? `give them in ${setting}, as user:password@ before the host`
      : `correct those in ${setting}`;
  return new LimitlineError('CREDENTIALS', `The proxy ${where} asks for a user and password (407); ${remedy}.`);
}

/** Ports of http and https if none is given (RFC 9110, section 4.2). */
const DEFAULT_PORTS: Record<string, number> = { 'http:': 80, 'https:': 443 };

function readProxy(address: string, setting: ProxySetting): ForwardProxy {
  // Many tools accept an address without a scheme, as http.
  const text = address.includes('://') ? address : `http://${address}`;
  if (!URL.canParse(text) || !(new URL(text).protocol in DEFAULT_PORTS)) {
    const message = `${setting} must be the address of a proxy, http://host:port or https://host:port, with user:password@ before the host if the proxy asks for a login; percent-encode special characters in the password. Or name the service's host in NO_PROXY`;
    throw new LimitlineError('SETTINGS', message);
  }
  const { origin, username, password } = new URL(text);
  const user = `${decode(username)}:${decode(password)}`;
  return {
    url: new URL(origin),
    authorization: username === '' ? undefined : `Basic ${Buffer.from(user).toString('base64')}`,
    where: origin,
    setting,
  };
}

/** A password with a percent sign that is not percent-encoded is taken literally. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Whether an entry of `NO_PROXY` (separated by commas or spaces) names the host. `host` and `.host` include subdomains, `*.host` means
 * subdomains only, each may have a port, and `*` means everything.
 */
function isExempt({ protocol, hostname, port }: URL, noProxy: string): boolean {
  const host = plainHost(hostname);
  const hostPort = Number(port) || DEFAULT_PORTS[protocol];
  return noProxy
    .split(/[,\s]+/)
    .filter(Boolean)
    .some((entry) => {
      const { name, port: onlyPort } = readEntry(entry);
      if (onlyPort !== undefined && onlyPort !== hostPort) return false;
      const domain = plainHost(name.replace(/^\*?\./, ''));
      return name === '*' || host.endsWith(`.${domain}`) || (host === domain && !name.startsWith('*'));
    });
}

/** Reads `host`, `host:port`, `[::1]`, `[::1]:port` or a bare `::1`, whose colons belong to no port. */
function readEntry(entry: string): { name: string; port: number | undefined } {
  const [, bracketed, plain, port] = /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(entry) ?? [];
  return { name: bracketed ?? plain ?? entry, port: port === undefined ? undefined : Number(port) };
}

/** A host's name without brackets and the final dot of a full name, which are other spellings of the same host. */
function plainHost(name: string): string {
  return name
    .replace(/^\[(.+)\]$/, '$1')
    .replace(/(.)\.$/, '$1')
    .toLowerCase();
}
