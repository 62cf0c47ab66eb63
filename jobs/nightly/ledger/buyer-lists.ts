import type { BuyerLists } from '../../../src/ledger/nightly/buyer-lists.ts';
import type { FoundSink } from '../../../src/ledger/nightly/checks.ts';
import type { Ask } from '../../../src/ledger/nightly/row-walk.ts';
import type { StoredRow } from '../../../src/ledger/nightly/stored-row.ts';
import type { StoredRowCheck } from '../walk-ledger.ts';
import { rowFacts } from './named-rows.ts';

/** Buyers that were looked at lately: their rows stand near each other, and looking twice costs some reads. */
const MOST_REMEMBERED = 10_000;

/**
 * Compares buyers' lists (`bl_…`) with the limits that were made: what lacks is put in, what stands there twice is taken out, and what
 * nobody made is left, since some other ledger may know of it.
 */
export function makeBuyerListCheck(
  buyerLists: BuyerLists,
  { sink, ask }: { sink: FoundSink; ask: Ask },
): StoredRowCheck {
  const seen = new Set<string>();

  async function look({ row, field, result }: StoredRow, list: readonly string[]): Promise<void> {
    const { buyer, name } = result.request;
    const id = result.limitId;
    if (field('state') === 'done' && !list.includes(id) && (await ask(() => buyerLists.add(row, { buyer, id })))) {
      await sink.found({ check: 'buyer lists', says: LACKED, detail: id, isMended: true, ...rowFacts(row, result) });
    }
    if (seen.has(buyer)) return;
    if (seen.size >= MOST_REMEMBERED) seen.clear();
    seen.add(buyer);
    const { twice, unknown } = await ask(() => buyerLists.look(buyer));
    for (const detail of twice) {
      await sink.found({ check: 'buyer lists', portfolio: '', name, says: TWICE, detail, isMended: true });
    }
    for (const detail of unknown) {
      await sink.found({ check: 'buyer lists', portfolio: '', name, says: UNKNOWN, detail, isMended: false });
    }
  }

  return { row: (walked) => walked.odd?.list && look(walked, walked.odd.list) };
}

const LACKED = "limits that were made were not in their buyers' lists; they are now";
const TWICE = "limits stood in their buyers' lists more than once; they are there once now";
const UNKNOWN = "buyers' lists name limits that none of their rows was granted";
