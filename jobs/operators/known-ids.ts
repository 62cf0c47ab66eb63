import type { Portfolios } from '../../src/ledger/portfolios.ts';
import { ROW_STATES, type Rows } from '../../src/ledger/rows.ts';
import { documentKey } from '../rows/document-key.ts';
import { type FoundRow, walkRows } from '../rows/walk-rows.ts';

/** What an id is of, and whose: a call, named as the ledger names it, and the row that shows it. */
export type KnownId = { call: string; portfolio: string; line: number; name: string };

/**
 * Where in the account these ids are known already. Every row is looked at, page by page: there is no other index from ids,
 * and a wrong one believed would be the limit of another buyer.
 */
export async function knownIds(
  ids: ReadonlySet<string>,
  { rows, portfolios }: { rows: Rows; portfolios: Portfolios },
): Promise<Map<string, KnownId[]>> {
  const known = new Map<string, KnownId[]>();
  if (ids.size === 0) return known;
  for (const portfolio of await portfolios.names()) {
    for (const state of ROW_STATES) {
      await walkRows(rows, portfolio, state, async (found) => {
        for (const [id, call] of madeOf(found)) {
          if (!ids.has(id)) continue;
          const { line, request } = found.result;
          known.set(id, [...(known.get(id) ?? []), { call, portfolio, line, name: request.name }]);
        }
        return false;
      });
    }
  }
  return known;
}

/** How a call is named here: its kind and its key. */
export function callName({ kind, key }: { kind: string; key: string }): string {
  return `${kind} ${key}`;
}

/** The ids that a row shows, each with the call that made it. A company that the line itself gave was made by no call. */
function madeOf({ row, result }: FoundRow): [id: string, call: string][] {
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
