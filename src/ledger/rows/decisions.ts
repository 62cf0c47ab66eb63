import type { RedisConnection } from '../../lua-script.ts';
import { batcherOf } from '../calls/batches.ts';
import type { Keys } from '../schema/keys.ts';
import type { RowRequest } from '../schema/row.ts';
import { type RowId, rowIdOf, rowName } from '../schema/schema.ts';

/** What the service said later of a limit; see lua/rare-moves.lua. Amounts are decimal text, '' for none. */
export type LaterWord = {
  /** The limit's id. */
  limit: string;
  status: string;
  total: string;
  available: string;
  /** When it was decided, in ISO 8601 with ms, UTC: texts of one length, which compare as times do. */
  at: string;
};

/**
 * What became of a later word. `taken`: the row has it now. `same`: the row says that already. `older`: the row has a later one.
 * `contradicts`: the row has another one of the same moment. `not made`: the row's limit is another one, or not made.
 */
export type DecidedAs = 'taken' | 'same' | 'older' | 'contradicts' | 'not made';

/** A limit's rows: the one for which it was made, and others that skipped it since it was made before. */
export type DecidedRows = { rows: RowId[]; requested: string };

export type Decided = ReturnType<typeof makeDecisions>;

/** Decisions of the service that come after its answer. */
export function makeDecisions({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  const runInBatch = batcherOf(connection, keys);

  return {
    /** The id of the limit of a row, as results name it: `<portfolio>/<key>`; undefined for none. */
    async limitOf(name: string): Promise<string | undefined> {
      const row = rowIdOf(name);
      return row ? ((await connection.hget(keys.row(row.portfolio, row.key), 'limit')) ?? undefined) : undefined;
    },

    /** The rows with this limit; undefined if no call of the account made it. An archived row is named without the others. */
    async rowsOf(limit: string): Promise<DecidedRows | undefined> {
      const key = await connection.hget(keys.madeIds('limit', limit), limit);
      if (key === null) return undefined;
      const maker = rowIdOf((await connection.hget(keys.call('limit', key), 'row')) ?? '');
      if (!maker) return undefined;
      const text = await connection.hget(keys.row(maker.portfolio, maker.key), 'request');
      if (text === null) return { rows: [maker], requested: '' };
      const request = JSON.parse(text) as RowRequest;
      const names = await connection.hkeys(keys.buyerRows(request.buyer));
      const rows = [rowName(maker), ...names.filter((name) => name.endsWith(`/${key}`) && name !== rowName(maker))];
      return { rows: rows.flatMap((name) => rowIdOf(name) ?? []), requested: request.limit.requested_limit };
    },

    /**
     * Puts a later word in the place of the row's earlier one, unless that is as late or later.
     *
     * @param told who brought it, with which file, for the row's history
     * @param isTold false only answers what would become of it
     * @throws LimitlineError `USAGE` for a row of an archived or forgotten portfolio
     */
    async decide(row: RowId, word: LaterWord, told: { by: string; file: string }, isTold = true): Promise<DecidedAs> {
      const by = isTold ? JSON.stringify({ is: 'decided', ...told, at: word.at }) : '';
      return (await runInBatch(row, { move: 'decide', ...word, told: by })) as DecidedAs;
    },
  };
}
