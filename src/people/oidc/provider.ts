import * as client from 'openid-client';
import { LimitlineError, messageOf } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { onceAtATime } from '../../once-at-a-time.ts';

/** One question to the provider. A page waits for two of them at the most: what there is, and a token. */
const LIMIT_S = 4;

/** What a provider says of itself is asked for again after this: it changes with its versions, once in months. */
const KNOWN_FOR_MS = 3_600_000;

/** One that does not answer is not asked again by the next person, and the next, before this is over. */
const LEFT_ALONE_MS = 2_000;

/** A sign-in that was begun: where the person goes, and what its end is held against. */
export type Begun = { url: URL; state: string; nonce: string; verifier: string };

/** What its end is held against. */
export type Expected = Pick<Begun, 'state' | 'nonce' | 'verifier'>;

/** Why somebody was not signed in: the provider did not, cannot be asked, or its answer is not believed. */
export type NotSignedInWhy = 'denied' | 'away' | 'not believed';

export type Claims = Readonly<Record<string, unknown>> & { iss: string; sub: string };

export type Provider = ReturnType<typeof makeProvider>;

/**
 * An OpenID provider, asked for what it says of itself when somebody first signs in, so that one that is away keeps nothing
 * from starting.
 *
 * Authorization code flow (OpenID Connect Core 1.0, section 3.1) with PKCE S256 (RFC 7636). Of the ID token everything is
 * checked that section 3.1.3.7 names: issuer, audience, authorized party, nonce, times, and its signature with a key that the
 * provider publishes. Signatures without a key pair (`none`, HS256) are not believed whatever the provider says of itself. Keys are
 * kept for five minutes; for one that is not known they are fetched again, once a minute at the most.
 */
export function makeProvider(given: {
  issuer: string;
  clientId: string;
  clientSecret: string | undefined;
  scopes: readonly string[];
  fetch: client.CustomFetch;
  log: Log;
}) {
  const { issuer, log } = given;
  let known: { configuration: client.Configuration; atMs: number } | undefined;
  let failed: { error: unknown; atMs: number } | undefined;

  const ask = onceAtATime(async (): Promise<client.Configuration> => {
    try {
      const configuration = await discover(given);
      known = { configuration, atMs: performance.now() };
      failed = undefined;
      return configuration;
    } catch (error) {
      failed = { error, atMs: performance.now() };
      log.warn({ issuer, reason: describe(error) }, 'the identity provider does not say how to sign in');
      if (known) return known.configuration;
      throw error;
    }
  });
  const configurationNow = (): Promise<client.Configuration> => {
    const nowMs = performance.now();
    const isLeftAlone = failed !== undefined && nowMs - failed.atMs < LEFT_ALONE_MS;
    if (known && (isLeftAlone || nowMs - known.atMs < KNOWN_FOR_MS)) return Promise.resolve(known.configuration);
    if (isLeftAlone) return Promise.reject(failed?.error);
    return ask();
  };

  return {
    issuer,

    /**
     * Begins a sign-in that ends at `redirect`; `anew` asks for one of whoever is signed in there already (OpenID Connect Core 1.0,
     * section 3.1.2.1). @throws when the provider cannot be asked
     */
    async begin(redirect: string, anew = false): Promise<Begun> {
      const configuration = await configurationNow();
      const [state, nonce, verifier] = [client.randomState(), client.randomNonce(), client.randomPKCECodeVerifier()];
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: redirect,
        scope: given.scopes.join(' '),
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
        ...(anew && { prompt: 'login', max_age: '0' }),
      });
      return { url, state, nonce, verifier };
    },

    /** Ends it: the code becomes the claims of a person, or nothing, and the log says why in words without anything of theirs. */
    async finish(url: URL, expected: Expected): Promise<{ claims: Claims } | { why: NotSignedInWhy }> {
      try {
        const tokens = await client.authorizationCodeGrant(await configurationNow(), url, {
          expectedState: expected.state,
          expectedNonce: expected.nonce,
          pkceCodeVerifier: expected.verifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        return claims ? { claims } : { why: 'not believed' };
      } catch (error) {
        const why = whyOf(error);
        log.warn({ issuer, reason: describe(error) }, `a sign-in at the identity provider came to nothing: ${why}`);
        return { why };
      }
    },

    /** Where somebody ends their session at the provider itself (RP-Initiated Logout 1.0); undefined where there is no such place. */
    endAddress(): string | undefined {
      if (known?.configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
      return client.buildEndSessionUrl(known.configuration).href;
    },
  };
}

async function discover(given: {
  issuer: string;
  clientId: string;
  clientSecret: string | undefined;
  fetch: client.CustomFetch;
}): Promise<client.Configuration> {
  const server = new URL(given.issuer);
  const configuration = await client.discovery(server, given.clientId, undefined, undefined, {
    [client.customFetch]: given.fetch,
    timeout: LIMIT_S,
    // Settings let http pass on this machine alone.
    execute: server.protocol === 'http:' ? [client.allowInsecureRequests] : [],
  });
  const found = configuration.serverMetadata();
  // A provider that speaks for many organisations would let people of any of them in, by groups of the same name.
  if (new URL(found.issuer).href !== server.href) {
    throw new LimitlineError('SETTINGS', 'The provider calls itself by another address than CONSOLE_OIDC_ISSUER');
  }
  const ours = new client.Configuration(found, given.clientId, undefined, authenticationOf(given.clientSecret, found));
  ours[client.customFetch] = given.fetch;
  ours.timeout = LIMIT_S;
  if (server.protocol === 'http:') client.allowInsecureRequests(ours);
  client.enableNonRepudiationChecks(ours);
  return ours;
}

/**
 * How the console says who it is: in the form, where the provider takes that; else by Basic, which is meant where nothing is said
 * (OpenID Connect Core 1.0, section 9), and whose percent signs some providers do not read.
 */
function authenticationOf(secret: string | undefined, found: client.ServerMetadata): client.ClientAuth {
  if (secret === undefined) return client.None();
  const inForm = found.token_endpoint_auth_methods_supported?.includes('client_secret_post');
  return inForm ? client.ClientSecretPost(secret) : client.ClientSecretBasic(secret);
}

function whyOf(error: unknown): NotSignedInWhy {
  if (error instanceof client.AuthorizationResponseError) return 'denied';
  if (error instanceof client.ClientError || error instanceof client.ResponseBodyError) {
    return AWAY.has(error.code ?? '') || isBroken(error.cause) ? 'away' : 'not believed';
  }
  return isBroken(error) ? 'away' : 'not believed';
}

const AWAY = new Set(['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON']);

/** What `fetch` throws where a connection cannot be made, or breaks. */
function isBroken(error: unknown): boolean {
  return error instanceof TypeError && error.message === 'fetch failed';
}

/** Codes of errors and the names of claims, without what stood in them. */
function describe(error: unknown): string {
  const words: string[] = [];
  for (let one: unknown = error; one instanceof Error && words.length < 4; one = one.cause) {
    const { code } = one as NodeJS.ErrnoException;
    words.push(one instanceof client.AuthorizationResponseError ? one.error : (code ?? messageOf(one)));
    const { claim } = (one.cause ?? {}) as { claim?: unknown };
    if (typeof claim === 'string') words.push(claim);
  }
  return words.join(', ').slice(0, 300);
}
