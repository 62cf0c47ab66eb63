import type { PauseKind } from '../../ledger/schema/pause-reasons.ts';
import type { Person, Role } from '../../people/person.ts';

/** The people whom a rule allows: those with one of `roles`, and on their own portfolio also those with one of `own`. */
export type Allowed = { readonly roles?: readonly Role[]; readonly own?: readonly Role[] };

/**
 * The access rule of an address: one entry of the access table. It lets everybody in (`open`), everybody who is signed in (`signedIn`), or
 * people by their roles. `kinds` has rules for single kinds of requests (see {@link About}): the rules of the address and of the request's
 * kind must both allow it. Where `kinds` is given, nobody may make a request whose kind has no rule in it.
 */
export type Access =
  | { readonly open: true }
  | { readonly signedIn: true }
  | (Allowed & { readonly kinds?: Readonly<Record<string, Allowed>> });

export type AccessTable = Readonly<Record<string, Access>>;

/** The portfolio and kind of a request, for the access check, where the address does not name them; and what the audit records. */
export type About = {
  portfolio?: string | undefined;
  kind?: string | undefined;
  /** The subject of the request as the audit trail names it, where the subject is no portfolio. */
  named?: string | undefined;
  /** Further facts for the audit, such as a plan or a file. No personal data. */
  facts?: Readonly<Record<string, unknown>> | undefined;
};

/** A link of the navigation to the page at `href`. It is marked as current on each page whose place is `at`. */
export type PlaceLink = { readonly at: string; readonly href: `/${string}`; readonly words: string };

/** The facts by which a person's access is decided: their roles, and whether the portfolio of the request is their own. */
type RolesHere = { readonly roles: readonly Role[]; readonly owns: boolean };

/** The console's rules and its navigation, both made from the declarations of pages (pages/index.ts). */
export type Rules = { readonly table: AccessTable; readonly places: readonly PlaceLink[] };

/** A person's rights: their roles, whether the portfolio is their own, and the rules by which both are judged. */
export type Rights = RolesHere & Rules;

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
 * A person's rights as a text. Events are rendered once for all pages with the same address and the same text, so the text must
 * contain every difference between people's rights.
 */
export function rightsWord({ roles, owns }: RolesHere): string {
  return `${[...roles].sort().join('+')}${owns ? ' own' : ''}`;
}

/** Whether a person's rights are enough for an address. Pure; requests and pages share this decision. */
export function isAllowed(access: Access, rights: RolesHere, kind?: string): boolean {
  if ('open' in access || 'signedIn' in access) return true;
  return allowedsOf(access, kind).every((allowed) => has(allowed, rights));
}

/**
 * The rules that must all allow a request: the rule of the address, and the rule of the request's kind. None where the address
 * asks for no role.
 */
export function allowedsOf(access: Access, kind?: string): Allowed[] {
  if ('open' in access || 'signedIn' in access) return [];
  const { kinds } = access;
  if (kind === undefined || !kinds) return [access];
  return [access, (Object.hasOwn(kinds, kind) ? kinds[kind] : undefined) ?? {}];
}

function has({ roles: all = [], own = [] }: Allowed, { roles, owns }: RolesHere): boolean {
  return roles.some((role) => all.includes(role) || (owns && own.includes(role)));
}

/** Whether any rule of the access table allows people with these roles more on their own portfolios than on those of others. */
export function ownMatters(table: AccessTable, roles: readonly Role[]): boolean {
  return Object.values(table).some((access) => {
    if ('open' in access || 'signedIn' in access) return false;
    const kinds = [undefined, ...Object.keys(access.kinds ?? {})];
    return kinds.some(
      (kind) => isAllowed(access, { roles, owns: true }, kind) && !isAllowed(access, { roles, owns: false }, kind),
    );
  });
}

/**
 * The access rule of an address: that of its exact entry, or else of the longest pattern with a star. `HEAD` counts as `GET`.
 * Undefined where neither is in the table.
 */
export function accessOf(table: AccessTable, method: string, url: string): Access | undefined {
  const name = `${method === 'HEAD' ? 'GET' : method} ${url}`;
  if (Object.hasOwn(table, name)) return table[name];
  const [longest] = Object.keys(table)
    .filter((pattern) => pattern.endsWith('/*') && name.startsWith(pattern.slice(0, -1)))
    .sort((one, other) => other.length - one.length);
  return longest === undefined ? undefined : table[longest];
}

/**
 * The rule of addresses for everybody, signed in or not, such as the sign-in and the files of pages. A route with this rule
 * checks its requests itself. No page about portfolios may have it.
 */
export const OPEN = { open: true } as const;

/** Addresses for everybody who is signed in, whatever their roles. */
export const SIGNED_IN = { signedIn: true } as const;

/** Addresses for roles that work with portfolios. The role admin alone does not: it manages people and the installation. */
export const LOOKS = { roles: ['viewer', 'finance', 'approver', 'operator'] } as const;

/** Addresses for roles that work with single rows. They see the personal data of buyers, which is masked for others. */
export const SEES_BUYERS = { roles: ['finance', 'approver', 'operator'] } as const;

/**
 * Whether personal data is masked for a person: for everybody without a role that works with rows, such as viewers and plain
 * admins. Pure (OWASP ASVS 5.0, 8.2.3: fields are for those who need them).
 */
export function isMasked({ roles }: Pick<Person, 'roles'>): boolean {
  return !roles.some((role) => SEES_BUYERS.roles.some((one) => one === role));
}

/** Addresses for one role alone. */
export const FINANCE = { roles: ['finance'] } as const;
export const APPROVER = { roles: ['approver'] } as const;
export const OPERATOR = { roles: ['operator'] } as const;
export const ADMIN = { roles: ['admin'] } as const;

/**
 * The rule of addresses for operators, and for finance on their own portfolios. A portfolio is a person's own while nobody else
 * has imported into it.
 */
export const OWN_OR_OPERATOR = { roles: ['operator'], own: ['finance'] } as const;

/**
 * The rule about resuming a paused portfolio, by the kind of its pause. People of finance may resume their own portfolio if it paused by
 * itself after its first rows, or because a step's first responses were all the same refusal. Only operators end other pauses, such as one
 * that a person asked for.
 */
export const RESUMES = {
  ...OWN_OR_OPERATOR,
  kinds: {
    none: OWN_OR_OPERATOR,
    'first rows': OWN_OR_OPERATOR,
    'refused alike': OWN_OR_OPERATOR,
    'not ours': OPERATOR,
    'by request': OPERATOR,
  } satisfies Record<PauseKind, Allowed>,
} as const;

/**
 * The rules of addresses that belong to no page: the pages' files, the sign-in and sign-out, and the events of the line at the
 * top of every page. The sign-in checks itself which of its steps a person has to do next. A star at the end covers all longer
 * addresses without an entry of their own.
 */
export const BESIDE_PAGES: AccessTable = {
  'GET /assets/*': OPEN,
  'GET /sign-in': OPEN,
  'POST /sign-in': OPEN,
  'GET /sign-in/code': OPEN,
  'POST /sign-in/code': OPEN,
  'GET /sign-in/factor': OPEN,
  'POST /sign-in/factor': OPEN,
  'GET /sign-in/password': OPEN,
  'POST /sign-in/password': OPEN,
  'GET /sign-in/oidc': OPEN,
  'GET /sign-in/oidc/callback': OPEN,
  'GET /sign-in/oidc/out': OPEN,
  'POST /sign-out': OPEN,
  'GET /events': SIGNED_IN,
};
