import { CONSOLE_ACTOR } from '../../actor.ts';
import type { SharedKeys } from '../../ledger/schema/keys.ts';
import type { RedisConnection } from '../../lua-script.ts';
import { HOUR_MS } from '../../time-units.ts';
import { peopleScript } from '../people-script.ts';
import { type Person, ROLES } from '../person.ts';
import type { Secret } from '../secret.ts';
import { isUserName, rolesOf } from '../users/user.ts';
import { digestOfToken, handleOf, isToken, makeToken } from './token.ts';

/** The step that a user must take before anything else in a session: give the code, change the password, or set up a second factor. */
export type Owes = 'code' | 'password' | 'factor' | undefined;

export type SignedIn = {
  person: Person;
  owes: Owes;
  /** Visible name of the session; nobody can sign in with it. */
  session: string;
};

export type SessionView = {
  /** Visible name of the session, by which a person ends it; nobody can sign in with it. */
  id: string;
  beganMs: number;
  /** Last activity of the person, accurate to half a minute (`writeAfterMs`). */
  seenMs: number;
  /** The network address from which the session began. */
  from: string;
  /** The browser's user agent. */
  agent: string;
  isThis: boolean;
};

/** Most characters kept of an address and of a user agent, since both come from outside and are shown in lists. */
export const MAX_FROM = 100;
export const MAX_AGENT = 200;

/** Beginnings of the keys that scripts build, see `src/ledger/schema/keys.ts`. */
export function keyBeginnings(keys: SharedKeys) {
  return { user: keys.user(''), session: keys.session(''), sessionsOf: keys.sessionsOf('') };
}

type SessionDeps = {
  connection: RedisConnection;
  keys: SharedKeys;
  secret: Pick<Secret, 'key'>;
  limits?: SessionLimits;
  /** Called after each reading of a session, with whether there are any users (then everybody has to sign in). */
  onRequired?: (isRequired: boolean) => void;
};

/**
 * The sessions on all hosts. Redis has them by a digest of their tokens (ASVS 5.0, 7.2). A user's session is valid only while the user has
 * the epoch in which it began; a new password, role or factor changes the epoch.
 */
export function makeSessions(given: SessionDeps) {
  const { connection, keys, secret, limits = SESSION_LIMITS, onRequired = () => {} } = given;
  const script = (name: string) => peopleScript(connection, 'sessions', name);
  const readOne = script('read-session');
  const livingOnes = script('living-sessions');
  const renewOne = script('renew-session');
  const endOne = script('end-session');
  const endSome = script('end-sessions');
  const listAll = script('list-sessions');
  const beginSso = script('begin-sso-session');
  const { absoluteMs, idleMs, writeAfterMs, most } = limits;
  const beginnings = keyBeginnings(keys);
  const digestOf = async (token: string) => digestOfToken(token, await secret.key('sessions'));

  return {
    /**
     * Reads a session with one script: whose it is, and what the person owes; undefined for an invalid session.
     *
     * @param counts whether the request is a person's activity, which prolongs the session; a page's automatic refresh is not
     */
    async read(token: string, { counts }: { counts: boolean }): Promise<SignedIn | undefined> {
      if (!isToken(token)) return undefined;
      const digest = await digestOf(token);
      const found = (await readOne(
        [keys.session(digest), keys.users],
        [beginnings.user, absoluteMs, idleMs, counts ? 1 : 0, writeAfterMs],
      )) as [number, string?, string?, string?];
      const [required, by, roles = '', owes] = found;
      onRequired(required === 1);
      // An unopened link is no session: see makeOpenings.
      if (by === undefined || owes === 'link') return undefined;
      return { person: { by, roles: rolesOf(roles) }, owes: (owes || undefined) as Owes, session: handleOf(digest) };
    },

    /** Which of these sessions are valid, with no step of signing in left; read with one script, which prolongs none. */
    async living(tokens: readonly string[]): Promise<boolean[]> {
      if (tokens.length === 0) return [];
      const digests = await Promise.all(tokens.map(digestOf));
      const found = await livingOnes(digests.map(keys.session), [beginnings.user, absoluteMs]);
      return (found as number[]).map((one) => one === 1);
    },

    /**
     * Begins a session of a person of an identity provider; its roles do not change while it lasts.
     *
     * @returns its token
     */
    async begin(session: { person: Person; from: string; agent: string; owes?: Owes }): Promise<string> {
      const { person, from, agent, owes } = session;
      if (isUserName(person.by))
        throw new TypeError(
          `The name ${person.by} can only be that of a user of the console, not of a person of the identity provider`,
        );
      const token = makeToken();
      const fields = { by: person.by, roles: person.roles.join(','), owes: owes ?? '' };
      const place = { from: from.slice(0, MAX_FROM), agent: agent.slice(0, MAX_AGENT) };
      await beginSso(
        [keys.session(await digestOf(token)), keys.sessionsOf(person.by)],
        [beginnings.session, idleMs, absoluteMs, most, ...Object.entries({ ...fields, ...place }).flat()],
      );
      return token;
    },

    /** Gives a session another token, and ends the old one; undefined if it is not valid (ASVS 5.0, 7.2.4). */
    async renew(token: string): Promise<string | undefined> {
      if (!isToken(token)) return undefined;
      const next = makeToken();
      const renewed = await renewOne(
        [keys.session(await digestOf(token)), keys.session(await digestOf(next))],
        [beginnings.user, beginnings.session, beginnings.sessionsOf, absoluteMs],
      );
      return renewed === 1 ? next : undefined;
    },

    /** Ends a session; answers whose it was. */
    async end(token: string): Promise<string | undefined> {
      if (!isToken(token)) return undefined;
      const by = await endOne([keys.session(await digestOf(token))], [beginnings.session, beginnings.sessionsOf]);
      return typeof by === 'string' ? by : undefined;
    },

    /** Ends a person's session by its visible name; answers whether there was one. */
    async endOne(by: string, handle: string): Promise<boolean> {
      if (handle === '') return false;
      return ((await endSome([keys.sessionsOf(by)], [beginnings.session, '', handle])) as number) > 0;
    },

    /** Ends all sessions of a person except that of the token `but`; answers how many. */
    async endAll(by: string, { but }: { but?: string | undefined } = {}): Promise<number> {
      const spared = but !== undefined && isToken(but) ? await digestOf(but) : '';
      return (await endSome([keys.sessionsOf(by)], [beginnings.session, spared, ''])) as number;
    },

    /** A person's sessions, the newest first; `token` is that of the person who asks. */
    async list(by: string, token?: string): Promise<SessionView[]> {
      const own = token !== undefined && isToken(token) ? await digestOf(token) : undefined;
      const found = await listAll([keys.sessionsOf(by)], [beginnings.user, beginnings.session, absoluteMs]);
      return (found as string[][]).map(([digest = '', began, seen, from = '', agent = '']) => ({
        id: handleOf(digest),
        beganMs: Number(began),
        seenMs: Number(seen),
        from,
        agent,
        isThis: digest === own,
      }));
    },
  };
}

export type Sessions = ReturnType<typeof makeSessions>;

/** When sessions end by themselves, in ms of the server's clock, and how many a person may have. */
export type SessionLimits = {
  /** A session ends after this time without activity of the person (ASVS 5.0, 7.3.1). */
  idleMs: number;
  /** A session ends after this time even with activity (ASVS 5.0, 7.3.2): a working day. */
  absoluteMs: number;
  /** The time from the password to the code: long enough to find the phone. */
  halfMs: number;
  /** Least time between two writes of a person's activity, since each write goes to the disk. */
  writeAfterMs: number;
  /** Most sessions of one person on all machines (ASVS 5.0, 7.1.2); the oldest are ended. */
  most: number;
};

export const SESSION_LIMITS: SessionLimits = {
  idleMs: 30 * 60_000,
  absoluteMs: 12 * HOUR_MS,
  halfMs: 10 * 60_000,
  writeAfterMs: 30_000,
  most: 20,
};

/**
 * Opens the console while there are no users. A system user makes a link, which works once. It becomes a session with all roles, in that
 * person's name. Links and their sessions live as long as any session may. Adding the first user ends all of them for good (add-user in
 * users.lua).
 */
export function makeOpenings(given: {
  connection: RedisConnection;
  keys: SharedKeys;
  secret: Pick<Secret, 'key'>;
  limits: SessionLimits;
}) {
  const { connection, keys, secret, limits } = given;
  const begin = peopleScript(connection, 'sessions', 'begin-opening');
  const keyOf = async (token: string) => keys.session(digestOfToken(token, await secret.key('sessions')));
  const beginOne = async (token: string, { link = token, by = '', from = '', agent = '' }: Begun) => {
    const places = [await keyOf(token), openingsKey(keys), keys.users, await keyOf(link)];
    const kept = [by, ROLES.join(','), from.slice(0, MAX_FROM), agent.slice(0, MAX_AGENT)];
    return (await begin(places, [keyBeginnings(keys).session, limits.absoluteMs, limits.most, ...kept])) as
      | string
      | null;
  };

  return {
    /** The token of a link, made by a system user; undefined if there are users, who sign in instead. */
    async link(by: string): Promise<string | undefined> {
      const token = makeToken();
      return (await beginOne(token, { by })) === null ? undefined : token;
    },

    /** Uses a link up. Answers the token of its session, and whose it is; undefined for an invalid link. */
    async open(
      link: string,
      client: { from: string; agent: string },
    ): Promise<{ token: string; by: string } | undefined> {
      if (!isToken(link)) return undefined;
      const token = makeToken();
      const by = await beginOne(token, { link, ...client });
      return by === null ? undefined : { token, by };
    },
  };
}

type Begun = { link?: string; by?: string; from?: string; agent?: string };

/**
 * The Redis key of the list of links to a console without users, and of the sessions that these links opened. It is the key of a user's
 * sessions, with a name that no user can have.
 */
export function openingsKey(keys: SharedKeys): string {
  return keys.sessionsOf(CONSOLE_ACTOR);
}
