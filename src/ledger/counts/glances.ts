import type { LedgerPlace } from '../schema/keys.ts';
import { pausedItself, type SelfPause } from '../schema/pause-reasons.ts';
import { type ReadCommand, readAtOnce } from '../schema/redis-reads.ts';
import type { RowState } from '../schema/row.ts';

/** The state of a portfolio at one moment, read without its rows. */
export type Glance = {
  name: string;
  /** When the portfolio was finished, in ms of the server's clock; undefined while it goes on. */
  finishedMs: number | undefined;
  /** Whether the portfolio is paused and has anything left to do. */
  isPaused: boolean;
  /** Why the portfolio paused itself; undefined if a person paused it, or `isPaused` is false. */
  pausedItself: SelfPause | undefined;
  done: number;
  refused: number;
  held: number;
  /** Whether some row has left the company step, so that something was made. */
  isBegun: boolean;
};

/** Portfolios read by one script: a millisecond of Redis' time. */
const PAGE = 200;

/** Characters read of a pause reason: its beginning identifies it. */
const MOST_TEXT = 120;

/** A portfolio at one moment: missing texts are '', pause reasons are cut, `counts` are its rows by state. */
type Look = { name: string; finished: string; paused: string; firstOver: string; counts: number[] };

/** Reads the state of all portfolios of an account in pages, the oldest or the newest first. */
export function makeLooks({ connection, keys }: LedgerPlace) {
  return async function* looks(
    states: readonly RowState[],
    { count, newest = false }: { count: number; newest?: boolean },
  ): AsyncGenerator<Look[]> {
    for (let from = 0, seen = count; seen === count; from += count) {
      const range = [keys.portfolios, `${from}`, `${from + count - 1}`] as const;
      const names = await (newest ? connection.zrevrange(...range) : connection.zrange(...range));
      seen = names.length;
      if (seen === 0) return;
      const { answers } = await readAtOnce(connection, names.flatMap(readingsOf(states)));
      const each = 2 + states.length;
      yield names.flatMap((name, at) => {
        const [place, texts, ...counts] = answers.slice(at * each, (at + 1) * each) as [
          unknown,
          (string | null)[],
          ...number[],
        ];
        // The portfolio was archived since its name was read, so its counts are incomplete.
        if (place === null) return [];
        const [finished = '', paused = '', firstOver = ''] = texts.map((text) => (text ?? '').slice(0, MOST_TEXT));
        return { name, finished, paused, firstOver, counts };
      });
    }
  };

  function readingsOf(states: readonly RowState[]) {
    return (name: string): ReadCommand[] => [
      ['ZSCORE', keys.portfolios, name],
      ['HMGET', keys.portfolio(name), 'finished', 'paused', 'firstOver'],
      ...states.map((state): ReadCommand => ['ZCARD', keys.rowsInState(name, state)]),
    ];
  }
}

/** Reads a {@link Glance} of all portfolios of an account in pages, the oldest first. */
export function makeGlances(ledger: LedgerPlace) {
  const looks = makeLooks(ledger);
  return async function* glances(): AsyncGenerator<Glance[]> {
    for await (const page of looks(GLANCED, { count: PAGE })) yield page.map(toGlance);
  };
}

const GLANCED = ['done', 'refused', 'held', 'documents', 'limit'] as const;

function toGlance({ name, finished, paused, firstOver, counts }: Look): Glance {
  const [done = 0, refused = 0, held = 0] = counts;
  const isPaused = paused !== '' && (finished === '' || held > 0);
  return {
    name,
    finishedMs: finished === '' ? undefined : Number(finished),
    isPaused,
    pausedItself: isPaused ? pausedItself(paused, firstOver) : undefined,
    done,
    refused,
    held,
    isBegun: counts.some((rows) => rows > 0),
  };
}

export type FailingPortfolio = { name: string; refused: number; held: number };

/** Portfolios read by one script: some milliseconds of Redis' time. */
const PAGE_OF_FAILING = 1_000;

/** Finds the latest portfolios with refused or held rows, `most` at most. */
export function makeFailingPortfolios(ledger: LedgerPlace) {
  const looks = makeLooks(ledger);
  return async (most: number): Promise<FailingPortfolio[]> => {
    const failing: FailingPortfolio[] = [];
    for await (const page of looks(['refused', 'held'], { count: PAGE_OF_FAILING, newest: true })) {
      for (const { name, counts } of page) {
        const [refused = 0, held = 0] = counts;
        if (refused + held > 0) failing.push({ name, refused, held });
        if (failing.length === most) return failing;
      }
    }
    return failing;
  };
}
