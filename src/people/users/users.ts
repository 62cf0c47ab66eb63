import { LimitlineError } from '../../errors.ts';
import type { SharedKeys } from '../../ledger/schema/keys.ts';
import type { RedisConnection } from '../../lua-script.ts';
import { HOUR_MS } from '../../time-units.ts';
import { makeFactors } from '../factor/factors.ts';
import type { HashQueue } from '../passwords/hash-queue.ts';
import { hashPassword, verifyPassword } from '../passwords/password-hash.ts';
import { normalPassword, passwordFault } from '../passwords/password-rules.ts';
import { peopleScript } from '../people-script.ts';
import type { Secret } from '../secret.ts';
import { keyBeginnings, openingsKey } from '../sessions/sessions.ts';
import type { UserView } from './user.ts';
import { isUserName, makeEpoch, makeUserChanges, needRoles, needUserName, VIEW_FIELDS, viewOf } from './user.ts';

/** For how long a password that somebody else set is valid (ASVS 5.0, 6.4.1): over a weekend, but a letter found years later opens nothing. */
const INITIAL_MS = 72 * HOUR_MS;

/** Most users on one page of the list. */
const PAGE = 50;

export type UserDeps = {
  connection: RedisConnection;
  keys: SharedKeys;
  secret: Pick<Secret, 'key'>;
  queue: HashQueue;
  now: () => number;
  /** Replaces the hash function, in tests. */
  hash?: ((password: string) => Promise<string>) | undefined;
  /** Words that do not count in a password, since they are obvious here: the names of the account and the machine. */
  words?: readonly string[];
  /** For how long a password that somebody else set is valid. */
  initialMs?: number;
  /** Called when a user was added, or may have been. */
  onAdded: () => void;
};

/** Whether the last admin, or the last user, may be removed. Only the command line may do that, since it can make another one. */
type EvenLast = { evenLast?: boolean };

/**
 * The users. Each change is one step in Redis. A new password, role or factor ends the user's sessions on all hosts, except `keep`, to which
 * the caller then gives a new token by `sessions.renew`.
 */
export function makeUsers({
  connection,
  keys,
  secret,
  queue,
  now,
  hash = hashPassword,
  words = [],
  initialMs = INITIAL_MS,
  onAdded,
}: UserDeps) {
  const add = peopleScript(connection, 'users', 'add-user');
  const setRoles = peopleScript(connection, 'users', 'set-roles');
  const remove = peopleScript(connection, 'users', 'remove-user');
  const beginnings = keyBeginnings(keys);
  const change = makeUserChanges({ connection, keys, secret });

  const read = async (name: string): Promise<UserView | undefined> =>
    isUserName(name) ? viewOf(name, await connection.hmget(keys.user(name), ...VIEW_FIELDS)) : undefined;

  const needOther = async (name: string, password: string): Promise<void> => {
    const kept = isUserName(name) ? await connection.hget(keys.user(name), 'password') : null;
    const isSame = await queue.run('own', () => verifyPassword(normalPassword(password), kept ?? undefined));
    if (isSame) throw new LimitlineError('USAGE', 'The new password is the one that you have already; choose another.');
  };

  const digestOf = (password: string): Promise<string> => queue.run('own', () => hash(normalPassword(password)));

  return {
    read,

    /**
     * Adds a user. With `mustChange` the password is valid for 72 hours, and only for choosing another.
     *
     * @throws LimitlineError `USAGE` if the name is taken, or name, roles or password are not acceptable
     */
    async add(user: { name: string; roles: readonly string[]; password: string; mustChange: boolean }): Promise<void> {
      const { name, password, mustChange } = user;
      needUserName(name);
      const roles = needRoles(user.roles);
      needPassword(password, name, words);
      const untilMs = mustChange ? initialMs : '';
      const args = [name, makeEpoch(), untilMs, roles.join(','), await digestOf(password), beginnings.session];
      // `onAdded` is also called after a lost reply, since the user may have been added.
      const isNew = (await add([keys.user(name), keys.users, openingsKey(keys)], args).finally(onAdded)) === 1;
      if (!isNew) throw new LimitlineError('USAGE', `There is a user ${name} already.`);
    },

    /**
     * Sets a user's password, which ends all sessions of the user except `keep`. With `keep` it is the user's own change, and the password
     * must differ from the old one.
     *
     * @param options.expected the digest that must still be stored, for a change that was proved by the old password
     * @throws LimitlineError `NOT_FOUND`, and `USAGE` for an unacceptable password
     */
    async setPassword(
      name: string,
      password: string,
      { mustChange, keep, expected }: { mustChange: boolean; keep?: string | undefined; expected?: string },
    ): Promise<void> {
      needPassword(password, name, words);
      if (keep !== undefined && expected === undefined) await needOther(name, password);
      const isDone = await change(name, {
        // A factor that somebody with the old password began to set up must not be confirmed with the new one.
        fields: { password: await digestOf(password), until: '', pending: '' },
        ...(mustChange ? { moment: { field: 'until', inMs: initialMs } } : {}),
        ...(expected === undefined ? {} : { expected: { field: 'password', value: expected } }),
        epoch: makeEpoch(),
        keep,
      });
      if (!isDone) throw unknownUser(name);
    },

    /** @throws LimitlineError `NOT_FOUND`; `USAGE` for an unknown role, or if no admin would be left */
    async setRoles(name: string, roles: readonly string[], { evenLast = false }: EvenLast = {}): Promise<void> {
      const wanted = needRoles(roles).join(',');
      if (!isUserName(name)) throw unknownUser(name);
      const args = [name, beginnings.user, evenLast ? 1 : 0, makeEpoch(), wanted];
      needDone(name, await setRoles([keys.user(name), keys.users], args));
    },

    /** @throws LimitlineError `NOT_FOUND`; `USAGE` if no admin, or no user, would be left */
    async remove(name: string, { evenLast = false }: EvenLast = {}): Promise<void> {
      if (!isUserName(name)) throw unknownUser(name);
      const args = [name, beginnings.user, evenLast ? 1 : 0, beginnings.session];
      needDone(name, await remove([keys.user(name), keys.users, keys.sessionsOf(name)], args));
    },

    count: () => connection.zcard(keys.users),

    /**
     * Users in alphabetical order.
     *
     * @param options.after the last name of the previous page
     * @param options.text a part of the name
     * @returns `next`: the name to continue after, if there are more
     */
    async list(given: { after?: string | undefined; limit?: number; text?: string } = {}) {
      const { after = '', limit = PAGE, text = '' } = given;
      const names = await connection.zrange(keys.users, '0', '-1');
      const wanted = names.filter((name) => name > after && name.includes(text.trim().toLowerCase()));
      const page = wanted.slice(0, limit);
      const views = await Promise.all(page.map(read));
      const users = views.filter((view) => view !== undefined);
      return { users, next: wanted.length > limit ? page.at(-1) : undefined };
    },

    ...makeFactors({ connection, keys, secret, change, unknownUser, now }),
  };
}

export type Users = ReturnType<typeof makeUsers>;

function needPassword(password: string, name: string, words: readonly string[]): void {
  const fault = passwordFault(password, name, words);
  if (fault !== undefined) throw new LimitlineError('USAGE', fault);
}

function unknownUser(name: string): LimitlineError {
  return new LimitlineError('NOT_FOUND', `There is no user ${JSON.stringify(name.slice(0, 60))}.`);
}

function needDone(name: string, answer: unknown): void {
  if (answer === 'done') return;
  if (answer === 'unknown') throw unknownUser(name);
  const message = `${name} is the last admin, without whom nobody could manage users here; make somebody else admin first.`;
  throw new LimitlineError('USAGE', message);
}
