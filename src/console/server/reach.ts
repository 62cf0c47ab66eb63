import { isLoopback, makeAddressSet } from '../../addresses.ts';
import type { Settings } from '../../config.ts';
import { LimitlineError } from '../../errors.ts';
import { oidcFaults } from '../../people/oidc/oidc.ts';

/** The settings of how the console is reached: by which clients, under which names, and whether by HTTPS. */
export type Reach = {
  host: string;
  /** The address under which people open the console; undefined where it is the one on which the console listens. */
  home: URL | undefined;
  /** The files for HTTPS by the console itself; undefined where it speaks http. */
  certificate: { certFile: string; keyFile: string } | undefined;
  /** Whether an address is a trusted proxy's; undefined where none is set. */
  isProxy: ((address: string | undefined) => boolean) | undefined;
  /** Whether people must sign in even while there are no users. */
  signIn: boolean;
};

/** The settings from which a {@link Reach} is read. */
type ReachSettings = Pick<
  Settings,
  | 'CONSOLE_HOST'
  | 'CONSOLE_URL'
  | 'CONSOLE_TLS_CERT_FILE'
  | 'CONSOLE_TLS_KEY_FILE'
  | 'CONSOLE_TRUST_PROXY'
  | 'CONSOLE_OIDC_ISSUER'
  | 'CONSOLE_OIDC_CLIENT_ID'
  | 'CONSOLE_OIDC_SCOPES'
  | 'CONSOLE_OIDC_ROLES'
>;

/** The reach of a console that listens on a loopback address and has no other setting: only this machine reaches it. */
export function localReach(host: string): Reach {
  return readReach({ ...NOTHING_GIVEN, CONSOLE_HOST: host });
}

const NOTHING_GIVEN: Omit<ReachSettings, 'CONSOLE_HOST'> = {
  CONSOLE_TRUST_PROXY: [],
  CONSOLE_OIDC_SCOPES: [],
  CONSOLE_OIDC_ROLES: [],
};

/**
 * Reads from the settings how the console can be reached.
 *
 * @throws LimitlineError `SETTINGS` that names every missing or contradictory setting, a sentence each
 */
export function readReach(settings: ReachSettings): Reach {
  const faults = reachFaults(settings);
  if (faults.length > 0) throw new LimitlineError('SETTINGS', faults.join(' '));
  const { CONSOLE_TLS_CERT_FILE: certFile, CONSOLE_TLS_KEY_FILE: keyFile, CONSOLE_TRUST_PROXY: proxies } = settings;
  return {
    host: settings.CONSOLE_HOST,
    home: settings.CONSOLE_URL === undefined ? undefined : new URL(settings.CONSOLE_URL),
    certificate: certFile !== undefined && keyFile !== undefined ? { certFile, keyFile } : undefined,
    isProxy: proxies.length > 0 ? makeAddressSet(proxies) : undefined,
    signIn: signInNeeded(settings),
  };
}

/** Every setting of the reach that is missing or contradictory, a sentence each. */
export function reachFaults(settings: ReachSettings): string[] {
  const faults = [...httpsFaults(settings), ...homeFaults(settings), ...oidcFaults(settings)];
  if (!isLoopback(settings.CONSOLE_HOST)) faults.unshift(...outsideFaults(settings, faults.length > 0));
  return faults;
}

/**
 * Whether people must sign in even without users: where others can reach the console, or an identity provider is set. Otherwise
 * the first user makes sign-in necessary.
 */
export function signInNeeded({
  CONSOLE_HOST,
  CONSOLE_TRUST_PROXY,
  CONSOLE_OIDC_ISSUER,
}: Pick<Settings, 'CONSOLE_HOST' | 'CONSOLE_TRUST_PROXY' | 'CONSOLE_OIDC_ISSUER'>): boolean {
  return !isLoopback(CONSOLE_HOST) || CONSOLE_TRUST_PROXY.length > 0 || CONSOLE_OIDC_ISSUER !== undefined;
}

/**
 * Checks before the console listens that somebody can sign in, where sign-in is needed.
 *
 * @throws LimitlineError `SETTINGS` where there are neither users nor an identity provider
 */
export async function checkUsers(
  reach: Pick<Reach, 'signIn'>,
  { hasOidc, hasUsers }: { hasOidc: boolean; hasUsers: () => Promise<boolean> },
): Promise<void> {
  if (!reach.signIn || hasOidc || (await hasUsers())) return;
  const message = `Others can reach the console, and there is nobody who could sign in. ${ADD_USERS}`;
  throw new LimitlineError('SETTINGS', message);
}

const ADD_USERS =
  'Add a first user with npx limitline user add NAME --roles admin, or name an identity provider by CONSOLE_OIDC_ISSUER.';

function outsideFaults(settings: ReachSettings, hasOthers: boolean): string[] {
  const faults: string[] = [];
  if (!speaksHttps(settings)) {
    faults.push(
      'It needs HTTPS: CONSOLE_TLS_CERT_FILE and CONSOLE_TLS_KEY_FILE, or a proxy in front that CONSOLE_TRUST_PROXY names.',
    );
  }
  if (settings.CONSOLE_URL === undefined && settings.CONSOLE_TRUST_PROXY.length === 0) faults.push(NEEDS_URL);
  if (faults.length === 0 && !hasOthers) return [];
  if (settings.CONSOLE_OIDC_ISSUER === undefined) faults.push(`It needs people who sign in. ${ADD_USERS}`);
  return [
    `CONSOLE_HOST is "${settings.CONSOLE_HOST}", which other machines can reach.`,
    ...faults,
    'Or leave it at 127.0.0.1, and open the console through a tunnel (ssh -L 3000:127.0.0.1:3000).',
  ];
}

const NEEDS_URL = 'CONSOLE_URL is needed: the https:// address under which people open the console.';

function speaksHttps({ CONSOLE_TLS_CERT_FILE, CONSOLE_TLS_KEY_FILE, CONSOLE_TRUST_PROXY }: ReachSettings): boolean {
  return CONSOLE_TLS_CERT_FILE !== undefined || CONSOLE_TLS_KEY_FILE !== undefined || CONSOLE_TRUST_PROXY.length > 0;
}

function httpsFaults({ CONSOLE_TLS_CERT_FILE: certFile, CONSOLE_TLS_KEY_FILE: keyFile }: ReachSettings): string[] {
  if ((certFile === undefined) === (keyFile === undefined)) return [];
  const [given, missing] =
    keyFile === undefined
      ? ['CONSOLE_TLS_CERT_FILE', 'CONSOLE_TLS_KEY_FILE']
      : ['CONSOLE_TLS_KEY_FILE', 'CONSOLE_TLS_CERT_FILE'];
  return [`${given} is given, so ${missing} is needed too.`];
}

/**
 * The faults of the setting CONSOLE_URL, a sentence each. The address must be one for which browsers keep secrets (https, or this
 * machine), and must have no path.
 */
function homeFaults(settings: ReachSettings): string[] {
  const text = settings.CONSOLE_URL;
  if (text === undefined) return settings.CONSOLE_TRUST_PROXY.length > 0 ? [NEEDS_URL] : [];
  const { protocol, hostname, pathname, search, hash } = new URL(text);
  const faults: string[] = [];
  if (pathname !== '/' || search !== '' || hash !== '') {
    faults.push(`CONSOLE_URL is "${text}", but it must end behind the host: the console cannot stand below a path.`);
  }
  const https = speaksHttps(settings);
  if (protocol === 'https:' && !https) {
    faults.push(
      'CONSOLE_URL begins with https://, so CONSOLE_TLS_CERT_FILE and CONSOLE_TLS_KEY_FILE are needed, or CONSOLE_TRUST_PROXY, which names the proxy that speaks HTTPS.',
    );
  }
  if (protocol === 'http:' && (https || !isLoopback(hostname.replace(/^\[|\]$/g, '')))) {
    faults.push(`CONSOLE_URL is "${text}", but it must begin with https://.`);
  }
  return faults;
}
