import type { RedisConnection } from '../../lua-script.ts';
import { APPROVED, MEANINGS, type Meanings, type StatusMeaning } from '../../status-meaning.ts';
import { makeGatedScript } from '../schema/gated-script.ts';
import type { Keys } from '../schema/keys.ts';
import { readTallied } from './sums.ts';

/** A status that the service answered, or that has a meaning. `from`: where the meaning was given; `by`: who gave it for the account. */
export type KnownStatus = {
  status: string;
  rows: number;
  meaning?: StatusMeaning;
  from?: 'service' | 'setting' | 'account';
  by?: string;
};

export type MeaningStore = ReturnType<typeof makeMeaningStore>;

/** The meaning of a status when a person last looked at it; undefined if the status had none. */
export type SeenMeaning = { meaning: StatusMeaning | undefined };

const FIELD = 'meaning:';
const BY_FIELD = 'meantBy:';

/** Portfolios whose sums are read at once: some milliseconds of Redis' time. */
const PAGE = 100;

/**
 * What people say that the service's statuses mean, for one account. Only the meaning of `approved` is known from the service
 * (docs/service.md, "Status of a limit").
 *
 * @param given the meanings of the setting STATUS_MEANINGS, which go before those of the account
 */
export function makeMeaningStore(asked: { connection: RedisConnection; keys: Keys; given: Meanings }) {
  const { connection, keys, given } = asked;
  const change = makeGatedScript(connection, 'general#change-fields');

  /** The values of the account's fields whose names begin with `begins`, by the rest of the name, which is a status. */
  function fieldsOf(account: Readonly<Record<string, string>>, begins: string): Map<string, string> {
    const fields = Object.entries(account).filter(([field]) => field.startsWith(begins));
    return new Map(fields.map(([field, text]) => [field.slice(begins.length), text]));
  }

  function meaningsIn(account: Readonly<Record<string, string>>): Map<string, StatusMeaning> {
    // A meaning that only a later version of Limitline knows is ignored.
    const known = [...fieldsOf(account, FIELD)].filter(([, meaning]) => MEANINGS.includes(meaning as StatusMeaning));
    return new Map(known as [string, StatusMeaning][]);
  }

  return {
    /** All meanings, those of the setting first. */
    async read(): Promise<Meanings> {
      return new Map([...meaningsIn(await connection.hgetall(keys.account)), ...given]);
    },

    /**
     * Sets the meaning of a status for the account, in a person's name, or removes it without a `meaning`. Answers false, and changes
     * nothing, if it is no longer the one that was `seen`.
     */
    async set(status: string, meaning: StatusMeaning | undefined, by = '', seen?: SeenMeaning): Promise<boolean> {
      const [field, byField] = [`${FIELD}${status}`, `${BY_FIELD}${status}`];
      const kept = (await connection.hget(keys.account, field)) ?? '';
      if (seen && seen.meaning !== meaningsIn({ [field]: kept }).get(status)) return false;
      const still = seen ? ['IS', field, kept] : [];
      const command = meaning === undefined ? 'HDEL' : 'HSET';
      const changes = [...still, command, field, meaning ?? '', command, byField, by];
      return (await change({ hash: keys.account }, { changes })) !== null;
    },

    /** All statuses of done rows in these portfolios, the most frequent first, then the statuses that have a meaning and no such row. */
    async known(portfolios: readonly string[]): Promise<KnownStatus[]> {
      const account = await connection.hgetall(keys.account);
      const [kept, by] = [meaningsIn(account), fieldsOf(account, BY_FIELD)];
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
        .map(([status, count]) => ({ status, rows: count, ...meaningOf(status, kept, by) }))
        .sort((a, b) => b.rows - a.rows || (a.status < b.status ? -1 : 1));
    },
  };

  function meaningOf(
    status: string,
    kept: ReadonlyMap<string, StatusMeaning>,
    saidBy: ReadonlyMap<string, string>,
  ): Omit<KnownStatus, 'status' | 'rows'> {
    if (status === APPROVED) return { meaning: 'approved', from: 'service' };
    const [set, account] = [given.get(status), kept.get(status)];
    if (set !== undefined) return { meaning: set, from: 'setting' };
    const by = saidBy.get(status);
    return account === undefined ? {} : { meaning: account, from: 'account', ...(by && { by }) };
  }
}
