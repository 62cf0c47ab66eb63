import type { FoundItem, FoundSink } from '../../../src/ledger/nightly/checks.ts';
import type { BuyerRows } from '../../../src/ledger/rows/buyer-rows.ts';
import type { Rows } from '../../../src/ledger/rows/rows.ts';
import type { RowResult } from '../../../src/ledger/schema/row.ts';
import { makeKeySet } from '../../../src/portfolio/identity/key-set.ts';
import { ageWords, quoted, rowItem } from '../row-facts.ts';
import type { RowCheck, WalkedRow } from '../walk-ledger.ts';

type BuyersDeps = { rows: Pick<Rows, 'ofBuyers' | 'allOf' | 'read'>; sink: FoundSink; atMs: number };

/** Buyers looked at together: some milliseconds of Redis' time, in scripts of a fraction of one. */
const PAGE = 200;

/**
 * Finds buyers all of whose requests have ended without a limit: refused or given up, in whatever portfolio. Whose outcome is unknown
 * (`held`) may have one, and who has a request that waits may get one, so neither is told of; one that was refused or given up and waits
 * for an approval to be sent again still is what it was. Each buyer is told once, by its latest row.
 *
 * Only buyers with such a row are looked at, each once: of a million such buyers it remembers 11 MB of digests, by
 * which one is overlooked with a chance of 6 in 100,000 (key-set.ts).
 */
export function makeBuyersWithoutLimit(deps: BuyersDeps): RowCheck {
  const seen = makeKeySet();
  let page = new Map<string, WalkedRow>();

  async function flush(): Promise<void> {
    const asked = page;
    page = new Map();
    const known = await deps.rows.ofBuyers([...asked.keys()]);
    for (const [buyer, walked] of asked) {
      const latest = await latestRow(buyer, walked, known.get(buyer), deps);
      if (latest) await deps.sink.found(foundBuyer(latest, deps.atMs));
    }
  }

  return {
    row(walked) {
      const { result } = walked;
      if (!isWithout(result) || result.replaced || !seen.add(result.request.buyer)) return undefined;
      page.set(result.request.buyer, walked);
      return page.size >= PAGE ? flush() : undefined;
    },
    end: flush,
  };
}

/** Whether a request that is so has no limit, and gets none by itself. */
function isWithout({ state, awaits }: Pick<RowResult, 'state' | 'awaits'>): boolean {
  const was = state === 'awaiting' ? awaits?.was : state;
  return was === 'refused' || was === 'cancelled';
}

/** The latest row of a buyer none of whose rows has a limit, or may get one; nothing where one has. */
async function latestRow(
  buyer: string,
  walked: WalkedRow,
  known: BuyerRows | undefined,
  { rows }: BuyersDeps,
): Promise<WalkedRow | undefined> {
  const told = known?.rows ?? [];
  // What a row that waits was before is read with the row.
  if (told.some(({ state }) => state !== 'awaiting' && !isWithout({ state, awaits: undefined }))) return undefined;
  // As for most buyers: there is no other row.
  if (known?.count === 1 && told.length === 1) return walked;
  let latest: WalkedRow | undefined;
  for await (const page of rows.allOf(buyer)) {
    const results = await rows.read(page);
    for (const [place, row] of page.entries()) {
      const result = results[place];
      // Archived without a limit: where all are told that have one, it is none of them.
      if (!result && known?.isWhole) continue;
      // Known by its call only, and so from a limit that was made or is in doubt; or moved meanwhile.
      if (!result || !isWithout(result)) return undefined;
      const isLater = !latest || result.updatedMs > latest.result.updatedMs;
      if (!result.replaced && isLater) latest = { row, result };
    }
  }
  return latest;
}

function foundBuyer(latest: WalkedRow, atMs: number): FoundItem {
  const { row, result } = latest;
  const { state, updatedMs: sinceMs } = result;
  const age = ageWords(atMs - sinceMs);
  const name = quoted(row.portfolio);
  if (state === 'awaiting') {
    const command = `approve ${name} --as USER`;
    return rowItem('no limit', latest, 'its latest request waits for approval to be sent again', { sinceMs, command });
  }
  if (state === 'cancelled') {
    const command = `retry ${name} --state cancelled --row ${row.key}`;
    return rowItem('no limit', latest, `its latest request was given up, ${age}`, { sinceMs, command });
  }
  const command = `retry ${name} --row ${row.key}`;
  return rowItem('no limit', latest, `its latest request was refused, ${age}`, { sinceMs, command });
}
