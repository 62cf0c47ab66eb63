import type { RedisConnection } from '../../lua-script.ts';
import { tripsOf } from '../calls/trips.ts';
import type { Keys } from '../schema/keys.ts';
import { ROW_STATES, type RowProblem } from '../schema/row.ts';
import type { RowId } from '../schema/row-id.ts';
import { makeListRows } from '../search/row-lists.ts';

/** The rows of a portfolio by the import that had them last. */
export function makeImportRows({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  const [listRows, trips] = [makeListRows({ connection, keys }), tripsOf(connection, keys)];
  const indexes = (portfolio: string) => ROW_STATES.map((state) => keys.rowsInState(portfolio, state));

  return {
    /** The rows of one import between two of its lines, both included, in the order of lines: some hundreds at a time. */
    async atLines(
      portfolio: string,
      importId: string,
      { from, to }: { from: number; to: number },
    ): Promise<{ row: RowId; line: number }[]> {
      const found = await listRows(portfolio, ROW_STATES, { from, to, count: -1 }, 'import');
      const rows = found.filter(({ field }) => field === importId);
      return rows.map(({ row, line }) => ({ row, line })).sort((a, b) => a.line - b.line);
    },

    /** The last line that any row of the portfolio has; 0 where there is none. */
    async lastLine(portfolio: string): Promise<number> {
      const ends = await Promise.all(
        indexes(portfolio).map((index) => connection.zrange(index, '-1', '-1', 'WITHSCORES')),
      );
      return Math.max(0, ...ends.map(([, line]) => Number(line ?? 0)));
    },

    /** The number of the import that had each of these rows last, in their order; '' for one that there is not. */
    async importsOf(rows: readonly RowId[]): Promise<string[]> {
      const imports = await Promise.all(
        rows.map(({ portfolio, key }) => connection.hget(keys.row(portfolio, key), 'import')),
      );
      return imports.map((found) => found ?? '');
    },

    /**
     * Cancels a row that the file of this import lacks, unless it was sent, or is of an import that began later. Answers
     * whether it did.
     */
    async leaveOut(
      row: RowId,
      { importId, begun }: { importId: string; begun: string },
      problem: RowProblem,
    ): Promise<boolean> {
      const file = { import: importId, begun, problem: JSON.stringify(problem) };
      return (await trips(row, { move: 'leaveOut', ...file })) === 1;
    },
  };
}
