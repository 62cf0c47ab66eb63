import { makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import { readPair } from '../calls/verdicts.ts';
import { nightsOf } from '../schema/at-night.ts';
import type { Keys } from '../schema/keys.ts';
import type { IndexedRow, RowResult, RowState, Step } from '../schema/row.ts';
import type { RowId } from '../schema/row-id.ts';

export type RowLists = ReturnType<typeof makeRowLists>;

/** Which rows are in a state, and what became of each; nothing here changes one. */
export function makeRowLists({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  const script = (name: string) => makeLuaScript(connection, new URL(`../lua/${name}.lua`, import.meta.url));
  const [waitingRows, rowsBehind] = [script('waiting-rows'), script('rows-behind')];
  const setsOf = (portfolio: string, state: RowState) => [keys.rowsInState(portfolio, state), keys.row(portfolio, '')];

  return {
    /**
     * Rows of one state, in the order of their lines, from a line on: a place that stays one while others move rows. Rows of
     * several imports may share a line.
     */
    async behind(portfolio: string, state: RowState, { line, count }: { line: number; count: number }) {
      const found = (await rowsBehind(setsOf(portfolio, state), [line, count])) as string[];
      const rows: IndexedRow[] = [];
      for (let place = 0; place < found.length; place += 3) {
        const [key = '', at, step] = found.slice(place, place + 3);
        rows.push({ row: { portfolio, key }, line: Number(at), step: step as Step });
      }
      return rows;
    },

    /** Rows of one state, in the order of their lines, each with the step that it is at or begins with. */
    async inState(portfolio: string, state: RowState, { from = 0, count }: { from?: number; count: number }) {
      const found = (await waitingRows(setsOf(portfolio, state), [from, count])) as string[];
      const rows: { row: RowId; step: Step }[] = [];
      for (let place = 0; place < found.length; place += 2) {
        rows.push({ row: { portfolio, key: found[place] ?? '' }, step: found[place + 1] as Step });
      }
      return rows;
    },

    /** Whether the row is counted in that state. */
    async isIn(row: RowId, state: RowState): Promise<boolean> {
      return (await connection.zscore(keys.rowsInState(row.portfolio, state), row.key)) !== null;
    },

    /** What became of each of these rows, in their order; nothing for one that the ledger does not know. */
    async read(rows: readonly RowId[]): Promise<(RowResult | undefined)[]> {
      return Promise.all(rows.map(async (row) => toResult(await connection.hgetall(keys.row(row.portfolio, row.key)))));
    },
  };
}

function toResult(fields: Record<string, string>): RowResult | undefined {
  if (!fields.state || !fields.request) return undefined;
  const atNight = nightsOf(fields.atNight, fields.rev);
  return {
    state: fields.state as RowState,
    step: (fields.step ?? 'company') as Step,
    line: Number(fields.line),
    importId: fields.import ?? '',
    replaced: fields.replaced !== undefined,
    request: JSON.parse(fields.request),
    companyId: fields.company ?? '',
    documentIds: fields.documents ? fields.documents.split('|') : [],
    limitId: fields.limit ?? '',
    record: fields.record ? JSON.parse(fields.record) : {},
    problem: fields.problem ? JSON.parse(fields.problem) : undefined,
    cause: fields.cause,
    approval: fields.approval,
    statements: fields.statements,
    awaits: fields.was ? awaitsOf(fields.was, fields.answer) : undefined,
    again: fields.again ? readPair(fields.again) : undefined,
    ...(atNight ? { atNight } : {}),
    ...(Number(fields.gen ?? 0) > 0 ? { generation: Number(fields.gen) } : {}),
    updatedMs: Number(fields.updated),
  };
}

/** What a row that waits was before, as its field `was` says it. */
export function awaitsOf(text: string, answer = ''): RowResult['awaits'] {
  const { state, of, asOf } = JSON.parse(text);
  return { was: state, answer, ...(of === undefined ? {} : { of }), ...(asOf === undefined ? {} : { asOf }) };
}
