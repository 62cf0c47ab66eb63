import type { Role } from '../../people/person.ts';

/** Who is allowed: people with one of `roles`, or with one of `own` where the portfolio is their own. */
export type Allowed = { readonly roles?: readonly Role[]; readonly own?: readonly Role[] };

/**
 * Who may use an address of the console: its entry in the access table. `kinds` restrict single kinds of requests (see
 * {@link About}): the rules of the address and of the kind must both allow the request. Where `kinds` is given, a kind without an
 * entry in it is allowed to nobody.
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
  /** The subject of the request as the audit trail names it, where the subject is no portfolio. */
  named?: string | undefined;
  /** Further facts for the audit, such as a plan or a file. No personal data. */
  facts?: Readonly<Record<string, unknown>> | undefined;
};

/** An entry of the navigation. The page at `href` is marked by the place `at`. */
export type PlaceLink = { readonly at: string; readonly href: `/${string}`; readonly words: string };

/** What decides a person's access: their roles, and whether the portfolio is their own. */
type Standing = { readonly roles: readonly Role[]; readonly owns: boolean };

/** The console's rules and its navigation, both made from the declarations of pages (pages/index.ts). */
export type Rules = { readonly table: AccessTable; readonly places: readonly PlaceLink[] };

/** What a person may do: their standing, with the rules by which it is judged. */
export type Rights = Standing & Rules;

export const NO_RIGHTS: Rights = { roles: [], owns: false, table: {}, places: [] };

/** The navigation entries that the person may open, in order. */
export function placesOf(rights: Rights): readonly PlaceLink[] {
  return rights.places.filter(({ href }) => can(rights, `GET ${href}`));
}

/**
 * The name of an entry in the access table: a method and a route's pattern. A test looks up in the table each name that a page
 * gives to {@link can}.
 */
export type Right = `${'GET' | 'POST' | 'PUT'} /${string}`;

/**
 * Whether a person may use an address; false where the table has no such entry. Pages ask this before they show a button or a
 * link; requests are checked by the same table.
 *
 * @param rights `request.rights`, which knows whether the address's portfolio is the person's own
 * @param kind where the entry has kinds
 */
export function can(rights: Rights, right: Right, kind?: string): boolean {
  const access = Object.hasOwn(rights.table, right) ? rights.table[right] : undefined;
  return access !== undefined && isAllowed(access, rights, kind);
}

/**
 * Rights as a text. Events are rendered once for all pages with the same address and text, so every difference between people
 * must be in it.
 */
export function rightsWord({ roles, owns }: Standing): string {
  return `${[...roles].sort().join('+')}${owns ? ' own' : ''}`;
}

/** Whether a person's rights are enough for an address. Pure; requests and pages share this decision. */
export function isAllowed(access: Access, rights: Standing, kind?: string): boolean {
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

function has({ roles: all = [], own = [] }: Allowed, { roles, owns }: Standing): boolean {
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
