import { createServer, type RequestListener } from 'node:http';
import { Provider } from 'oidc-provider';
import { vi } from 'vitest';
import { CLIENT, type makeCookieJar } from './oidc-console.ts';
import { portOf } from './tls-service.ts';

/** The claims of a person, by the name for signing in at the provider. */
export type Account = { preferred_username?: string; email?: string; groups?: readonly string[] };

/**
 * A real OpenID provider on this machine, with its own pages for signing in and consenting. It accepts any password.
 * `open` sets the redirect address, because the address of the console is known only after the provider's.
 */
export async function startOidcProvider(accounts: Record<string, Account>) {
  let answer: RequestListener = (_request, response) => void response.writeHead(503).end();
  const server = createServer((request, response) => answer(request, response));
  const issuer = `http://127.0.0.1:${await portOf(server)}`;
  return {
    issuer,
    open(redirects: string[]): void {
      // The package prints a warning that its pages and keys are for trying.
      const silent = [vi.spyOn(console, 'info'), vi.spyOn(console, 'warn')].map((spy) =>
        spy.mockImplementation(() => {}),
      );
      answer = makeProvider(issuer, accounts, redirects).callback();
      for (const spy of silent) spy.mockRestore();
    },
  };
}

function makeProvider(issuer: string, accounts: Record<string, Account>, redirects: string[]): Provider {
  return new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: redirects,
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    cookies: { keys: ['for a test'] },
    pkce: { required: () => true },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, AuthorizationCode: 60, IdToken: 600 },
    // Groups are read from the ID token.
    conformIdTokenClaims: false,
    claims: { openid: ['sub'], profile: ['preferred_username', 'groups'], email: ['email'] },
    findAccount: async (_context, id) =>
      id in accounts
        ? { accountId: id, claims: async () => ({ sub: `subject of ${id}`, ...accounts[id] }) }
        : undefined,
  });
}

/** Signs a person in at the pages of the provider, without a browser. Returns the address of the final redirect. */
export async function passProvider(
  jar: ReturnType<typeof makeCookieJar>,
  { from, issuer, name }: { from: string; issuer: string; name: string },
): Promise<string> {
  let at = from;
  // Two pages and the redirects around them.
  for (let steps = 0; at.startsWith(issuer) && steps < 12; steps += 1) {
    const { to, text } = await jar.ask(at);
    if (to !== undefined) {
      at = to;
      continue;
    }
    const [, action = ''] = /<form[^>]* action="([^"]+)"/.exec(text) ?? [];
    const [, prompt = ''] = /name="prompt" value="([^"]+)"/.exec(text) ?? [];
    const sent = await jar.ask(action, { method: 'POST', form: { prompt, login: name, password: 'any' } });
    at = sent.to ?? at;
  }
  return at;
}
