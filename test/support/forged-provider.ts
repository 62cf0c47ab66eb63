import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { CLIENT, makeCookieJar, openOidcConsole } from './oidc-console.ts';
import { portOf } from './tls-service.ts';

/** A key pair of a provider. */
export type Pair = { kid: string; privateKey: KeyObject; publicKey: KeyObject };

export function makePair(kid: string): Pair {
  return { kid, ...generateKeyPairSync('rsa', { modulusLength: 2_048 }) };
}

/** The key pair of each provider: a new one for each test would take most of its time. */
let firstPair: Pair | undefined;

/** The faults of a provider, one at a time. */
export type Forgery = {
  claims?: Record<string, unknown>;
  /**
   * The algorithm in the token's header; `none` leaves the signature out, and HS256 uses the public key as its secret.
   */
  alg?: 'RS256' | 'none' | 'HS256';
  /** The signing key pair with its key id. */
  pair?: Pair;
  kid?: string;
  /** Further header fields, such as the address of the key. */
  head?: (pair: Pair) => Record<string, unknown>;
  /** The signature is of another text. */
  broken?: boolean;
  /** The answer has no token. */
  silent?: boolean;
  status?: number;
};

export type ForgedProvider = Awaited<ReturnType<typeof startForgedProvider>>;

/**
 * An identity provider whose answers the test chooses. Nobody signs in there: the test takes the nonce from the address
 * to which the console redirects, and returns with a code.
 */
export async function startForgedProvider({ says = {} }: { says?: Record<string, unknown> } = {}) {
  firstPair ??= makePair('first');
  const first = firstPair;
  const state = { published: [first], forgery: {} as Forgery, nonce: '', says, isDown: false, redirected: '' };
  const asked: { path: string; form: URLSearchParams; authorization: string | undefined }[] = [];
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    asked.push({ path, form: new URLSearchParams(await text(request)), authorization: request.headers.authorization });
    const answer = (body: unknown, status = 200) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (state.isDown) return void request.socket.destroy();
    if (path === state.redirected) return void response.writeHead(302, { location: `${path}/elsewhere` }).end();
    if (path === '/.well-known/openid-configuration') return void answer({ ...metadata(), ...state.says });
    if (path === '/jwks') return void answer({ keys: state.published.map(publicOf) });
    if (path === '/token') return void answer(...tokens());
    return void answer({}, 404);
  });
  const issuer = `http://127.0.0.1:${await portOf(server)}`;

  function metadata() {
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      end_session_endpoint: `${issuer}/end`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    };
  }

  function tokens(): [unknown, number] {
    const { forgery } = state;
    if (forgery.status !== undefined) return [{ error: 'invalid_grant' }, forgery.status];
    const id = forgery.silent ? {} : { id_token: tokenOf(forgery) };
    return [{ access_token: 'access', token_type: 'bearer', expires_in: 60, ...id }, 200];
  }

  function tokenOf(given: Forgery): string {
    const { claims = {}, alg = 'RS256', pair = first, kid = pair.kid, head, broken = false } = given;
    const now = Math.floor(Date.now() / 1_000);
    const body = {
      iss: issuer,
      aud: CLIENT.id,
      sub: 'subject-1',
      nonce: state.nonce,
      iat: now,
      exp: now + 60,
      preferred_username: 'alice@example.com',
      groups: ['heads'],
      ...claims,
    };
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const signed = `${part({ alg, kid, typ: 'JWT', ...head?.(pair) })}.${part(body)}`;
    const over = broken ? `${signed}x` : signed;
    if (alg === 'none') return `${signed}.`;
    if (alg === 'HS256') {
      const secret = pair.publicKey.export({ type: 'spki', format: 'pem' });
      return `${signed}.${createHmac('sha256', secret).update(over).digest('base64url')}`;
    }
    return `${signed}.${sign('sha256', Buffer.from(over), pair.privateKey).toString('base64url')}`;
  }

  return {
    issuer,
    first,
    asked,
    state,
    /** The number of requests for this path. */
    count: (path: string) => asked.filter((one) => one.path === path).length,
  };
}

export function publicOf({ kid, publicKey }: Pair) {
  return { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' };
}

export type OidcConsole = Awaited<ReturnType<typeof openOidcConsole>>;
export const SESSION = '__Host-limitline-test';

export async function openSignIn(given: Partial<Parameters<typeof openOidcConsole>[0]> = {}, says = {}) {
  const provider = await startForgedProvider({ says });
  const web = await openOidcConsole({ issuer: provider.issuer, ...given });
  return { provider, web };
}

/** A browser that began to sign in, and the address to which it was redirected. */
export async function begin({ web, provider }: { web: OidcConsole; provider: ForgedProvider }, to = '/held') {
  const jar = makeCookieJar();
  const { status, to: there = '' } = await jar.ask(`${web.url}/sign-in/oidc?to=${encodeURIComponent(to)}`);
  const query = status === 303 ? new URL(there).searchParams : new URLSearchParams();
  provider.state.nonce = query.get('nonce') ?? '';
  const back = `${web.url}/sign-in/oidc/callback?code=good&state=${query.get('state')}`;
  return { jar, query, back, there, status };
}

export async function signIn(both: { web: OidcConsole; provider: ForgedProvider }, forgery: Forgery = {}) {
  const begun = await begin(both);
  both.provider.state.forgery = forgery;
  const answer = await begun.jar.ask(begun.back);
  return { ...begun, answer, session: begun.jar.cookiesOf(both.web.url).get(SESSION) };
}
