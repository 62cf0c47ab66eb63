import { CONSOLE_ACTOR } from '../../actor.ts';
import type { SharedKeys } from '../../ledger/schema/keys.ts';
import type { RedisConnection } from '../../lua-script.ts';
import { peopleScript } from '../people-script.ts';
import { ROLES } from '../person.ts';
import type { Secret } from '../secret.ts';
import { keyBeginnings, MAX_AGENT, MAX_FROM, type SessionLimits } from './sessions.ts';
import { digestOfToken, isToken, makeToken } from './token.ts';

/**
 * Opens the console while there are no users: by a link that a system user makes, which works once and becomes a session with all roles in
 * that person's name. A link, and its session, live as long as any session may. The first user ends all of them for good: see add-user.lua.
 */
export function makeOpenings({
  connection,
  keys,
  secret,
  limits,
}: {
  connection: RedisConnection;
  keys: SharedKeys;
  secret: Pick<Secret, 'key'>;
  limits: SessionLimits;
}) {
  const begin = peopleScript(connection, 'begin-opening');
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
      coming: { from: string; agent: string },
    ): Promise<{ token: string; by: string } | undefined> {
      if (!isToken(link)) return undefined;
      const token = makeToken();
      const by = await beginOne(token, { link, ...coming });
      return by === null ? undefined : { token, by };
    },
  };
}

type Begun = { link?: string; by?: string; from?: string; agent?: string };

/** The list of links and their sessions, under a name that no user can have. */
export function openingsKey(keys: SharedKeys): string {
  return keys.sessionsOf(CONSOLE_ACTOR);
}
