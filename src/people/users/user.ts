import { randomBytes } from 'node:crypto';
import { LimitlineError } from '../../errors.ts';
import { ROLES, type Role } from '../person.ts';

/** A user as others may see them: no secret, and nothing from which one could be found. */
export type UserView = {
  name: string;
  roles: readonly Role[];
  hasFactor: boolean;
  /** Their password was set by somebody else, and is to be changed at the next sign-in. */
  mustChange: boolean;
  /** How many recovery codes they have left. */
  recoveryCodes: number;
  createdMs: number;
  lastSignInMs: number | undefined;
};

const USER_NAME = /^[a-z0-9][a-z0-9._-]{0,39}$/;

/** Who acts where there are no users is called so in the audit and the ledger. */
const RESERVED = new Set(['console']);

/**
 * The audit has entries by these: what it writes of itself, and refusals of names that there are not. Nobody is added under them; who was
 * before goes on.
 */
const OF_THE_AUDIT = new Set(['limitline', 'unknown']);

/** Whether a user may be called so; only then may a key be built of it. */
export function isUserName(name: string): boolean {
  return USER_NAME.test(name) && !RESERVED.has(name);
}

/**
 * What a user gets with a new password, role or factor, and each session has from its user: one that has another counts no more.
 * Nothing in it says which came first, so a user who was removed and added again has no session from before.
 */
export function makeEpoch(): string {
  return randomBytes(9).toString('base64url');
}

/** What a person typed as their name, as it is looked up: names have no capitals, and phones begin with one. */
export function typedName(text: string): string {
  return text.trim().toLowerCase();
}

/** That a new user may be called so. @throws LimitlineError `USAGE` */
export function needUserName(name: string): void {
  if (OF_THE_AUDIT.has(name)) {
    throw new LimitlineError(
      'USAGE',
      `The user's name is "${name}", which the audit has entries of its own by; choose another name.`,
    );
  }
  if (isUserName(name)) return;
  const why = RESERVED.has(name)
    ? 'which stands for whoever comes while there are no users; choose another name'
    : 'but must be up to 40 of a-z, 0-9, dot, hyphen and underscore, beginning with a letter or digit';
  throw new LimitlineError('USAGE', `The user's name is ${JSON.stringify(name.slice(0, 60))}, ${why}.`);
}

/**
 * The roles, each once and in the order of {@link ROLES}.
 *
 * @throws LimitlineError `USAGE` where one is none of ours, or there is none
 */
export function needRoles(names: readonly string[]): Role[] {
  const unknown = names.find((name) => !ROLES.some((role) => role === name));
  if (unknown === undefined && names.length > 0) return ROLES.filter((role) => names.includes(role));
  const what = unknown === undefined ? 'No role is given' : `There is no role ${JSON.stringify(unknown.slice(0, 60))}`;
  throw new LimitlineError('USAGE', `${what}; roles are ${ROLES.join(', ')}, one or several.`);
}

/** The roles as Redis has them. */
export function rolesOf(text: string): Role[] {
  const names = text.split(',');
  return ROLES.filter((role) => names.includes(role));
}

/** The fields of a user in Redis that a view is made of, in this order. */
export const VIEW_FIELDS = ['roles', 'factor', 'until', 'recovery', 'created', 'lastSignIn'] as const;

/** A user by the values of {@link VIEW_FIELDS}; nothing where there is none. */
export function viewOf(name: string, values: readonly (string | null)[]): UserView | undefined {
  const [roles, factor, until, recovery, created, lastSignIn] = values;
  if (typeof roles !== 'string') return undefined;
  return {
    name,
    roles: rolesOf(roles),
    hasFactor: typeof factor === 'string',
    mustChange: typeof until === 'string',
    recoveryCodes: recovery ? recovery.split(' ').length : 0,
    createdMs: Number(created),
    lastSignInMs: typeof lastSignIn === 'string' ? Number(lastSignIn) : undefined,
  };
}
