import { LimitlineError } from '../../errors.ts';
import type { LedgerPlace } from './keys.ts';
import { ROW_STATES, type RowState } from './row.ts';

export type Archives = ReturnType<typeof makeArchives>;

/** Reads the account's portfolios that are archived or forgotten, or on the way to or from that. */
export function makeArchives({ connection, keys }: LedgerPlace) {
  /** The archive state of a portfolio; undefined for an ordinary portfolio, or if there is none of this name. */
  async function read(name: string): Promise<ArchivedPortfolio | undefined> {
    const text = await connection.hget(keys.portfolio(name), 'archive');
    return text === null ? undefined : { name, ...(JSON.parse(text) as ArchiveState) };
  }

  async function between(from: number, to: number): Promise<ArchivedPortfolio[]> {
    const found = await Promise.all((await connection.zrevrange(keys.archives, from, to)).map(read));
    return found.filter((each) => each !== undefined);
  }

  /** The portfolios of a list that lack a field which each of them has. */
  async function lostOf(list: string, field: 'started' | 'archive'): Promise<string[]> {
    const lost: string[] = [];
    const names = await connection.zrange(list, '0', '-1');
    for (let from = 0; from < names.length; from += PAGE) {
      const page = names.slice(from, from + PAGE);
      const step = connection.pipeline();
      for (const name of page) step.hexists(keys.portfolio(name), field);
      const has = (await step.exec()) ?? [];
      lost.push(...page.filter((_, place) => has[place]?.[1] === 0));
    }
    // A portfolio that was archived or restored meanwhile has left the list.
    const listed = lost.length > 0 ? await connection.zmscore(list, ...lost) : [];
    return lost.filter((_, place) => listed[place] !== null);
  }

  return {
    read,

    /** All portfolios whose rows have left Redis, are leaving, or are being restored (`leaving` to `forgotten`), the latest first. */
    list: (): Promise<ArchivedPortfolio[]> => between(0, -1),

    /** `count` of the portfolios of `list` from index `from` on, the latest first. */
    page: (from: number, count: number): Promise<ArchivedPortfolio[]> => between(from, from + count - 1),

    /** Number of the portfolios of `list`. */
    count: (): Promise<number> => connection.zcard(keys.archives),

    /** The listed portfolios of which Redis has no record any more: ordinary ones, and archived ones. */
    async lost(): Promise<{ here: string[]; archived: string[] }> {
      const [here, archived] = await Promise.all([
        lostOf(keys.portfolios, 'started'),
        lostOf(keys.archives, 'archive'),
      ]);
      return { here, archived };
    },

    /** @throws LimitlineError `USAGE` if a portfolio is in any of the {@link ARCHIVE_STATES}: its rows must not be changed */
    async mustBeHere(name: string): Promise<void> {
      const found = await read(name);
      if (found) throw archivedFault(found);
    },
  };
}

/** The portfolios that a nightly run archives or forgets. */
type OldPortfolios = {
  /** Portfolios that are in one of the {@link ARCHIVE_STATES}; the earliest first. */
  archived: ArchivedPortfolio[];
  /** Ordinary portfolios that were finished, and last restored, before the given moment; the one finished first comes first. */
  finished: string[];
};

/** Portfolios read with one pipeline: two fields each, a few milliseconds of Redis' time. */
const PAGE = 500;

/**
 * Finds portfolios that are archived or on the way, and portfolios that were finished before a moment. Reads two fields of each, so ten
 * thousand portfolios take some twenty requests.
 */
export async function findOldPortfolios({ connection, keys }: LedgerPlace, beforeMs: number): Promise<OldPortfolios> {
  const archived = new Map<string, ArchivedPortfolio>();
  const finished: { name: string; atMs: number }[] = [];
  // Archived ones are read before and after the others, so that none is missed which is archived or restored during this walk.
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

/** The error for a change to a portfolio that is in one of the {@link ARCHIVE_STATES}. */
export function archivedFault({ name, is }: Pick<ArchivedPortfolio, 'name' | 'is'>): LimitlineError {
  const words = {
    archiving: `${name} is being archived: try again when that has ended.`,
    leaving: `${name} is being archived: try again when that has ended.`,
    archived: `${name} is archived: npx limitline restore "${name}" brings its rows back.`,
    restoring: `${name} is being restored: try again when that has ended.`,
    forgetting: `${name} is being forgotten: nothing of it can be changed.`,
    forgotten: `${name} was forgotten: nothing of it can be changed, and nothing comes back.`,
  }[is];
  return new ArchivedFault(is, words);
}

/**
 * The archive state that an error of {@link archivedFault} names; undefined for any other error. Work on many portfolios then skips the
 * portfolio of the error.
 */
export function archivedOf(error: unknown): ArchiveStateName | undefined {
  return error instanceof ArchivedFault ? error.is : undefined;
}

class ArchivedFault extends LimitlineError {
  readonly is: ArchiveStateName;

  constructor(is: ArchiveStateName, words: string) {
    super('USAGE', words);
    this.is = is;
  }
}

/**
 * Archive states of a portfolio:
 *
 * - `archiving`: its files are being written; all its rows are still in Redis
 * - `leaving`: its files are written, read back and compared; its rows are being deleted from Redis
 * - `archived`: its rows are only in its files
 * - `restoring`: its rows are being written back into Redis
 * - `forgetting`: personal data is being deleted from Redis and from the files
 * - `forgotten`: it cannot be restored
 *
 * In each of these states the scripts reject every change to the portfolio or its rows, with an error that names the state.
 */
export const ARCHIVE_STATES = ['archiving', 'leaving', 'archived', 'restoring', 'forgetting', 'forgotten'] as const;
export type ArchiveStateName = (typeof ARCHIVE_STATES)[number];

/** The state of an archived portfolio that Redis keeps: the field `archive` of the portfolio's hash, as JSON. */
export type ArchiveState = {
  is: ArchiveStateName;
  /** Unique among all archives of the portfolio that ever were; names the archive's folder in the data folder. */
  id: string;
  /** Who asked to archive or to forget the portfolio: a user, or `nightly`. */
  by: string;
  /** When the portfolio came into this state, in ms. */
  sinceMs: number;
  /** When the portfolio was begun (lists are ordered by it), and when it was finished, in ms. */
  startedMs: number;
  finishedMs: number;
  /** The process and the attempt that restore the portfolio; only while it is restored. */
  run?: string;
  /** For lists: rows in each state, and the sums requested and granted as decimal text. */
  states?: Readonly<Record<string, number>>;
  requested?: string;
  granted?: string;
  /** The one currency that all files of the portfolio name; undefined too where an older version archived it. */
  currency?: string;
  /** Bytes of the archive's files, and the SHA-256 of its manifest, in hexadecimal. */
  sizeBytes?: number;
  sha256?: string;
};

/** A portfolio whose rows are not in Redis, or are being archived or restored. */
export type ArchivedPortfolio = { name: string } & ArchiveState;

/** Archive states as lists show them. */
export const ARCHIVE_STANDING: Readonly<Record<ArchiveStateName, string>> = {
  archiving: 'being archived',
  leaving: 'being archived',
  archived: 'archived',
  restoring: 'being restored',
  forgetting: 'being forgotten',
  forgotten: 'forgotten',
};

/** Rows in each state, in the order of states; states without rows are left out. */
export function archivedStates({ states = {} }: Pick<ArchivedPortfolio, 'states'>): [RowState, number][] {
  return ROW_STATES.flatMap((state) => ((states[state] ?? 0) > 0 ? [[state, states[state] ?? 0]] : []));
}

export function archivedRows(archived: Pick<ArchivedPortfolio, 'states'>): number {
  return archivedStates(archived).reduce((sum, [, count]) => sum + count, 0);
}
