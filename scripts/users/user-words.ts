import type { SessionView, UserView } from '../../src/people/people.ts';

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

/** A session in one line. */
export function sessionWords({ beganMs, seenMs, from, agent }: SessionView): string {
  // The browser says what it likes of itself.
  const said = agent.replace(/\p{C}/gu, ' ');
  return `from ${from}, since ${minute(beganMs)}, last used ${minute(seenMs)}${said === '' ? '' : `, ${said}`}`;
}

/** What a session is as JSON. */
export function sessionJson({ beganMs, seenMs, from, agent }: SessionView) {
  return { from, agent, began: new Date(beganMs).toISOString(), seen: new Date(seenMs).toISOString() };
}

function minute(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')}Z`;
}
