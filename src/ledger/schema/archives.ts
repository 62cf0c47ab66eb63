import { LimitlineError } from '../../errors.ts';
import type { RedisConnection } from '../../lua-script.ts';
import type { Keys } from './keys.ts';
import { ROW_STATES, type RowState } from './row.ts';

export type Archives = ReturnType<typeof makeArchives>;

/** The portfolios of the account that left Redis for files, or are on their way. */
export function makeArchives({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  /** Where a portfolio is on that way; nothing where it is one like others, or none. */
  async function read(name: string): Promise<ArchivedPortfolio | undefined> {
    const text = await connection.hget(keys.portfolio(name), 'archive');
    return text === null ? undefined : { name, ...(JSON.parse(text) as ArchiveState) };
  }

  async function between(from: number, to: number): Promise<ArchivedPortfolio[]> {
    const found = await Promise.all((await connection.zrevrange(keys.archives, from, to)).map(read));
    return found.filter((each) => each !== undefined);
  }

  return {
    read,

    /** Those that are archived or forgotten, the latest first. */
    list: (): Promise<ArchivedPortfolio[]> => between(0, -1),

    /** So many of them from a place on, the latest first. */
    page: (from: number, count: number): Promise<ArchivedPortfolio[]> => between(from, from + count - 1),

    /** How many there are. */
    count: (): Promise<number> => connection.zcard(keys.archives),

    /** @throws LimitlineError `USAGE` where a portfolio is archived, or on its way: nothing may be done to its rows */
    async mustBeHere(name: string): Promise<void> {
      const found = await read(name);
      if (found) throw archivedFault(found);
    },
  };
}

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

/** What somebody is told who would change a portfolio that is archived, or on its way. */
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

/** Where the portfolio is for which this was thrown; nothing for any other error. What looks after many portfolios goes on with the next. */
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
 * Where a portfolio is on its way out of Redis, or back:
 *
 * - `archiving`: its files are being written; all its rows are still in Redis
 * - `leaving`: its files are there, read back and compared; its rows are being taken out of Redis
 * - `archived`: its rows are in its files alone
 * - `restoring`: its rows are being put back into Redis
 * - `forgetting`: what is known of people is being taken out, of Redis and of the files
 * - `forgotten`: nothing of it comes back
 *
 * From the first to the last of these no script changes the portfolio or its rows: whatever would is answered that it is archived.
 */
export const ARCHIVE_STATES = ['archiving', 'leaving', 'archived', 'restoring', 'forgetting', 'forgotten'] as const;
export type ArchiveStateName = (typeof ARCHIVE_STATES)[number];

/** What stays in Redis of a portfolio whose rows left it: the field `archive` of its hash, as JSON. */
export type ArchiveState = {
  is: ArchiveStateName;
  /** Names this archive among all that there ever were of the portfolio: its folder in the data folder. */
  id: string;
  /** Who asked for it: a user, or `nightly`. */
  by: string;
  /** When it came into this state, in ms. */
  sinceMs: number;
  /** When the portfolio was begun, which is its place among the others, and when it was finished, in ms. */
  startedMs: number;
  finishedMs: number;
  /** Of one that comes back: which process brings it, and which attempt of it. */
  run?: string;
  /** Rows in each state, and the sums of what was requested and granted as decimal texts: what a list shows. */
  states?: Readonly<Record<string, number>>;
  requested?: string;
  granted?: string;
  /** Bytes of the archive's files, and the SHA-256 of its manifest, in hexadecimal. */
  sizeBytes?: number;
  sha256?: string;
};

/** A portfolio whose rows are not in Redis, or just leave it or come back. */
export type ArchivedPortfolio = { name: string } & ArchiveState;

/** Where a portfolio is, in a list. */
export const ARCHIVE_STANDING: Readonly<Record<ArchiveStateName, string>> = {
  archiving: 'being archived',
  leaving: 'being archived',
  archived: 'archived',
  restoring: 'being restored',
  forgetting: 'being forgotten',
  forgotten: 'forgotten',
};

/** The rows that it had, each state by its count, in the order of states; those without rows are left out. */
export function archivedStates({ states = {} }: Pick<ArchivedPortfolio, 'states'>): [RowState, number][] {
  return ROW_STATES.flatMap((state) => ((states[state] ?? 0) > 0 ? [[state, states[state] ?? 0]] : []));
}

/** How many rows it had in all. */
export function archivedRows(archived: Pick<ArchivedPortfolio, 'states'>): number {
  return archivedStates(archived).reduce((sum, [, count]) => sum + count, 0);
}
