import { ledgerScript } from '../schema/gated-script.ts';
import type { LedgerPlace } from '../schema/keys.ts';
import { answersOf } from '../schema/redis-reads.ts';
import { type RowId, rowIdOf } from '../schema/schema.ts';

export type BuyerLists = ReturnType<typeof makeBuyerLists>;

/** Most requests of one buyer that are read; the list of a buyer with more is not compared. */
const MOST_REQUESTS = 500;

/** Compares the lists of buyers' limits with the limits that were made. */
export function makeBuyerLists({ connection, keys }: LedgerPlace) {
  const mend = ledgerScript(connection, 'buyers#mend-buyer-limits');

  /** The ids of all limits made for a buyer's requests, by their calls and rows; undefined with too many requests. */
  async function madeFor(buyer: string): Promise<Set<string> | undefined> {
    if ((await connection.hlen(keys.buyerRows(buyer))) > MOST_REQUESTS) return undefined;
    const step = connection.pipeline();
    for (const name of await connection.hkeys(keys.buyerRows(buyer))) {
      const row = rowIdOf(name);
      if (!row) return undefined;
      step.hmget(keys.call('limit', row.key), 'id', 'again').hmget(keys.row(row.portfolio, row.key), 'limit');
    }
    const answers = answersOf(await step.exec()) as (string | null)[][];
    return new Set(answers.flat().filter((id) => id !== null));
  }

  return {
    /** Adds the limit of a done row to its buyer's list, and answers whether it was missing. */
    async add(row: RowId, { buyer, id }: { buyer: string; id: string }): Promise<boolean> {
      const made = [keys.row(row.portfolio, row.key), keys.call('limit', row.key)];
      const added = (await mend({ limits: keys.buyerLimits(buyer), made }, { id })) as string[];
      return added.length === 1;
    },

    /** Removes repeated ids from a buyer's list. Answers them, and the ids that none of the buyer's requests made. */
    async look(buyer: string): Promise<{ twice: string[]; unknown: string[] }> {
      const list = await connection.lrange(keys.buyerLimits(buyer), 0, -1);
      const ids = new Set(list);
      const single = () => mend({ limits: keys.buyerLimits(buyer) }, {}) as Promise<string[]>;
      const twice = ids.size < list.length ? await single() : [];
      const made = await madeFor(buyer);
      const unknown = made ? [...ids].filter((id) => !made.has(id)) : [];
      return { twice, unknown };
    },
  };
}
