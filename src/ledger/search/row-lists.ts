import { makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import { readPair } from '../calls/claim-answers.ts';
import type { Keys } from '../schema/keys.ts';
import { type IndexedRow, nightsOf, type RowResult, type RowState, type Step } from '../schema/row.ts';
import type { RowId } from '../schema/schema.ts';

export type RowLists = ReturnType<typeof makeRowLists>;

/** From a place of each list on, or from a line to another; so many of each list, or with -1 all. */
export type LineRange = { place?: number; from?: number; to?: number | string; count: number };

/** Makes a function that lists rows of some states in the order of the lines of each, with one of their fields, '' where a row has none. */
export function makeListRows({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  const script = makeLuaScript(connection, new URL('../lua/list-rows.lua', import.meta.url));
  return async (portfolio: string, states: readonly RowState[], range: LineRange, field: string) => {
    const places = {
      begins: keys.row(portfolio, ''),
      sets: states.map((state) => keys.rowsInState(portfolio, state)),
    };
    const told = { ...range, between: '\n', fields: [field] };
    const [rows, text] = (await script(places, told)) as [number, string];
    const texts = text.split('\n');
    return Array.from({ length: rows }, (_none, at) => {
      const [key = '', line, , value = ''] = texts.slice(4 * at, 4 * at + 4);
      return { row: { portfolio, key }, line: Number(line), field: value };
    });
  };
}

/** Which rows are in a state, and what became of each; nothing here changes one. */
export function makeRowLists({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  const listRows = makeListRows({ connection, keys });

  async function list(portfolio: string, state: RowState, range: LineRange): Promise<IndexedRow[]> {
    const found = await listRows(portfolio, [state], range, 'step');
    return found.map(({ row, line, field }) => ({ row, line, step: (field || 'company') as Step }));
  }

  return {
    /**
     * Rows of one state, in the order of their lines, from a line on: a place that stays one while others move rows. Rows of
     * several imports may share a line.
     */
    behind: (portfolio: string, state: RowState, { line, count }: { line: number; count: number }) =>
      list(portfolio, state, { from: line, to: '+inf', count }),

    /** Rows of one state, in the order of their lines, each with the step that it is at or begins with. */
    inState: (portfolio: string, state: RowState, { from = 0, count }: { from?: number; count: number }) =>
      list(portfolio, state, { place: from, count }),

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
