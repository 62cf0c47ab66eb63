import type { RedisConnection } from '../../lua-script.ts';
import type { Keys } from '../keys.ts';
import type { ArchivedPortfolio, ArchiveState } from './archive-state.ts';

/** Which portfolios a night has to look at. */
export type OldPortfolios = {
  /** Those that are archived, forgotten or on their way; those that came there first stand first. */
  archived: ArchivedPortfolio[];
  /** Those that were finished, and put back, before the moment that was asked for, and are like others; the one finished first stands first. */
  finished: string[];
};

/** Portfolios asked for in one go: two fields of each, a few milliseconds of Redis' time. */
const PAGE = 500;

/**
 * Finds the portfolios that are archived or on their way, and those that were finished before a moment. Of each it reads two fields,
 * so ten thousand are some twenty questions.
 */
export async function findOldPortfolios(
  { connection, keys }: { connection: RedisConnection; keys: Keys },
  beforeMs: number,
): Promise<OldPortfolios> {
  const archived = new Map<string, ArchivedPortfolio>();
  const finished: { name: string; atMs: number }[] = [];
  // One that leaves or comes back meanwhile stands in both lists, or in that which is read last.
  for (const list of [keys.archives, keys.portfolios, keys.archives]) {
    const names = await connection.zrange(list, '0', '-1');
    for (let from = 0; from < names.length; from += PAGE) {
      const page = names.slice(from, from + PAGE).filter((name) => !archived.has(name));
      const step = connection.pipeline();
      for (const name of page) step.hmget(keys.portfolio(name), 'finished', 'archive');
      const answers = (await step.exec()) ?? [];
      const restored = page.length > 0 ? await connection.zmscore(keys.restored, ...page) : [];
      for (const [place, name] of page.entries()) {
        const [error, fields] = answers[place] ?? [];
        if (error) throw error;
        const [endedMs, text] = (fields ?? []) as (string | null)[];
        if (text) archived.set(name, { name, ...(JSON.parse(text) as ArchiveState) });
        else if (endedMs && Math.max(Number(endedMs), Number(restored[place] ?? 0)) < beforeMs)
          finished.push({ name, atMs: Number(endedMs) });
      }
    }
  }
  const inOrder = finished.filter(({ name }) => !archived.has(name)).sort((one, other) => one.atMs - other.atMs);
  return {
    archived: [...archived.values()].sort((one, other) => one.sinceMs - other.sinceMs),
    finished: [...new Set(inOrder.map(({ name }) => name))],
  };
}
