import { randomBytes } from 'node:crypto';
import { LimitlineError } from '../../errors.ts';
import type { SharedKeys } from '../../ledger/schema/keys.ts';
import type { RedisConnection } from '../../lua-script.ts';
import { peopleScript } from '../people-script.ts';
import { ROLES, type Role } from '../person.ts';
import type { Secret } from '../secret.ts';
import { digestOfToken, isToken } from '../sessions/token.ts';

/** A user as others may see them, without anything secret. */
export type UserView = {
  name: string;
  roles: readonly Role[];
  hasFactor: boolean;
  /** Whether somebody else set the password, so that it must be changed at the next sign-in. */
  mustChange: boolean;
  recoveryCodes: number;
  createdMs: number;
  lastSignInMs: number | undefined;
};

const USER_NAME = /^[a-z0-9][a-z0-9._-]{0,39}$/;

/** Names that no user may have: `console` is the actor in the audit trail and the ledger while there are no users. */
const RESERVED = new Set(['console']);

/** Actors of entries by the audit trail itself, and of refusals for unknown names. No new user gets these; an existing one stays. */
const OF_THE_AUDIT = new Set(['limitline', 'unknown']);

/** Whether a user may have this name; only then may a key contain it. */
export function isUserName(name: string): boolean {
  return USER_NAME.test(name) && !RESERVED.has(name);
}

/**
 * A user's epoch changes with a new password, role or factor; a session with another epoch is invalid. It is random and not a counter, so a
 * user who was removed and added again has no earlier sessions.
 */
export function makeEpoch(): string {
  return randomBytes(9).toString('base64url');
}

/** A typed name in the form of user names: lower case, since phones begin with a capital. */
export function typedName(text: string): string {
  return text.trim().toLowerCase();
}

/** Checks that a new user may have this name. @throws LimitlineError `USAGE` */
export function needUserName(name: string): void {
  if (OF_THE_AUDIT.has(name)) {
    const message = `The user's name is "${name}", which the audit trail uses for entries that no user makes; choose another name.`;
    throw new LimitlineError('USAGE', message);
  }
  if (isUserName(name)) return;
  const why = RESERVED.has(name)
    ? 'which stands for everybody who opens the console while it has no users; choose another name'
    : 'but must be up to 40 characters of a-z, 0-9, dot, hyphen and underscore, beginning with a letter or digit';
  throw new LimitlineError('USAGE', `The user's name is ${JSON.stringify(name.slice(0, 60))}, ${why}.`);
}

/**
 * The roles, each once, in the order of {@link ROLES}.
 *
 * @throws LimitlineError `USAGE` for an unknown role, or none
 */
export function needRoles(names: readonly string[]): Role[] {
  const unknown = names.find((name) => !ROLES.some((role) => role === name));
  if (unknown === undefined && names.length > 0) return ROLES.filter((role) => names.includes(role));
  const what = unknown === undefined ? 'No role is given' : `There is no role ${JSON.stringify(unknown.slice(0, 60))}`;
  throw new LimitlineError('USAGE', `${what}; roles are ${ROLES.join(', ')}, one or several.`);
}

export function rolesOf(text: string): Role[] {
  const names = text.split(',');
  return ROLES.filter((role) => names.includes(role));
}

/** The stored fields that a view is made of, in order. */
export const VIEW_FIELDS = ['roles', 'factor', 'until', 'recovery', 'created', 'lastSignIn'] as const;

/** A user from the values of {@link VIEW_FIELDS}; undefined if there is none. */
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

type UserChange = {
  /** New values; '' deletes a field. */
  fields: Readonly<Record<string, string | number>>;
  /** A field that is set to a time, in ms from now by the server's clock. */
  moment?: { field: string; inMs: number };
  /** A field and the value that it must still have; otherwise nothing is changed. */
  expected?: { field: string; value: string };
  /** The new epoch, which ends the user's sessions except that of the token `keep`. */
  epoch?: string;
  keep?: string | undefined;
  /** Whether the kept session has given a code of the second factor. */
  isCoded?: boolean;
};

/** Changes a user in one step. Answers false if there is no such user, or `expected` does not match. */
export function makeUserChanges(asked: { connection: RedisConnection; keys: SharedKeys; secret: Pick<Secret, 'key'> }) {
  const { connection, keys, secret } = asked;
  const change = peopleScript(connection, 'users', 'change-user');

  return async (name: string, given: UserChange): Promise<boolean> => {
    if (!isUserName(name)) return false;
    const { fields, moment, expected, epoch = '', keep, isCoded = false } = given;
    const user = keys.user(name);
    const kept =
      keep !== undefined && isToken(keep) ? keys.session(digestOfToken(keep, await secret.key('sessions'))) : user;
    const args = [
      epoch,
      expected?.field ?? '',
      expected?.value ?? '',
      moment?.field ?? '',
      moment?.inMs ?? 0,
      isCoded ? 1 : 0,
    ];
    return (await change([user, kept], [...args, ...Object.entries(fields).flat()])) === 1;
  };
}

export type ChangeUser = ReturnType<typeof makeUserChanges>;
