import { createHash } from 'node:crypto';
import type { SharedKeys } from '../../ledger/schema/keys.ts';
import type { RedisConnection } from '../../lua-script.ts';
import { writeAnyway } from '../../redis-memory/write-anyway.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Anew } from './sign-ins.ts';

/** Somebody whom an identity provider knows, and who is signed in here now. */
export type PersonElsewhere = { name: string; sessions: number; seenMs: number };

/** How the names of such people stand among the keys of {@link SharedKeys.subjects}, see name-for.lua. */
const BY = 'by ';

/** Long enough to read once more what one approves. */
const PROOF_S = 300;

/** Names are looked through so many at a time. */
const PAGE = 1_000;

/**
 * Those people of identity providers who are signed in now, in the order of their names. They have no account here, so this is the one
 * place where an admin finds whose sessions are to be ended: of whoever was removed there, and is still in here.
 */
export function makePeopleElsewhere({
  connection,
  keys,
  sessions,
}: {
  connection: RedisConnection;
  keys: SharedKeys;
  sessions: Pick<Sessions, 'list'>;
}) {
  /** All who ever came are looked through; only of those who have a list of sessions it is read. */
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
    /** Somebody signed in anew, for one approval and in one session: that is good once, and for five minutes. */
    keepProof: async (anew: Anew): Promise<void> =>
      void (await writeAnyway(connection, 'SET', proofKey(anew), '1', 'EX', PROOF_S)),
    hasProof: async (of: Omit<Anew, 'beganS'>): Promise<boolean> => (await connection.exists(proofKey(of))) === 1,
    takeProof: async (of: Omit<Anew, 'beganS'>): Promise<boolean> => (await connection.getdel(proofKey(of))) !== null,

    async list(): Promise<PersonElsewhere[]> {
      const known = new Map<string, PersonElsewhere>();
      for await (const page of names()) {
        // All at once: each is a short look, and a thousand of them go in one go.
        const lists = await Promise.all(page.map((name) => sessions.list(name)));
        for (const [place, name] of page.entries()) {
          const seen = (lists[place] ?? []).map(({ seenMs }) => seenMs);
          if (seen.length > 0) known.set(name, { name, sessions: seen.length, seenMs: Math.max(...seen) });
        }
      }
      return [...known.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
    },

    /** Whether a provider's person ever came in under this name. */
    isKnown: async (name: string): Promise<boolean> => (await connection.hexists(keys.subjects, `${BY}${name}`)) === 1,
  };
}
