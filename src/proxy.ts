import { LimitlineError } from './errors.ts';

/** A forward proxy that calls to the service go through. */
export type ForwardProxy = {
  /** `http:` or `https:`: how the proxy itself is spoken to, whatever the service is. Without user and password. */
  url: URL;
  /** Value of `proxy-authorization` (RFC 7617), where the setting carries a user. */
  authorization: string | undefined;
  /** The proxy for people: without user and password. */
  where: string;
  /** The setting that names it. */
  setting: ProxySetting;
};

type ProxySetting = 'HTTPS_PROXY' | 'HTTP_PROXY';

/** The settings by these names, or by the same in lower case. */
export type ProxySettings = { [name in ProxySetting | 'NO_PROXY']?: string | undefined };

/**
 * The proxy for calls to `serviceUrl`, by the rules that undici's `EnvHttpProxyAgent` follows: `HTTPS_PROXY` for an https
 * address, without it `HTTP_PROXY`; `HTTP_PROXY` for an http one; none where `NO_PROXY` names the host. Nothing is exempt
 * by itself, this machine neither.
 *
 * @throws LimitlineError `SETTINGS` for an address that cannot be a proxy's; it never repeats the address, since there
 * may be a password in it.
 */
export function chooseProxy(serviceUrl: string, settings: ProxySettings): ForwardProxy | undefined {
  const service = new URL(serviceUrl);
  const setting = service.protocol === 'https:' && settings.HTTPS_PROXY ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const address = settings[setting];
  if (!address || isExempt(service, settings.NO_PROXY ?? '')) return undefined;
  return readProxy(address, setting);
}

/** A fault of settings that every call would meet: nothing was passed on. */
export function proxyWantsCredentials({ where, setting, authorization }: ForwardProxy): LimitlineError {
  const remedy =
    authorization === undefined
      ? `give them in ${setting}, as user:password@ before the host`
      : `correct those in ${setting}`;
  return new LimitlineError('CREDENTIALS', `The proxy ${where} asks for a user and password (407); ${remedy}.`);
}

/** What http and https mean where no port is given (RFC 9110, section 4.2). */
const DEFAULT_PORTS: Record<string, number> = { 'http:': 80, 'https:': 443 };

function readProxy(address: string, setting: ProxySetting): ForwardProxy {
  // Many tools take an address without a scheme, and mean http.
  const text = address.includes('://') ? address : `http://${address}`;
  if (!URL.canParse(text) || !(new URL(text).protocol in DEFAULT_PORTS)) {
    throw new LimitlineError(
      'SETTINGS',
      `${setting} must be the address of a proxy, http://host:port or https://host:port, with user:password@ before the host if the proxy asks for a login; percent-encode special characters in the password. Or name the service's host in NO_PROXY`,
    );
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

/** A password that was not percent-encoded, and has a percent sign, is taken as it stands. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Whether one entry of `NO_PROXY` (by commas or spaces) names the host: `host`, which means its subdomains too, as does
 * `.host`; `*.host`, its subdomains alone; each of them perhaps with a port; `*`, everything.
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

/** `host`, `host:port`, `[::1]`, `[::1]:port` or a bare `::1`, whose colons are no port's. */
function readEntry(entry: string): { name: string; port: number | undefined } {
  const [, bracketed, plain, port] = /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(entry) ?? [];
  return { name: bracketed ?? plain ?? entry, port: port === undefined ? undefined : Number(port) };
}

/** Without brackets, and without the dot that marks a full name: two spellings of one host. */
function plainHost(name: string): string {
  return name
    .replace(/^\[(.+)\]$/, '$1')
    .replace(/(.)\.$/, '$1')
    .toLowerCase();
}
