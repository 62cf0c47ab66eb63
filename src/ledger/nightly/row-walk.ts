import { randomBytes } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import type { Keys } from '../schema/keys.ts';
import { GRANTED_STATES, is, type RowState, SETTLED_STATES, statesThat, UNFINISHED_STATES } from '../schema/row.ts';
import { fieldsOf, type StoredPage, type StoredRow, storedPage } from './stored-row.ts';

/**
 * In this order a row that gets on while it is walked comes once or twice, and never not at all: what is open first, then what
 * waits for people, then what has ended.
 */
export const WALKED_STATES = [
  ...UNFINISHED_STATES,
  ...statesThat('isHeld'),
  ...SETTLED_STATES.filter((state) => !is('isGranted', state)),
  ...GRANTED_STATES.toReversed(),
];

/** Rows at a time: a millisecond of Redis' time, and as much as may be alive here at once without outliving its looks. */
const PAGE = 50;

/** Stands between texts of rows; no text has it, since nobody can know it before. */
const BETWEEN = `\0${randomBytes(3).toString('base64url')}`;

/** Asks Redis for something, and may let others go first. */
export type Ask = <Answer>(command: () => Promise<Answer>) => Promise<Answer>;

/** How a walk reads: `withCalls` where what is odd about the calls of its rows is wanted, at twice the cost. */
type Walk = { portfolio: string; state: RowState; withCalls?: boolean; ask?: Ask };

export type RowWalks = ReturnType<typeof makeRowWalk>;

/** Reads rows with all that is kept in them, each as it is at one moment. */
export function makeRowWalk({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  const listRows = makeLuaScript(connection, new URL('../lua/list-rows.lua', import.meta.url));

  /**
   * The rows of a state, page by page, in the order of their lines. Each row that is there from the beginning to the end comes once,
   * whoever moves others meanwhile. The next page is read while this one is looked at.
   */
  return async function* walk({
    portfolio,
    state,
    withCalls = false,
    ask = (command) => command(),
  }: Walk): AsyncGenerator<Iterable<StoredRow>> {
    const places = { begins: keys.row(portfolio, ''), sets: [keys.rowsInState(portfolio, state)] };
    const fields = fieldsOf(state);
    const readPage = async (line: number, count: number): Promise<StoredPage> => {
      const told = { from: line, to: '+inf', count, withCalls: withCalls ? 1 : 0, between: BETWEEN, fields };
      const [rows, text] = (await ask(() => listRows(places, told))) as [number, string];
      return storedPage(portfolio, { rows, texts: text.split(BETWEEN), fields });
    };
    const read = (line: number, count: number) => {
      const page = readPage(line, count);
      // It may fail while nobody waits for it yet.
      page.catch(() => {});
      return page;
    };
    let count = PAGE;
    let line = 0;
    let seen = new Set<string>();
    for (let next: Promise<StoredPage> | undefined = read(line, count); next; ) {
      const found = await next;
      next = undefined;
      const fresh = placesIn(found).filter((at) => !(found.line(at) === line && seen.has(found.key(at))));
      const last = found.line(found.length - 1);
      if (found.length === count) {
        // Rows of many imports may share one line; a page of nothing else needs a longer one behind it.
        count = last === line ? count * 2 : PAGE;
        const sameLine = placesIn(found).filter((at) => found.line(at) === last);
        seen = new Set([...(last === line ? seen : []), ...sameLine.map(found.key)]);
        line = last;
        next = read(line, count);
        await untilSent();
      }
      if (fresh.length > 0) yield rowsOf(found, fresh);
    }
  };
}

/**
 * What is asked leaves in the turn of the event loop behind the one in which it is gathered. Who looks at a page takes no turn until
 * its end; Redis would wait for that, and then we for Redis.
 */
async function untilSent(): Promise<void> {
  await turn();
  await turn();
}

function placesIn({ length }: StoredPage): number[] {
  return Array.from({ length }, (_none, at) => at);
}

function* rowsOf(page: StoredPage, places: readonly number[]): Generator<StoredRow> {
  for (const at of places) yield page.row(at);
}
