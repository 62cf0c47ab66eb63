import type { Audit } from '../../audit/audit.ts';
import type { ConsoleApp } from '../console-app.ts';
import { addOidcSignIn, type OidcFunctions } from './add-oidc-sign-in.ts';
import { addSignIn } from './add-sign-in.ts';
import { addSignInSteps } from './add-sign-in-steps.ts';
import { addSignOut } from './add-sign-out.ts';
import type { Devices } from './device-cookie.ts';
import type { Know } from './hold-tries.ts';
import type { Gate } from './make-gate.ts';
import type { GateFunctions } from './people-functions.ts';
import type { SignInFunctions } from './sign-in-functions.ts';

/** How people sign in to a console; made in scripts/console/people/sign-in.ts. */
export type SignInOptions = {
  gate: GateFunctions;
  functions: SignInFunctions;
  audit: Audit;
  /** What tokens of forms are made with: the same on all hosts of the installation. */
  formKey: Buffer;
  /** Where people sign in at an identity provider. */
  oidc?: OidcFunctions | undefined;
};

/** The sign-in, its steps, and the way out. */
export function addSignInPages(
  app: ConsoleApp,
  given: Omit<SignInOptions, 'gate'> & { gate: Gate; know: Know; devices: Devices },
): void {
  const { functions, audit, gate, know, devices } = given;
  const steps = { functions, audit, cookie: gate.cookie, gate, know, devices };
  addSignIn(app, { ...steps, isNeeded: gate.isNeeded });
  addSignInSteps(app, steps);
  if (given.oidc) addOidcSignIn(app, { ...steps, ...given.oidc });
  addSignOut(app, steps);
}
