import { makeCookieJar } from './cookie-jar.ts';
import { type ForgedProvider, type Forgery, startForgedProvider } from './forged-provider.ts';
import { openOidcConsole } from './oidc-console.ts';

export type OidcConsole = Awaited<ReturnType<typeof openOidcConsole>>;
export const SESSION = '__Host-limitline-test';

export async function openSignIn(given: Partial<Parameters<typeof openOidcConsole>[0]> = {}, says = {}) {
  const provider = await startForgedProvider({ says });
  const web = await openOidcConsole({ issuer: provider.issuer, ...given });
  return { provider, web };
}

/** A browser that began, and what it was led to. */
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
