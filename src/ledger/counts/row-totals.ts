import type { RedisConnection } from '../../lua-script.ts';
import { writeAnyway } from '../../redis-memory/write-anyway.ts';
import type { Keys } from '../schema/keys.ts';
import { OPEN_STATES, ROW_STATES, type RowState } from '../schema/row.ts';
import { makeLooks } from './glances.ts';

/** What an account has in all. */
export type RowTotals = {
  rows: Record<RowState, number>;
  portfolios: number;
  /** Portfolios with something still to be done, and those that stand still until somebody lets them go on. */
  open: number;
  paused: number;
  /** Open rows of portfolios that are not paused: what waits for a person's approval alone is none of them. */
  toSend: number;
};

/** Portfolios counted in one script: some milliseconds of Redis' time. */
const PAGE = 500;

/** What one process has counted is good for all others for so long: ten thousand portfolios cost Redis a tenth of a second. */
const KEPT_MS = 10_000;

/**
 * Makes a function that counts the rows of all portfolios of an account by state. What was counted lately, by whichever
 * process, is answered again, so a fleet that is looked at every few seconds counts once.
 */
export function makeRowTotals({
  connection,
  keys,
  keptMs = KEPT_MS,
}: {
  connection: RedisConnection;
  keys: Keys;
  keptMs?: number;
}): () => Promise<RowTotals> {
  const looks = makeLooks({ connection, keys });
  return async () => {
    const kept = await connection.get(keys.rowTotals);
    if (kept !== null) return JSON.parse(kept) as RowTotals;
    const sums = ROW_STATES.map(() => 0);
    const totals = { portfolios: 0, open: 0, paused: 0, toSend: 0 };
    for await (const page of looks(ROW_STATES, { count: PAGE })) {
      for (const { finished, paused, counts } of page) {
        totals.portfolios += 1;
        if (finished === '') totals.open += 1;
        if (paused !== '') totals.paused += 1;
        for (const [place, rows] of counts.entries()) {
          sums[place] = (sums[place] ?? 0) + rows;
          if (paused === '' && place < OPEN_STATES.length) totals.toSend += rows;
        }
      }
    }
    const rows = Object.fromEntries(ROW_STATES.map((state, place) => [state, sums[place] ?? 0]));
    const found: RowTotals = { rows: rows as RowTotals['rows'], ...totals };
    await writeAnyway(connection, 'SET', keys.rowTotals, JSON.stringify(found), 'PX', keptMs);
    return found;
  };
}
