import { makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import type { Keys } from '../schema/keys.ts';
import { makeEventRows } from './event-rows.ts';
import { type EventLimits, eventKeys, makeKeepEvents } from './keep-events.ts';
import { makeReadEvents } from './read-events.ts';

/** Events that one script drops: each is found by up to 64 ids, and its content may be long. */
const DROPPED_AT_ONCE = 20;

/** Events of one id that are looked for at once to be forgotten. */
const FORGOTTEN_AT_ONCE = 100;

export type Events = ReturnType<typeof makeEvents>;

/**
 * What the service's events were, raw, for as long as they are kept. Nothing is believed of them: their kinds, shape and signature are
 * not shown (docs/service.md, "Events"), so they change nothing. An id of ours that stands in one, wherever, links it to its rows.
 */
export function makeEvents(deps: { connection: RedisConnection; keys: Keys; limits: EventLimits }) {
  const { connection, keys, limits } = deps;
  const dropScript = makeLuaScript(connection, new URL('../lua/drop-events.lua', import.meta.url));
  const reading = makeReadEvents(deps);

  /** Answers how many there were. */
  async function drop(ids: readonly string[]): Promise<number> {
    let dropped = 0;
    for (let from = 0; from < ids.length; from += DROPPED_AT_ONCE) {
      dropped += Number(await dropScript(eventKeys(keys), { ids: ids.slice(from, from + DROPPED_AT_ONCE) }));
    }
    return dropped;
  }

  return {
    ...reading,
    ...makeEventRows(deps),
    limits,
    keep: makeKeepEvents(deps),

    /**
     * Drops all that are older than they are kept for, and answers how many that were. That events were not taken is told for as long:
     * the last of them came before all that are here.
     */
    async dropOld(): Promise<number> {
      const [seconds] = await connection.time();
      const beforeMs = Number(seconds) * 1_000 - limits.keepMs;
      const before = `(${beforeMs}`;
      const { fullMs } = await reading.totals();
      if (fullMs !== undefined && fullMs < beforeMs)
        await connection.hdel(keys.eventTotals, 'full', 'fullMs', 'fullBy');
      const next = () => connection.zrange(keys.eventsLately, '-inf', before, 'BYSCORE', 'LIMIT', 0, DROPPED_AT_ONCE);
      let dropped = 0;
      for (let old = await next(); old.length > 0; old = await next()) dropped += await drop(old);
      return dropped;
    },

    /**
     * Drops all events in which any of these ids stands, with all that they hold, and answers how many that were. An event that names
     * other rows besides goes as well: it is one text, and nobody can tell whose words are whose.
     */
    async forget(ids: readonly string[]): Promise<number> {
      let forgotten = 0;
      for (const id of new Set(ids)) {
        let dropped: number;
        do {
          dropped = await drop(await reading.withId(id, FORGOTTEN_AT_ONCE));
          forgotten += dropped;
        } while (dropped > 0);
      }
      return forgotten;
    },
  };
}
