import type { LedgerPlace } from '../schema/keys.ts';

/** Names of portfolios, and the cursor of the next page; undefined on the last. */
type NamesPage = { names: string[]; next?: string };

/** Names read at a time for a search by text. */
const LOOKED_AT = 2_000;

/** The portfolios of the account, the newest first, in pages. */
export function makePortfolioList({ connection, keys }: LedgerPlace) {
  /** The index in the list from which names follow this portfolio, or its former position if it is gone. */
  const placeBehind = async (after: string | undefined): Promise<number> => {
    const cursor = after === undefined ? undefined : readCursor(after);
    if (!cursor) return 0;
    const rank = await connection.zrevrank(keys.portfolios, cursor.name);
    if (rank !== null) return rank + 1;
    const [newer, same] = await Promise.all([
      connection.zcount(keys.portfolios, `(${cursor.ms}`, '+inf'),
      connection.zrangebyscore(keys.portfolios, cursor.ms, cursor.ms),
    ]);
    return newer + same.filter((name) => name > cursor.name).length;
  };
  const namesAt = async (from: number, count: number): Promise<{ name: string; ms: string }[]> => {
    const found = await connection.zrevrange(keys.portfolios, from, from + count - 1, 'WITHSCORES');
    return found.flatMap((name, place) => (place % 2 === 0 ? [{ name, ms: found[place + 1] ?? '0' }] : []));
  };

  return {
    count: (): Promise<number> => connection.zcard(keys.portfolios),

    /**
     * A page of names, ordered by first import, the latest first. `after` is the `next` of the previous page; it stays valid while
     * portfolios come and go.
     *
     * @param text part of the name, in any case
     */
    async page({ after, count, text = '' }: { after?: string; count: number; text?: string }): Promise<NamesPage> {
      const wanted = text.toLowerCase();
      const found: { name: string; ms: string }[] = [];
      const step = wanted === '' ? count + 1 : LOOKED_AT;
      for (let from = await placeBehind(after); found.length <= count; from += step) {
        const some = await namesAt(from, step);
        found.push(...some.filter(({ name }) => name.toLowerCase().includes(wanted)));
        if (some.length < step) break;
      }
      const shown = found.slice(0, count);
      const last = shown.at(-1);
      const names = shown.map(({ name }) => name);
      return found.length > count && last ? { names, next: `${last.ms} ${last.name}` } : { names };
    },
  };
}

/** Reads the cursor of a page, `<ms> <name>`; undefined for any other text, since a cursor comes from a URL. */
function readCursor(text: string): { ms: number; name: string } | undefined {
  const [, ms, name] = /^(\d{1,16}) (.{1,200})$/s.exec(text) ?? [];
  return ms === undefined || name === undefined ? undefined : { ms: Number(ms), name };
}
