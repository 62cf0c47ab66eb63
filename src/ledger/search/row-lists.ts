import type { RedisConnection } from '../../lua-script.ts';
import { readPair } from '../calls/claim-answers.ts';
import { ledgerScript } from '../schema/gated-script.ts';
import type { Keys } from '../schema/keys.ts';
import { type IndexedRow, nightsOf, type RowResult, type RowState, type Step } from '../schema/row.ts';
import type { RowId } from '../schema/schema.ts';

export type RowLists = ReturnType<typeof makeRowLists>;

/** Rows from index `place` on, or from the line `from` to the line `to`; at most `count` rows of each state, or -1 for all. */
type LineRange = { place?: number; from?: number; to?: number | string; count: number };

/** Lists rows of some states, by state and line, with one of their fields, '' if a row lacks it. */
export function makeListRows({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  const script = ledgerScript(connection, 'list-rows');
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

/** Reads which rows are in a state, and their outcomes; changes nothing. */
export function makeRowLists({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  const listRows = makeListRows({ connection, keys });
  const readRows = ledgerScript(connection, 'general#read-rows');

  async function list(portfolio: string, state: RowState, range: LineRange): Promise<IndexedRow[]> {
    const found = await listRows(portfolio, [state], range, 'step');
    return found.map(({ row, line, field }) => ({ row, line, step: (field || 'company') as Step }));
  }

  return {
    /**
     * Rows of one state by line, from this line on: other rows that move do not shift a line, as they would an index. Rows of several
     * imports may share a line.
     */
    behind: (portfolio: string, state: RowState, { line, count }: { line: number; count: number }) =>
      list(portfolio, state, { from: line, to: '+inf', count }),

    /** Rows of one state by line, each with its present or first step. */
    inState: (portfolio: string, state: RowState, { from = 0, count }: { from?: number; count: number }) =>
      list(portfolio, state, { place: from, count }),

    /** The outcomes of these rows, in order; undefined for a missing row. */
    async read(rows: readonly RowId[]): Promise<(RowResult | undefined)[]> {
      const parts = Array.from({ length: Math.ceil(rows.length / AT_ONCE) }, (_none, at) =>
        rows.slice(at * AT_ONCE, (at + 1) * AT_ONCE),
      );
      const read = await Promise.all(
        parts.map((part) =>
          readRows(
            part.map((row) => keys.row(row.portfolio, row.key)),
            FIELDS,
          ),
        ),
      );
      return (read as (string | null)[][][]).flat().map(toResult);
    },
  };
}

/** Rows in one script: they take Redis less than a millisecond. */
const AT_ONCE = 100;

/** The fields of a row that {@link toResult} reads. */
const FIELDS = [
  ...['state', 'step', 'line', 'import', 'replaced', 'request', 'company', 'documents', 'limit', 'record', 'problem'],
  ...['cause', 'approval', 'statements', 'was', 'answer', 'again', 'atNight', 'rev', 'gen', 'updated', 'since'],
];

function toResult(values: readonly (string | null)[]): RowResult | undefined {
  const fields: Record<string, string> = {};
  for (const [at, name] of FIELDS.entries()) {
    const value = values[at];
    if (value !== null && value !== undefined) fields[name] = value;
  }
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
    sinceMs: Number(fields.since ?? fields.updated),
  };
}

/** Reads the field `was` of a row: the row's state before it waited for an approval, and the call that a person answered. */
export function awaitsOf(text: string, answer = ''): RowResult['awaits'] {
  const { state, of, asOf } = JSON.parse(text);
  return { was: state, answer, ...(of === undefined ? {} : { of }), ...(asOf === undefined ? {} : { asOf }) };
}
