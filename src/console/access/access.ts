import type { Role } from '../../people/person.ts';

/** Who may use an address: people with one of the `roles`; or people with one of the `own` roles, if the portfolio is their own. */
export type Allowed = { readonly roles?: readonly Role[]; readonly own?: readonly Role[] };

/**
 * Who may use an address. `kinds` restrict it further by the kind of request (see {@link About}): both the address and the kind must allow
 * it. If there are kinds, a kind that is not listed is allowed for nobody.
 */
export type Access =
  | { readonly open: true }
  | { readonly signedIn: true }
  | (Allowed & { readonly kinds?: Readonly<Record<string, Allowed>> });

export type AccessTable = Readonly<Record<string, Access>>;

/** What a request is about, as far as its address does not say: the portfolio, and the kind of request. */
export type About = {
  portfolio?: string | undefined;
  kind?: string | undefined;
  /** Further facts for the audit, such as a plan or a file. No personal data. */
  facts?: Readonly<Record<string, unknown>> | undefined;
};

/** What decides whether a person may do something: their roles, and whether the portfolio is their own. */
export type Rights = { readonly roles: readonly Role[]; readonly owns: boolean };

export const NO_RIGHTS: Rights = { roles: [], owns: false };

/** Whether these rights suffice for an access. Pure. Both requests and pages use this one decision. */
export function isAllowed(access: Access, rights: Rights, kind?: string): boolean {
  if ('open' in access || 'signedIn' in access) return true;
  return allowedsOf(access, kind).every((allowed) => has(allowed, rights));
}

/** Everything that must allow a request: the entry of its address, and that of its kind. */
export function allowedsOf(access: Access, kind?: string): Allowed[] {
  if ('open' in access || 'signedIn' in access) return [];
  const { kinds } = access;
  if (kind === undefined || !kinds) return [access];
  return [access, (Object.hasOwn(kinds, kind) ? kinds[kind] : undefined) ?? {}];
}

function has({ roles: all = [], own = [] }: Allowed, { roles, owns }: Rights): boolean {
  return roles.some((role) => all.includes(role) || (owns && own.includes(role)));
}

/** Whether owning a portfolio makes a difference to people with these roles, anywhere in the table. */
export function ownMatters(table: AccessTable, roles: readonly Role[]): boolean {
  return Object.values(table).some((access) => {
    if ('open' in access || 'signedIn' in access) return false;
    const kinds = [undefined, ...Object.keys(access.kinds ?? {})];
    return kinds.some(
      (kind) => isAllowed(access, { roles, owns: true }, kind) && !isAllowed(access, { roles, owns: false }, kind),
    );
  });
}

/** The entry of an address: its own, or that of its longest prefix with an entry. `HEAD` has the entry of `GET`. */
export function accessOf(table: AccessTable, method: string, url: string): Access | undefined {
  const name = `${method === 'HEAD' ? 'GET' : method} ${url}`;
  if (Object.hasOwn(table, name)) return table[name];
  const [longest] = Object.keys(table)
    .filter((pattern) => pattern.endsWith('/*') && name.startsWith(pattern.slice(0, -1)))
    .sort((one, other) => other.length - one.length);
  return longest === undefined ? undefined : table[longest];
}
