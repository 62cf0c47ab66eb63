import type { ConsoleApp } from '../console-app.ts';
import { addressAfterSignOut } from './add-oidc-sign-in.ts';
import type { SignInGiven } from './add-sign-in.ts';
import { takeToken } from './session-cookie.ts';

/**
 * `POST /sign-out`: the session ends in Redis, for whoever knows its token, and the browser forgets what it keeps of the console:
 * its cache, with the pages that it would show when somebody goes back. Its cookies are not all cleared (`"cookies"`): that
 * would take those of every other program under this name as well (Clear Site Data, section 3.1).
 */
export function addSignOut(app: ConsoleApp, { functions, audit, cookie, gate }: SignInGiven): void {
  app.post(
    '/sign-out',
    {
      onRequest: async (request, reply) => {
        await gate.readSession(request);
        // It ended by itself, and the token of the form with it.
        if (!request.signedIn) return reply.redirect('/sign-in', 303);
      },
      preHandler: app.csrfProtection,
    },
    async ({ signedIn, ip }, reply) => {
      if (signedIn) {
        await functions.end(signedIn.token);
        await audit.note({ by: signedIn.person.by, what: 'session ended', from: ip, facts: { by: 'sign-out' } });
      }
      takeToken(reply, cookie);
      const next = signedIn ? addressAfterSignOut(signedIn.person.by) : '/sign-in';
      return reply.header('clear-site-data', '"cache"').redirect(next, 303);
    },
  );
}
