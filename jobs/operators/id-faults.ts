import type { Calls } from '../../src/ledger/calls.ts';
import type { Portfolios } from '../../src/ledger/portfolios.ts';
import { ROW_STATES, type RowState, type Step } from '../../src/ledger/row.ts';
import type { Rows } from '../../src/ledger/rows.ts';
import { COMPANY_ID_PREFIX, LIMIT_ID_PREFIX } from '../../src/resource-ids.ts';
import { callsOf } from '../rows/calls-of.ts';
import { documentKey } from '../rows/document-key.ts';
import { type FoundRow, walkRows } from '../rows/walk-rows.ts';

/** What an id is of, and whose: a call, as {@link callName} names it, and the row that shows it. */
type KnownId = { call: string; portfolio: string; line: number; name: string };

/** All rows of the account that show one of the ids asked for, by id. */
type KnownIds = ReadonlyMap<string, readonly KnownId[]>;

/** The ids of the service have these prefixes, where any is shown (docs/service.md, "Ids"). */
const PREFIXES: Partial<Record<Step, string>> = { company: COMPANY_ID_PREFIX, limit: LIMIT_ID_PREFIX };

/** Why this id cannot be what the row's step made; nothing where it can. */
export function prefixFault(made: string | undefined, { result }: FoundRow): string | undefined {
  if (made === undefined) return undefined;
  const prefix = PREFIXES[result.step];
  if (prefix === undefined) {
    // Without an id the ledger would let the call be sent again.
    return made.trim() === '' ? `The id for line ${result.line} is empty.` : undefined;
  }
  if (made.startsWith(prefix) && made.length > prefix.length) return undefined;
  return `"${made}" cannot be the id for line ${result.line}, which is held at the step ${result.step}: its ids begin with ${prefix}.`;
}

/** Why this id cannot be what one of these calls made, since another is known to have made it; nothing where it can. */
export function otherCallFault(made: string, calls: readonly string[], known: KnownIds): string | undefined {
  const other = known.get(made)?.find(({ call }) => !calls.includes(call));
  if (!other) return undefined;
  return `"${made}" is already known: it was made for line ${other.line} of portfolio "${other.portfolio}" (${other.name}). Look up the right id.`;
}

/** How a call is named here: its kind and its key. */
export function callName({ kind, key }: { kind: string; key: string }): string {
  return `${kind} ${key}`;
}

/** Rows that show the id of their limit, so that all that their calls made is in the index of ids. */
const RECORDED: readonly RowState[] = ['done', 'skipped'];

type KnownDeps = { rows: Rows; portfolios: Portfolios; calls: Calls };

/**
 * Where in the account these ids are known already. Every row is looked at, page by page, but those that the index of ids tells
 * of where it is sure to have them all: a wrong id believed would be the limit of another buyer.
 */
export async function readKnownIds(
  ids: ReadonlySet<string>,
  { rows, portfolios, calls }: KnownDeps,
): Promise<KnownIds> {
  const known = new Map<string, KnownId[]>();
  if (ids.size === 0) return known;
  for (const portfolio of await portfolios.names()) {
    const look = async (found: FoundRow) => {
      for (const [id, call] of [...madeIdsOf(found), ...(await unrecordedIdsOf(found, calls))]) {
        if (!ids.has(id)) continue;
        const { line, request } = found.result;
        known.set(id, [...(known.get(id) ?? []), { call, portfolio, line, name: request.name }]);
      }
      return false;
    };
    for (const state of ROW_STATES.filter((each) => !RECORDED.includes(each))) {
      await walkRows(rows, portfolio, state, look);
    }
    // Last, since rows go there from the others meanwhile.
    const recorded = await recordedWith(ids, portfolio, { rows, portfolios });
    for (const found of recorded ?? []) await look(found);
    if (!recorded) for (const state of RECORDED) await walkRows(rows, portfolio, state, look);
  }
  return known;
}

/** Rows at their end that may show one of these ids; nothing where the index may lack some. */
async function recordedWith(
  ids: ReadonlySet<string>,
  portfolio: string,
  { rows, portfolios }: Omit<KnownDeps, 'calls'>,
) {
  const { states, statuses, sums } = await portfolios.read(portfolio);
  const count = (some: Record<string, number>) => Object.values(some).reduce((sum, each) => sum + each, 0);
  // What puts an id into the index counts the row by its status: a row that a process of an older version ended is in neither.
  if (count(statuses) < states.done || count(sums.before.statuses) < states.skipped) return undefined;
  const found = await rows.withIds(portfolio, [...ids]);
  return found?.filter(({ result }) => RECORDED.includes(result.state));
}

/** The ids that a row shows, each with the call that made it. A company that the line itself gave was made by no call. */
function madeIdsOf({ row, result }: FoundRow): [id: string, call: string][] {
  const { companyId, documentIds, limitId, request } = result;
  const made: [string, string][] = [];
  if (companyId !== '' && request.companyId === undefined) {
    made.push([companyId, callName({ kind: 'company', key: request.buyer })]);
  }
  for (const [place, id] of documentIds.entries()) {
    const document = request.documents[place];
    if (document) made.push([id, callName({ kind: 'document', key: documentKey(document) })]);
  }
  if (limitId !== '') made.push([limitId, callName({ kind: 'limit', key: row.key })]);
  return made;
}

/** What the calls of a row's step made that the row does not show yet: no worker came to it since, or it never went on. */
async function unrecordedIdsOf(found: FoundRow, calls: Calls): Promise<[id: string, call: string][]> {
  if (found.result.limitId !== '') return [];
  const made = await Promise.all(
    callsOf(found).map(async (call) => ({ id: await calls.madeId(call), name: callName(call) })),
  );
  return made.flatMap(({ id, name }): [string, string][] => (id === undefined ? [] : [[id, name]]));
}
