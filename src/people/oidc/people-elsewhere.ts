import { createHash } from 'node:crypto';
import type { SharedKeys } from '../../ledger/schema/keys.ts';
import type { RedisConnection } from '../../lua-script.ts';
import { writeAnyway } from '../../redis-memory/memory.ts';
import { peopleScript } from '../people-script.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Anew } from './oidc.ts';
import type { Claims } from './provider.ts';

/** A person of an identity provider who is signed in now. */
export type PersonElsewhere = { name: string; sessions: number; seenMs: number };

/** Prefix of the fields of {@link SharedKeys.subjects} that name people of identity providers (the script `name-for` in users.lua). */
const BY = 'by ';

/** How long a proof of signing in again is valid: time to read once more what is to be approved. */
const PROOF_S = 300;

/** Names of people that are read from Redis at a time. */
const PAGE = 1_000;

/**
 * The people of identity providers who are signed in now, by name. They have no account here, so only here can an admin find and end the
 * sessions of a person who was removed at the provider.
 */
export function makePeopleElsewhere(given: {
  connection: RedisConnection;
  keys: SharedKeys;
  sessions: Pick<Sessions, 'list'>;
}) {
  const { connection, keys, sessions } = given;
  /** Names of people of identity providers who have a list of sessions; reads all who ever signed in. */
  async function* names(): AsyncGenerator<string[]> {
    let cursor = '0';
    do {
      const [next, found] = await connection.hscan(keys.subjects, cursor, 'MATCH', `${BY}*`, 'COUNT', PAGE);
      const page = found.filter((_, place) => place % 2 === 0).map((field) => field.slice(BY.length));
      const step = connection.pipeline();
      for (const name of page) step.exists(keys.sessionsOf(name));
      const there = (await step.exec()) ?? [];
      yield page.filter((_, place) => there[place]?.[1] === 1);
      cursor = next;
    } while (cursor !== '0');
  }

  const proofKey = ({ approval, by, session }: Omit<Anew, 'beganS'>) =>
    keys.signIn(
      createHash('sha256')
        .update(JSON.stringify(['proof', approval, by, session]))
        .digest('hex'),
    );
  return {
    /** Keeps a proof that the person signed in again for one approval in one session: valid once, for five minutes. */
    keepProof: async (anew: Anew): Promise<void> =>
      void (await writeAnyway(connection, 'SET', proofKey(anew), '1', 'EX', PROOF_S)),
    hasProof: async (of: Omit<Anew, 'beganS'>): Promise<boolean> => (await connection.exists(proofKey(of))) === 1,
    takeProof: async (of: Omit<Anew, 'beganS'>): Promise<boolean> => (await connection.getdel(proofKey(of))) !== null,

    async list(): Promise<PersonElsewhere[]> {
      const known = new Map<string, PersonElsewhere>();
      for await (const page of names()) {
        // The lists are read at once: each takes one short script, and all scripts go out in one write.
        const lists = await Promise.all(page.map((name) => sessions.list(name)));
        for (const [place, name] of page.entries()) {
          const seen = (lists[place] ?? []).map(({ seenMs }) => seenMs);
          if (seen.length > 0) known.set(name, { name, sessions: seen.length, seenMs: Math.max(...seen) });
        }
      }
      return [...known.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
    },

    /** Whether a person of a provider ever signed in under this name. */
    isKnown: async (name: string): Promise<boolean> => (await connection.hexists(keys.subjects, `${BY}${name}`)) === 1,
  };
}

/** Most characters of a name: enough for an e-mail address, and short enough for a table. */
const LONGEST = 60;

/** Invisible characters, characters that change the direction of text, and brackets, which we add ourselves. */
const NOT_OURS = /[\p{C}\p{Zl}\p{Zp}()]/gu;

/** A person's name at the identity provider: the first claim with any text. */
function calledBy(claims: Claims): string {
  const names = [claims.preferred_username, claims.email, claims.sub].map((name) => {
    if (typeof name !== 'string') return '';
    return [...name.replace(NOT_OURS, '').replace(/\s+/g, ' ').trim()].slice(0, LONGEST).join('').trim();
  });
  return names.find((name) => name !== '') ?? 'somebody';
}

/**
 * The names by which others see people of identity providers, see name-for in users.lua. `iss` and `sub` together identify a person (OpenID
 * Connect Core 1.0, section 5.7); the name at the provider may change, and may be the person's own choice.
 */
export function makePersonNames({ connection, keys }: { connection: RedisConnection; keys: { subjects: string } }) {
  const nameFor = peopleScript(connection, 'users', 'name-for');
  return async (claims: Claims): Promise<string> => {
    const digest = createHash('sha256')
      .update(JSON.stringify([claims.iss, claims.sub]))
      .digest('hex');
    return String(await nameFor([keys.subjects], [digest, calledBy(claims)]));
  };
}
