import type { RedisConnection } from '../../lua-script.ts';
import { writeAnyway } from '../../redis-memory/memory.ts';
import { APPROVED, MEANINGS, type Meanings, type StatusMeaning } from '../../status-meaning.ts';
import type { Keys } from '../schema/keys.ts';
import { readTallied } from './sums.ts';

/** A status that the service answered, or that has a meaning. `from`: where the meaning was given. */
export type KnownStatus = {
  status: string;
  rows: number;
  meaning?: StatusMeaning;
  from?: 'service' | 'setting' | 'account';
};

export type MeaningStore = ReturnType<typeof makeMeaningStore>;

const FIELD = 'meaning:';

/** Portfolios whose sums are read at once: some milliseconds of Redis' time. */
const PAGE = 100;

/**
 * What people say that the service's statuses mean, for one account. Only the meaning of `approved` is known from the service
 * (docs/service.md, "Status of a limit").
 *
 * @param given the meanings of the setting STATUS_MEANINGS, which go before those of the account
 */
export function makeMeaningStore({
  connection,
  keys,
  given,
}: {
  connection: RedisConnection;
  keys: Keys;
  given: Meanings;
}) {
  async function ofAccount(): Promise<Map<string, StatusMeaning>> {
    const fields = Object.entries(await connection.hgetall(keys.account)).filter(([field]) => field.startsWith(FIELD));
    // A meaning that only a later version of Limitline knows is ignored.
    const known = fields.filter(([, meaning]) => MEANINGS.includes(meaning as StatusMeaning));
    return new Map(known.map(([field, meaning]) => [field.slice(FIELD.length), meaning as StatusMeaning]));
  }

  return {
    /** All meanings, those of the setting first. */
    async read(): Promise<Meanings> {
      return new Map([...(await ofAccount()), ...given]);
    },

    /** Sets the meaning of a status for the account, or removes it without a `meaning`. */
    async set(status: string, meaning: StatusMeaning | undefined): Promise<void> {
      const field = `${FIELD}${status}`;
      if (meaning === undefined) await writeAnyway(connection, 'HDEL', keys.account, field);
      else await writeAnyway(connection, 'HSET', keys.account, field, meaning);
    },

    /** All statuses of done rows in these portfolios, the most frequent first, and behind them those that only have a meaning. */
    async known(portfolios: readonly string[]): Promise<KnownStatus[]> {
      const kept = await ofAccount();
      const rows = new Map<string, number>([...kept.keys(), ...given.keys()].map((status) => [status, 0]));
      for (let from = 0; from < portfolios.length; from += PAGE) {
        const step = connection.pipeline();
        const page = portfolios.slice(from, from + PAGE);
        for (const name of page) step.hgetall(keys.sums(name, 'a')).hgetall(keys.sums(name, 'b'));
        const sides = ((await step.exec()) ?? []).map(([, fields]) => fields as Record<string, string>);
        for (const [status, count] of Object.entries(readTallied(sides).statuses)) {
          rows.set(status, (rows.get(status) ?? 0) + count);
        }
      }
      return [...rows]
        .map(([status, count]) => ({ status, rows: count, ...meaningOf(status, kept) }))
        .sort((a, b) => b.rows - a.rows || (a.status < b.status ? -1 : 1));
    },
  };

  function meaningOf(status: string, kept: ReadonlyMap<string, StatusMeaning>): Pick<KnownStatus, 'meaning' | 'from'> {
    if (status === APPROVED) return { meaning: 'approved', from: 'service' };
    const [set, account] = [given.get(status), kept.get(status)];
    if (set !== undefined) return { meaning: set, from: 'setting' };
    return account === undefined ? {} : { meaning: account, from: 'account' };
  }
}
