import type { UserView } from '../../src/people/people.ts';

/** Of 80 columns: name and roles keep to theirs, and a long one pushes the rest along. */
const [NAME_WIDTH, ROLES_WIDTH] = [20, 34];

/** A user in one line, as a list has them. */
export function userWords({ name, roles, hasFactor, mustChange, lastSignInMs }: UserView): string {
  const notes = [
    hasFactor ? 'second factor' : 'no second factor',
    ...(mustChange ? ['must choose a password'] : []),
    // By the minute, in UTC as everywhere.
    lastSignInMs === undefined ? 'never signed in' : `last signed in ${minute(lastSignInMs)}`,
  ];
  return `${name.padEnd(NAME_WIDTH)}  ${roles.join(', ').padEnd(ROLES_WIDTH)}  ${notes.join(', ')}`;
}

/** What a user is as JSON: times as everywhere there, in ISO 8601. */
export function userJson(user: UserView) {
  const { createdMs, lastSignInMs, ...rest } = user;
  const created = new Date(createdMs).toISOString();
  return { ...rest, created, lastSignIn: lastSignInMs === undefined ? null : new Date(lastSignInMs).toISOString() };
}

function minute(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')}Z`;
}
