import { makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import type { Keys } from '../schema/keys.ts';
import { pausedItself, type SelfPause } from '../schema/pause-reasons.ts';

/** What there is to notice of a portfolio at one moment, without a look at its rows. */
export type Glance = {
  name: string;
  /** When it was finished, in ms of the server's clock; nothing while it goes on. */
  finishedMs: number | undefined;
  isPaused: boolean;
  /** Why it paused itself; nothing where a person did, or it goes on. */
  pausedItself: SelfPause | undefined;
  done: number;
  refused: number;
  held: number;
};

/** Portfolios looked at in one script: a millisecond of Redis' time. */
const PAGE = 200;

/** Fields that glances.lua answers of each portfolio. */
const FIELDS = 7;

/** Makes a function that glances at all portfolios of an account, a page at a time, the oldest first. */
export function makeGlances({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  const look = makeLuaScript(connection, new URL('../lua/glances.lua', import.meta.url));
  return async function* glances(): AsyncGenerator<Glance[]> {
    for (let from = 0, seen = PAGE; seen === PAGE; from += PAGE) {
      const [count, ...found] = (await look([keys.portfolios, keys.portfolio('')], [from, PAGE])) as (
        | string
        | number
      )[];
      seen = Number(count);
      yield Array.from({ length: found.length / FIELDS }, (_, place) => {
        return readGlance(found.slice(place * FIELDS, (place + 1) * FIELDS));
      });
    }
  };
}

function readGlance(fields: readonly (string | number)[]): Glance {
  const [name = '', finished = '', paused = '', firstOver = ''] = fields.map(String);
  const [done = 0, refused = 0, held = 0] = fields.slice(4).map(Number);
  return {
    name,
    finishedMs: finished === '' ? undefined : Number(finished),
    isPaused: paused !== '',
    pausedItself: pausedItself(paused, firstOver),
    done,
    refused,
    held,
  };
}
