import { LimitlineError } from '../../errors.ts';
import type { RedisConnection } from '../../lua-script.ts';
import type { Keys } from '../keys.ts';
import type { ArchivedPortfolio, ArchiveState, ArchiveStateName } from './archive-state.ts';

export type Archives = ReturnType<typeof makeArchives>;

/** The portfolios of the account that left Redis for files, or are on their way. */
export function makeArchives({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  /** Where a portfolio is on that way; nothing where it is one like others, or none. */
  async function read(name: string): Promise<ArchivedPortfolio | undefined> {
    const text = await connection.hget(keys.portfolio(name), 'archive');
    return text === null ? undefined : { name, ...(JSON.parse(text) as ArchiveState) };
  }

  return {
    read,

    /** Those that are archived or forgotten, the latest first. */
    async list(): Promise<ArchivedPortfolio[]> {
      const names = await connection.zrevrange(keys.archives, 0, -1);
      const found = await Promise.all(names.map(read));
      return found.filter((each) => each !== undefined);
    },

    /** So many of them from a place on, the latest first. */
    async page(from: number, count: number): Promise<ArchivedPortfolio[]> {
      const names = await connection.zrevrange(keys.archives, from, from + count - 1);
      const found = await Promise.all(names.map(read));
      return found.filter((each) => each !== undefined);
    },

    /** How many there are. */
    count: (): Promise<number> => connection.zcard(keys.archives),

    /** @throws LimitlineError `USAGE` where a portfolio is archived, or on its way: nothing may be done to its rows */
    async mustBeHere(name: string): Promise<void> {
      const found = await read(name);
      if (found) throw archivedFault(found);
    },
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
