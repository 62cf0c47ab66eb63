import type { Role } from '../../people/person.ts';

/** For whom something is: for people of these roles; or of those, where the portfolio that it is about is their own. */
export type Allowed = { readonly roles?: readonly Role[]; readonly own?: readonly Role[] };

/**
 * What the table says of an address. `kinds` narrow it by what is asked for there (see {@link About}): what is of a kind must be
 * allowed by the address and by that kind, and where kinds are told apart one without an entry is for nobody.
 */
export type Access =
  | { readonly open: true }
  | { readonly signedIn: true }
  | (Allowed & { readonly kinds?: Readonly<Record<string, Allowed>> });

export type AccessTable = Readonly<Record<string, Access>>;

/** What a request is about, beyond its address: the portfolio, and the kind of action. */
export type About = {
  portfolio?: string | undefined;
  kind?: string | undefined;
  /** What the audit is told of it beside: a plan, a file. No personal data. */
  facts?: Readonly<Record<string, unknown>> | undefined;
};

/** What somebody may is judged by: their roles, and whether what is looked at is their own. */
export type Rights = { readonly roles: readonly Role[]; readonly owns: boolean };

export const NO_RIGHTS: Rights = { roles: [], owns: false };

/** Whether these rights are enough. Pure: the one decision that requests and pages share. */
export function isAllowed(access: Access, rights: Rights, kind?: string): boolean {
  if ('open' in access || 'signedIn' in access) return true;
  return allowedsOf(access, kind).every((allowed) => has(allowed, rights));
}

/** The entries that must all allow a request: that of its address, and that of its kind. */
export function allowedsOf(access: Access, kind?: string): Allowed[] {
  if ('open' in access || 'signedIn' in access) return [];
  const { kinds } = access;
  if (kind === undefined || !kinds) return [access];
  return [access, (Object.hasOwn(kinds, kind) ? kinds[kind] : undefined) ?? {}];
}

function has({ roles: all = [], own = [] }: Allowed, { roles, owns }: Rights): boolean {
  return roles.some((role) => all.includes(role) || (owns && own.includes(role)));
}

/** Whether it makes a difference to people of these roles, anywhere in the table, that a portfolio is their own. */
export function ownMatters(table: AccessTable, roles: readonly Role[]): boolean {
  return Object.values(table).some((access) => {
    if ('open' in access || 'signedIn' in access) return false;
    const kinds = [undefined, ...Object.keys(access.kinds ?? {})];
    return kinds.some(
      (kind) => isAllowed(access, { roles, owns: true }, kind) && !isAllowed(access, { roles, owns: false }, kind),
    );
  });
}

/** The entry of an address: its own, or that of the longest beginning that has one. `HEAD` goes with `GET`. */
export function accessOf(table: AccessTable, method: string, url: string): Access | undefined {
  const name = `${method === 'HEAD' ? 'GET' : method} ${url}`;
  if (Object.hasOwn(table, name)) return table[name];
  const [longest] = Object.keys(table)
    .filter((pattern) => pattern.endsWith('/*') && name.startsWith(pattern.slice(0, -1)))
    .sort((one, other) => other.length - one.length);
  return longest === undefined ? undefined : table[longest];
}
