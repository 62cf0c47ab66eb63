import type { Context } from '../../../src/context.ts';
import { makeSharedKeys } from '../../../src/ledger/keys.ts';
import { readGroupRoles } from '../../../src/people/oidc/group-roles.ts';
import { makeIssuerFetch } from '../../../src/people/oidc/issuer-fetch.ts';
import { makeOidc, type Oidc } from '../../../src/people/oidc/oidc.ts';
import { makePersonNames } from '../../../src/people/oidc/person-names.ts';
import { makeProvider } from '../../../src/people/oidc/provider.ts';
import { makeSignIns } from '../../../src/people/oidc/sign-ins.ts';

/** Sign-in at the identity provider that the settings name, if they name one. It is not asked for anything yet. */
export function openOidc({ settings, ledger, log }: Pick<Context, 'settings' | 'ledger' | 'log'>): Oidc | undefined {
  const { CONSOLE_OIDC_ISSUER: issuer, CONSOLE_OIDC_CLIENT_ID: clientId } = settings;
  if (issuer === undefined || clientId === undefined) return undefined;
  const keys = makeSharedKeys(settings.LIMITLINE_PREFIX);
  return makeOidc({
    provider: makeProvider({
      issuer,
      clientId,
      clientSecret: settings.CONSOLE_OIDC_CLIENT_SECRET,
      scopes: settings.CONSOLE_OIDC_SCOPES,
      fetch: makeIssuerFetch(settings),
      log,
    }),
    signIns: makeSignIns({ connection: ledger, keys }),
    nameOf: makePersonNames({ connection: ledger, keys }),
    groupsClaim: settings.CONSOLE_OIDC_GROUPS_CLAIM,
    groupRoles: settings.CONSOLE_OIDC_ROLES.flatMap((pair) => readGroupRoles(pair) ?? []),
  });
}
