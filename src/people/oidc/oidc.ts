import { createHash, randomBytes } from 'node:crypto';
import { isLoopback } from '../../addresses.ts';
import type { Settings } from '../../config.ts';
import type { RedisConnection } from '../../lua-script.ts';
import { writeAnyway } from '../../redis-memory/memory.ts';
import type { Person } from '../person.ts';
import { type GroupRoles, groupsOf, rolesOfGroups } from './group-roles.ts';
import type { Claims, NotSignedInWhy, Provider } from './provider.ts';

/** How the provider authenticated the person, if it says (RFC 8176; OpenID Connect Core 1.0, section 2). */
type Strength = { amr?: string[]; acr?: string };

/** What a sign-in at the identity provider led to. `to`: the page of the console to which the browser is sent. */
export type OidcAnswer =
  | { is: 'in'; person: Person; strength: Strength; to: string }
  /**
   * The outcomes of a sign-in for an approval. `not anew`: another person signed in, the person's groups do not approve any more, or the
   * provider does not prove that it asked the person again.
   */
  | { is: 'anew'; for: Anew; to: string }
  | { is: 'not anew'; by: string; to: string }
  /** Signed in, but in no group that has roles here. */
  | { is: 'no role'; by: string; to: string }
  | { is: 'no'; why: NotSignedInWhy; to: string }
  /** The sign-in was not begun by this browser, expired, or was used before. */
  | { is: 'unknown' };

export type Oidc = ReturnType<typeof makeOidc>;

/** Sign-in at an identity provider; its pages are in src/console/sign-in/add-oidc-sign-in.ts. */
export function makeOidc(options: {
  provider: Pick<Provider, 'issuer' | 'begin' | 'finish' | 'endAddress'>;
  signIns: ReturnType<typeof makeSignIns>;
  nameOf: (claims: Claims) => Promise<string>;
  groupsClaim: string;
  groupRoles: readonly GroupRoles[];
}) {
  const { provider, signIns, nameOf, groupsClaim, groupRoles } = options;
  return {
    /** The provider's name for people. */
    name: new URL(provider.issuer).host,
    /** The groups that have roles here. */
    groups: groupRoles.map(({ group }) => group),
    endAddress: provider.endAddress,

    /**
     * Begins a sign-in. Answers the URL for the browser.
     *
     * @param given.browser the browser's name, see {@link browserName}
     * @param given.redirect the URL to which the provider sends the browser back
     * @param given.to the page that the person wants
     * @param given.anew for a person with a session: why they sign in again
     * @throws if the provider cannot be reached
     */
    async begin(given: { browser: string; redirect: string; to: string; anew?: Anew | undefined }): Promise<URL> {
      const { browser, redirect, to, anew } = given;
      const { url, ...begun } = await provider.begin(redirect, anew !== undefined);
      await signIns.begin(browser, { ...begun, to, anew });
      return url;
    },

    /** Ends a sign-in, by the URL with which the browser came back. */
    async finish({ browser, url }: { browser: string | undefined; url: URL }): Promise<OidcAnswer> {
      const state = url.searchParams.get('state');
      const signIn = await signIns.take(browser, state);
      if (!signIn || state === null) return { is: 'unknown' };
      const { to, nonce, verifier, anew } = signIn;
      const answer = await provider.finish(url, { state, nonce, verifier });
      if ('why' in answer) return { is: 'no', why: answer.why, to };
      const by = await nameOf(answer.claims);
      const roles = rolesOfGroups(groupsOf(answer.claims, groupsClaim), groupRoles);
      if (anew) {
        // Without `auth_time`, or with one that is still to come, the provider may not have asked the person again.
        const { auth_time: atS } = answer.claims;
        const isOfThen =
          typeof atS === 'number' && atS >= anew.beganS - LEEWAY_S && atS <= Date.now() / 1_000 + LEEWAY_S;
        return by === anew.by && isOfThen && roles.includes('approver')
          ? { is: 'anew', for: anew, to }
          : { is: 'not anew', by, to };
      }
      return roles.length === 0
        ? { is: 'no role', by, to }
        : { is: 'in', person: { by, roles }, strength: strengthOf(answer.claims), to };
    },
  };
}

/** Allowed difference between the clocks of two hosts. */
const LEEWAY_S = 30;

/** Most characters kept of each value by which the provider says how it authenticated the person. */
const LONGEST = 100;

function strengthOf({ amr, acr }: Claims): Strength {
  const methods = Array.isArray(amr) ? amr.filter((one) => typeof one === 'string') : [];
  return {
    ...(methods.length > 0 ? { amr: methods.slice(0, 10).map((one) => one.slice(0, LONGEST)) } : {}),
    ...(typeof acr === 'string' ? { acr: acr.slice(0, LONGEST) } : {}),
  };
}

/** Time for the provider's page, including extra steps such as a phone or a new password. */
export const UNDER_WAY_S = 600;

/** Form of a browser's name, which is the value in its cookie. */
const BROWSER = /^[\w-]{43}$/;

/** Why a person with a session signs in again: for which approval, whose session it is, and since when. */
export type Anew = { approval: string; by: string; session: string; beganS: number };

/** A sign-in that is under way. */
type SignIn = { nonce: string; verifier: string; to: string; anew?: Anew | undefined };

/** The name of a browser, for a cookie: 256 random bits. An existing name is kept, so that two tabs can sign in. */
export function browserName(given: string | undefined): string {
  return given !== undefined && BROWSER.test(given) ? given : randomBytes(32).toString('base64url');
}

/**
 * Sign-ins that are under way, in Redis, so that they can end at another host than they began. Each is found once, by its browser and its
 * `state` together: a response that comes with another browser (CSRF, mix-up) or again finds nothing.
 */
export function makeSignIns(given: { connection: RedisConnection; keys: { signIn: (digest: string) => string } }) {
  const { connection, keys } = given;
  // Redis only has a digest of the browser's name and `state`, so that a reader of Redis cannot end somebody's sign-in.
  const keyOf = (browser: string, state: string): string =>
    keys.signIn(createHash('sha256').update(`${browser} ${state}`).digest('hex'));
  return {
    async begin(browser: string, { state, ...signIn }: SignIn & { state: string }): Promise<void> {
      await writeAnyway(connection, 'SET', keyOf(browser, state), JSON.stringify(signIn), 'EX', UNDER_WAY_S);
    },
    async take(browser: string | undefined, state: string | null): Promise<SignIn | undefined> {
      if (browser === undefined || !BROWSER.test(browser) || state === null) return undefined;
      const text = await connection.getdel(keyOf(browser, state));
      return text === null ? undefined : (JSON.parse(text) as SignIn);
    },
  };
}

type OidcSettings = Pick<
  Settings,
  'CONSOLE_OIDC_ISSUER' | 'CONSOLE_OIDC_CLIENT_ID' | 'CONSOLE_OIDC_SCOPES' | 'CONSOLE_OIDC_ROLES'
>;

/** Faults in the settings for sign-in at an identity provider, a sentence each. */
export function oidcFaults(settings: OidcSettings): string[] {
  const issuer = settings.CONSOLE_OIDC_ISSUER;
  if (issuer === undefined) {
    const isMeant = settings.CONSOLE_OIDC_CLIENT_ID !== undefined || settings.CONSOLE_OIDC_ROLES.length > 0;
    return isMeant
      ? ['CONSOLE_OIDC_CLIENT_ID or CONSOLE_OIDC_ROLES is given, so CONSOLE_OIDC_ISSUER is needed too.']
      : [];
  }
  const faults: string[] = [];
  const { protocol, hostname } = new URL(issuer);
  // RFC 8414, section 2, requires https. An http issuer is allowed on this machine, for trying.
  if (protocol !== 'https:' && !isLoopback(hostname.replace(/^\[|\]$/g, ''))) {
    faults.push(`CONSOLE_OIDC_ISSUER is "${issuer}", but it must begin with https://.`);
  }
  if (settings.CONSOLE_OIDC_CLIENT_ID === undefined) {
    faults.push('CONSOLE_OIDC_ISSUER is given, so CONSOLE_OIDC_CLIENT_ID is needed too.');
  }
  if (settings.CONSOLE_OIDC_ROLES.length === 0) {
    faults.push(
      'CONSOLE_OIDC_ISSUER is given, so CONSOLE_OIDC_ROLES is needed too: what the people of which group may do, such as "finance-team=finance, heads=approver+viewer".',
    );
  }
  if (!settings.CONSOLE_OIDC_SCOPES.includes('openid')) faults.push('CONSOLE_OIDC_SCOPES must have openid among them.');
  return faults;
}
