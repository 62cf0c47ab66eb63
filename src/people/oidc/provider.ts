import * as client from 'openid-client';
import { type Dispatcher, fetch as fetchThrough, ProxyAgent } from 'undici';
import { LimitlineError, messageOf } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { onceAtATime } from '../../once-at-a-time.ts';
import { chooseProxy, type ProxySettings } from '../../proxy.ts';
import { HOUR_MS } from '../../time-units.ts';

/** Time limit of one request to the provider. A page waits for two at most: the provider's metadata, and a token. */
const LIMIT_S = 4;

/** The provider's metadata is read again after this time; it changes with versions, once in months. */
const KNOWN_FOR_MS = HOUR_MS;

/** After a failure the provider is not asked again for this long, whoever signs in. */
const LEFT_ALONE_MS = 2_000;

/** A begun sign-in: the URL for the browser, and the values that its end must match. */
export type Begun = { url: URL; state: string; nonce: string; verifier: string };

/** The values that the response at the end of a sign-in must match. */
export type Expected = Pick<Begun, 'state' | 'nonce' | 'verifier'>;

/** Why a person was not signed in: the provider refused, cannot be reached, or its response is not trusted. */
export type NotSignedInWhy = 'denied' | 'away' | 'not believed';

export type Claims = Readonly<Record<string, unknown>> & { iss: string; sub: string };

export type Provider = ReturnType<typeof makeProvider>;

/**
 * An OpenID provider. Its metadata is read at the first sign-in, so that a provider that is away does not keep the console from starting.
 *
 * Authorization code flow (OpenID Connect Core 1.0, section 3.1) with PKCE S256 (RFC 7636). The ID token is checked as section 3.1.3.7
 * says: issuer, audience, authorized party, nonce, times, and the signature with a published key of the provider. Signatures without a key
 * pair (`none`, HS256) are rejected even if the provider announces them. Keys are kept for five minutes; for an unknown key they are
 * fetched again, at most once a minute.
 */
export function makeProvider(given: ProviderGiven & { scopes: readonly string[]; log: Log }) {
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
      log.warn(
        { issuer, reason: describe(error) },
        'the identity provider gives no description of its sign-in that can be used',
      );
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
     * Begins a sign-in that ends at `redirect`; `anew` makes the provider ask a person who is already signed in (OpenID Connect Core 1.0,
     * section 3.1.2.1). @throws if the provider cannot be reached
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

    /** Ends a sign-in: exchanges the code for a person's claims. On failure the log says why, without personal data. */
    async finish(url: URL, expected: Expected): Promise<{ claims: Claims } | { why: NotSignedInWhy }> {
      try {
        const tokens = await client.authorizationCodeGrant(await configurationNow(), url, {
          expectedState: expected.state,
          expectedNonce: expected.nonce,
          pkceCodeVerifier: expected.verifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        // An empty subject would make all people of the provider one person.
        if (!claims?.sub.trim()) throw new Error('The ID token names nobody');
        return { claims };
      } catch (error) {
        const why = whyOf(error);
        log.warn({ issuer, reason: describe(error) }, `a sign-in at the identity provider failed: ${WHY_WORDS[why]}`);
        return { why };
      }
    },

    /** The URL that ends the session at the provider (RP-Initiated Logout 1.0); undefined if the provider has none. */
    endAddress(): string | undefined {
      if (known?.configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
      return client.buildEndSessionUrl(known.configuration).href;
    },
  };
}

/** Most bytes of a response: more than any provider's keys or tokens have. */
const LONGEST_BYTES = 1_024 * 1_024;

type Asked = { method: string; headers: Record<string, string>; body?: unknown; signal?: AbortSignal | undefined };

/**
 * A `fetch` for an identity provider, through the proxy that the settings name for its URL. It follows no redirect, so that no other host is
 * asked, and rejects responses of more than {@link LONGEST_BYTES}.
 */
export function makeIssuerFetch(settings: ProxySettings) {
  const agents = new Map<string, Dispatcher>();
  return async (url: string, asked: Asked): Promise<Response> => {
    const given = { ...asked, redirect: 'manual' } as const;
    const proxy = chooseProxy(url, settings);
    if (!proxy) return bounded(await fetch(url, given as RequestInit));
    const token = proxy.authorization !== undefined && { token: proxy.authorization };
    const agent = agents.get(proxy.url.href) ?? new ProxyAgent({ uri: proxy.url.href, ...token });
    agents.set(proxy.url.href, agent);
    const answer = await fetchThrough(url, { ...given, dispatcher: agent } as Parameters<typeof fetchThrough>[1]);
    return bounded(answer as unknown as Response);
  };
}

type ProviderGiven = {
  issuer: string;
  clientId: string;
  clientSecret: string | undefined;
  fetch: client.CustomFetch;
};

async function discover(given: ProviderGiven): Promise<client.Configuration> {
  const server = new URL(given.issuer);
  const configuration = await client.discovery(server, given.clientId, undefined, undefined, {
    [client.customFetch]: given.fetch,
    timeout: LIMIT_S,
    // An http issuer is on this machine: the settings allow no other.
    execute: server.protocol === 'http:' ? [client.allowInsecureRequests] : [],
  });
  const found = configuration.serverMetadata();
  // The issuer that the metadata names must be the one in the settings. Else a provider for many organisations would let in people of any
  // of them, by groups of the same name.
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
 * How the console authenticates to the provider: with the secret in the form if the provider supports that; else by Basic, the default
 * (OpenID Connect Core 1.0, section 9), whose percent-encoding some providers do not decode.
 */
function authenticationOf(secret: string | undefined, found: client.ServerMetadata): client.ClientAuth {
  if (secret === undefined) return client.None();
  const inForm = found.token_endpoint_auth_methods_supported?.includes('client_secret_post');
  return inForm ? client.ClientSecretPost(secret) : client.ClientSecretBasic(secret);
}

/** Why a sign-in failed, in words for the log. */
const WHY_WORDS: Record<NotSignedInWhy, string> = {
  denied: 'the provider or the person refused it',
  away: 'the provider gave no usable answer',
  'not believed': 'the answer did not pass the checks of Limitline',
};

function whyOf(error: unknown): NotSignedInWhy {
  if (error instanceof client.AuthorizationResponseError) return 'denied';
  if (error instanceof client.ClientError || error instanceof client.ResponseBodyError) {
    return AWAY.has(error.code ?? '') || isBroken(error.cause) ? 'away' : 'not believed';
  }
  return isBroken(error) ? 'away' : 'not believed';
}

const AWAY = new Set(['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON']);

/** Whether an error of `fetch` means that the connection could not be made, or broke. */
const isBroken = (error: unknown): boolean => error instanceof TypeError && error.message === 'fetch failed';

/** An error as text for the log: codes and names of claims, without the claims' values. */
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

async function bounded(answer: Response): Promise<Response> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of answer.body ?? []) {
    bytes += piece.byteLength;
    if (bytes > LONGEST_BYTES) throw new Error(`The answer has more than ${LONGEST_BYTES} bytes`);
    pieces.push(piece);
  }
  const { status, headers } = answer;
  const body = pieces.length === 0 ? null : Buffer.concat(pieces);
  return new Response(body, { status, headers: new Headers([...headers]) });
}
