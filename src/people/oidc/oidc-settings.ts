import { isLoopback } from '../../addresses.ts';
import type { Settings } from '../../config.ts';

type OidcSettings = Pick<
  Settings,
  'CONSOLE_OIDC_ISSUER' | 'CONSOLE_OIDC_CLIENT_ID' | 'CONSOLE_OIDC_SCOPES' | 'CONSOLE_OIDC_ROLES'
>;

/** Faults in the settings for sign-in at an identity provider, a sentence each. */
export function oidcFaults(settings: OidcSettings): string[] {
  const issuer = settings.CONSOLE_OIDC_ISSUER;
  if (issuer === undefined) {
    const isMeant = settings.CONSOLE_OIDC_CLIENT_ID !== undefined || settings.CONSOLE_OIDC_ROLES.length > 0;
    return isMeant
      ? ['CONSOLE_OIDC_CLIENT_ID or CONSOLE_OIDC_ROLES is given, so CONSOLE_OIDC_ISSUER is needed too.']
      : [];
  }
  const faults: string[] = [];
  const { protocol, hostname } = new URL(issuer);
  // RFC 8414, section 2, requires https. An http issuer is allowed on this machine, for trying.
  if (protocol !== 'https:' && !isLoopback(hostname.replace(/^\[|\]$/g, ''))) {
    faults.push(`CONSOLE_OIDC_ISSUER is "${issuer}", but it must begin with https://.`);
  }
  if (settings.CONSOLE_OIDC_CLIENT_ID === undefined) {
    faults.push('CONSOLE_OIDC_ISSUER is given, so CONSOLE_OIDC_CLIENT_ID is needed too.');
  }
  if (settings.CONSOLE_OIDC_ROLES.length === 0) {
    faults.push(
      'CONSOLE_OIDC_ISSUER is given, so CONSOLE_OIDC_ROLES is needed too: what the people of which group may do, such as "finance-team=finance, heads=approver+viewer".',
    );
  }
  if (!settings.CONSOLE_OIDC_SCOPES.includes('openid')) faults.push('CONSOLE_OIDC_SCOPES must have openid among them.');
  return faults;
}
