import { makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import type { Keys } from '../schema/keys.ts';
import { makeEventRows } from './event-rows.ts';
import { type EventLimits, eventKeys, makeKeepEvents } from './keep-events.ts';
import { makeReadEvents } from './read-events.ts';

/** Events deleted by one script: each has up to 64 index entries, and its content may be long. */
const DROPPED_AT_ONCE = 20;

/** Events of one id that are read at once to be deleted. */
const FORGOTTEN_AT_ONCE = 100;

export type Events = ReturnType<typeof makeEvents>;

/**
 * The service's events, raw, for as long as they are kept. Their kinds, format and signature are unknown (docs/service.md, "Events"), so
 * they are not trusted and change nothing. An id of ours anywhere in an event links it to its rows.
 */
export function makeEvents(deps: { connection: RedisConnection; keys: Keys; limits: EventLimits }) {
  const { connection, keys, limits } = deps;
  const dropScript = makeLuaScript(connection, new URL('../lua/drop-events.lua', import.meta.url));
  const reading = makeReadEvents(deps);

  /** Answers how many existed. */
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
     * Deletes all expired events, and answers how many. The count of rejected events is reset when the last rejection is older than all
     * kept events.
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
     * Deletes all events that contain any of these ids, with their content, and answers how many. An event that also names other rows is
     * deleted too: it is one text, and its parts cannot be told apart.
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
