import type { FoundItem, FoundSink } from '../../../src/ledger/nightly/checks.ts';
import type { BuyerRows } from '../../../src/ledger/rows/buyer-rows.ts';
import type { Rows } from '../../../src/ledger/rows/rows.ts';
import type { RowResult } from '../../../src/ledger/schema/row.ts';
import type { RowId } from '../../../src/ledger/schema/schema.ts';
import { makeKeySet } from '../../../src/portfolio/identity/digest.ts';
import { ageWords, quoted, type RowCheck, rowItem, type WalkedRow } from '../walk-ledger.ts';
import { approveCommand } from './unfinished-rows.ts';

type BuyersDeps = { rows: Pick<Rows, 'ofBuyers' | 'ofRow' | 'allOf' | 'read'>; sink: FoundSink; atMs: number };

/** How many buyers are read together: some milliseconds of Redis' time, in short scripts. */
const PAGE = 200;

/**
 * Finds buyers whose requests have all ended without a limit, refused or cancelled, in any portfolio. Held rows may have a
 * limit, and waiting ones may get one, so their buyers are left out. A row that waits for approval to be sent again counts as
 * refused or cancelled, and so does a row that a later file left out. A row that another row replaced counts as none. Each buyer is
 * reported once, with the latest row.
 *
 * Remembers 11 MB of digests for a million such buyers. One buyer is overlooked with a chance of 6 in 100,000 (digest.ts).
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
      if (!isWithout(result) || !seen.add(result.request.buyer)) return undefined;
      page.set(result.request.buyer, walked);
      return page.size >= PAGE ? flush() : undefined;
    },
    end: flush,
  };
}

/** Whether a request has no limit and gets none by itself. */
function isWithout({ state, awaits }: Pick<RowResult, 'state' | 'awaits'>): boolean {
  const was = state === 'awaiting' ? awaits?.was : state;
  return was === 'refused' || was === 'cancelled';
}

/** The latest row of a buyer without any limit; nothing where a row has one or may get one. */
async function latestRow(
  buyer: string,
  walked: WalkedRow,
  known: BuyerRows | undefined,
  { rows }: BuyersDeps,
): Promise<WalkedRow | undefined> {
  const told = known?.rows ?? [];
  // The states of rows that wait for approval decide nothing yet: only the row itself says whether it was refused before.
  if (told.some(({ state }) => state !== 'awaiting' && !isWithout({ state, awaits: undefined }))) return undefined;
  // The usual case: the buyer has no other row.
  if (known?.count === 1 && told.length === 1 && !walked.result.replaced) return walked;
  let latest: WalkedRow | undefined;
  for await (const page of rows.allOf(buyer)) {
    const results = await rows.read(page);
    for (const [place, row] of page.entries()) {
      const result = results[place];
      // The row was archived. If all rows of the buyer are known (`isWhole`), the check above has found no limit among them, so this row
      // has none.
      if (!result && known?.isWhole) continue;
      // Without a result, the row was archived or is known only by its call, so it may have a limit. With a result, it has a limit or may
      // get one.
      if (!result || !isWithout(result)) return undefined;
      const isLater = !latest || result.updatedMs > latest.result.updatedMs;
      if (isLater && !(result.replaced && (await gaveWay(row, rows)))) latest = { row, result };
    }
  }
  return latest;
}

/** Whether another row replaced this row. If a later file only left its line out, none did. */
async function gaveWay(row: RowId, rows: Pick<Rows, 'ofRow'>): Promise<boolean> {
  return (await rows.ofRow(row))?.replaced?.key !== '';
}

function foundBuyer(latest: WalkedRow, atMs: number): FoundItem {
  const { row, result } = latest;
  const { state, updatedMs: sinceMs } = result;
  const age = ageWords(atMs - sinceMs);
  const name = quoted(row.portfolio);
  if (state === 'awaiting') {
    const command = approveCommand(latest);
    return rowItem('no limit', latest, 'its latest request waits for approval to be sent again', { sinceMs, command });
  }
  if (state === 'cancelled') {
    const command = `retry ${name} --state cancelled --row ${row.key}`;
    return rowItem('no limit', latest, `its latest request was given up, ${age}`, { sinceMs, command });
  }
  const command = `retry ${name} --row ${row.key}`;
  return rowItem('no limit', latest, `its latest request was refused, ${age}`, { sinceMs, command });
}
