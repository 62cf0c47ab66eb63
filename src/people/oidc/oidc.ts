import type { Person } from '../person.ts';
import { type GroupRoles, groupsOf, rolesOfGroups } from './group-roles.ts';
import type { Claims, NotSignedInWhy, Provider } from './provider.ts';
import type { Anew, makeSignIns } from './sign-ins.ts';

/** How the provider says that it knew the person, where it says so (RFC 8176; OpenID Connect Core 1.0, section 2). */
type Strength = { amr?: string[]; acr?: string };

/** What came of a sign-in at the identity provider. */
export type OidcAnswer =
  | { is: 'in'; person: Person; strength: Strength; to: string }
  /** Signed in anew, for an approval; or not, or another person did. */
  | { is: 'anew'; for: Anew; to: string }
  | { is: 'not anew'; by: string; to: string }
  /** Known, but of no group that counts here. */
  | { is: 'no role'; by: string; to: string }
  | { is: 'no'; why: NotSignedInWhy; to: string }
  /** Not begun by this browser, too old, or brought before. */
  | { is: 'unknown' };

export type Oidc = ReturnType<typeof makeOidc>;

/** Sign-in at an identity provider: where it begins and ends is src/console/sign-in/add-oidc-sign-in.ts. */
export function makeOidc({
  provider,
  signIns,
  nameOf,
  groupsClaim,
  groupRoles,
}: {
  provider: Pick<Provider, 'issuer' | 'begin' | 'finish' | 'endAddress'>;
  signIns: ReturnType<typeof makeSignIns>;
  nameOf: (claims: Claims) => Promise<string>;
  groupsClaim: string;
  groupRoles: readonly GroupRoles[];
}) {
  return {
    /** The provider's name for people. */
    name: new URL(provider.issuer).host,
    /** The groups whose people may do anything here. */
    groups: groupRoles.map(({ group }) => group),
    endAddress: provider.endAddress,

    /**
     * Begins a sign-in. Answers where the browser goes.
     *
     * @param given.browser its name, see {@link browserName}
     * @param given.redirect where the provider sends it back to
     * @param given.to where the person wants to be
     * @param given.anew what somebody who has a session signs in again for
     * @throws when the provider cannot be asked
     */
    async begin({
      browser,
      redirect,
      to,
      anew,
    }: {
      browser: string;
      redirect: string;
      to: string;
      anew?: Anew | undefined;
    }): Promise<URL> {
      const { url, ...begun } = await provider.begin(redirect, anew !== undefined);
      await signIns.begin(browser, { ...begun, to, anew });
      return url;
    },

    /** Ends it, by the address under which the browser came back. */
    async finish({ browser, url }: { browser: string | undefined; url: URL }): Promise<OidcAnswer> {
      const state = url.searchParams.get('state');
      const signIn = await signIns.take(browser, state);
      if (!signIn || state === null) return { is: 'unknown' };
      const { to, nonce, verifier, anew } = signIn;
      const answer = await provider.finish(url, { state, nonce, verifier });
      if ('why' in answer) return { is: 'no', why: answer.why, to };
      const by = await nameOf(answer.claims);
      if (anew) {
        // A provider that does not say when it asked may not have asked at all.
        const { auth_time: atS } = answer.claims;
        const isAnew = by === anew.by && typeof atS === 'number' && atS >= anew.beganS - LEEWAY_S;
        return isAnew ? { is: 'anew', for: anew, to } : { is: 'not anew', by, to };
      }
      const roles = rolesOfGroups(groupsOf(answer.claims, groupsClaim), groupRoles);
      return roles.length === 0
        ? { is: 'no role', by, to }
        : { is: 'in', person: { by, roles }, strength: strengthOf(answer.claims), to };
    },
  };
}

/** Clocks of two hosts differ by as much. */
const LEEWAY_S = 30;

/** So much is kept of each word of theirs. */
const LONGEST = 100;

function strengthOf({ amr, acr }: Claims): Strength {
  const methods = Array.isArray(amr) ? amr.filter((one) => typeof one === 'string') : [];
  return {
    ...(methods.length > 0 ? { amr: methods.slice(0, 10).map((one) => one.slice(0, LONGEST)) } : {}),
    ...(typeof acr === 'string' ? { acr: acr.slice(0, LONGEST) } : {}),
  };
}
