import type { Role } from '../../people/person.ts';

/** Who is allowed: people with one of `roles`, or with one of `own` where the portfolio is their own. */
export type Allowed = { readonly roles?: readonly Role[]; readonly own?: readonly Role[] };

/**
 * An address's entry in the table. `kinds` restrict single kinds of requests (see {@link About}): the address and the kind must
 * both allow it. Where an entry has kinds, a kind without an entry is for nobody.
 */
export type Access =
  | { readonly open: true }
  | { readonly signedIn: true }
  | (Allowed & { readonly kinds?: Readonly<Record<string, Allowed>> });

export type AccessTable = Readonly<Record<string, Access>>;

/** The portfolio and kind of a request, where the address does not name them. */
export type About = {
  portfolio?: string | undefined;
  kind?: string | undefined;
  /** Further facts for the audit, such as a plan or a file. No personal data. */
  facts?: Readonly<Record<string, unknown>> | undefined;
};

/** What decides a person's access: their roles, and whether the portfolio is their own. */
export type Rights = { readonly roles: readonly Role[]; readonly owns: boolean };

export const NO_RIGHTS: Rights = { roles: [], owns: false };

/** Whether these rights are enough. Pure; requests and pages share this decision. */
export function isAllowed(access: Access, rights: Rights, kind?: string): boolean {
  if ('open' in access || 'signedIn' in access) return true;
  return allowedsOf(access, kind).every((allowed) => has(allowed, rights));
}

/** All entries that must allow a request: the address's, and the kind's. */
export function allowedsOf(access: Access, kind?: string): Allowed[] {
  if ('open' in access || 'signedIn' in access) return [];
  const { kinds } = access;
  if (kind === undefined || !kinds) return [access];
  return [access, (Object.hasOwn(kinds, kind) ? kinds[kind] : undefined) ?? {}];
}

function has({ roles: all = [], own = [] }: Allowed, { roles, owns }: Rights): boolean {
  return roles.some((role) => all.includes(role) || (owns && own.includes(role)));
}

/** Whether any entry of the table treats these roles differently on their own portfolios. */
export function ownMatters(table: AccessTable, roles: readonly Role[]): boolean {
  return Object.values(table).some((access) => {
    if ('open' in access || 'signedIn' in access) return false;
    const kinds = [undefined, ...Object.keys(access.kinds ?? {})];
    return kinds.some(
      (kind) => isAllowed(access, { roles, owns: true }, kind) && !isAllowed(access, { roles, owns: false }, kind),
    );
  });
}

/** The entry of an address: an exact one, or the longest pattern with a star. `HEAD` counts as `GET`. */
export function accessOf(table: AccessTable, method: string, url: string): Access | undefined {
  const name = `${method === 'HEAD' ? 'GET' : method} ${url}`;
  if (Object.hasOwn(table, name)) return table[name];
  const [longest] = Object.keys(table)
    .filter((pattern) => pattern.endsWith('/*') && name.startsWith(pattern.slice(0, -1)))
    .sort((one, other) => other.length - one.length);
  return longest === undefined ? undefined : table[longest];
}
