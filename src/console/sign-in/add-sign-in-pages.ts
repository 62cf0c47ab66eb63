import type { Audit } from '../../audit/audit.ts';
import type { ConsoleApp } from '../console-app.ts';
import { addOidcSignIn, addressAfterSignOut, type OidcFunctions } from './add-oidc-sign-in.ts';
import { addSignIn, addSignInSteps, type SignInGiven } from './add-sign-in.ts';
import type { Know } from './hold-tries.ts';
import type { SessionGate } from './make-gate.ts';
import type { GateFunctions, SignInFunctions } from './people-functions.ts';
import { type Devices, takeToken } from './session-cookie.ts';

/** How people sign in to a console; made in scripts/console/people/sign-in.ts. */
export type SignInOptions = {
  gate: GateFunctions;
  functions: SignInFunctions;
  audit: Audit;
  /** The key of form tokens, the same on all hosts of the installation. */
  formKey: Buffer;
  /** Sign-in at an identity provider, where one is set. */
  oidc?: OidcFunctions | undefined;
};

/** Adds the pages of sign-in, its steps, and sign-out. */
export function addSignInPages(
  app: ConsoleApp,
  given: Omit<SignInOptions, 'gate'> & { gate: SessionGate; know: Know; devices: Devices },
): void {
  const { functions, audit, gate, know, devices } = given;
  const steps = { functions, audit, cookie: gate.cookie, gate, know, devices };
  addSignIn(app, { ...steps, isNeeded: gate.isNeeded });
  addSignInSteps(app, steps);
  if (given.oidc) addOidcSignIn(app, { ...steps, ...given.oidc });
  addSignOut(app, steps);
}

/**
 * `POST /sign-out`: ends the session in Redis, and clears the browser's cache, whose pages "back" would show. The header does not
 * name `"cookies"`, which would also delete cookies of other programs under this host (Clear Site Data, section 3.1).
 */
function addSignOut(app: ConsoleApp, { functions, audit, cookie, gate }: SignInGiven): void {
  app.post(
    '/sign-out',
    {
      onRequest: async (request, reply) => {
        await gate.readSession(request);
        // Without a session there is nothing to end, and no form token to check: the person is led to the sign-in.
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
