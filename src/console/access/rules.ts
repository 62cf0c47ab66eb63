import type { PauseKind } from '../../ledger/schema/pause-reasons.ts';
import type { Person } from '../../people/person.ts';
import type { AccessTable, Allowed } from './access.ts';

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
