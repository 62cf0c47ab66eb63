import { moneyText } from '../../../src/counted.ts';
import { shareOf } from '../../../src/ledger/counts/amounts.ts';
import type { FoundItem, FoundSink } from '../../../src/ledger/nightly/checks.ts';
import type { BuyerRows } from '../../../src/ledger/rows/buyer-rows.ts';
import type { Rows } from '../../../src/ledger/rows/rows.ts';
import type { RowResult } from '../../../src/ledger/schema/row.ts';
import type { RowId } from '../../../src/ledger/schema/schema.ts';
import { makeKeySet } from '../../../src/portfolio/identity/digest.ts';
import { requestKey } from '../../../src/portfolio/identity/identity.ts';
import { type Meanings, statusMeaningOf } from '../../../src/status-meaning.ts';
import { readFound } from '../../rows/walk-rows.ts';
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

type SeveralDeps = { rows: Pick<Rows, 'ofBuyers' | 'wholeOf' | 'read'>; sink: FoundSink; meanings: Meanings };

/** How many buyers are read together: some milliseconds of Redis' time, in short scripts. */
const BUYERS_AT_ONCE = 50;

/**
 * Finds buyers for whom one portfolio made several limits without a request_reference, for example by a line that was corrected after its
 * request was sent. A reference says that a second limit is meant. Limits that were declined, or of which nothing was granted, do not count.
 *
 * Remembers 11 MB of digests for a million such buyers of one portfolio.
 */
export function makeSeveralLimits({ rows, sink, meanings }: SeveralDeps): RowCheck {
  let [seen, told] = [makeKeySet(), makeKeySet()];
  let page = new Set<string>();

  async function limitsOf(portfolio: string, buyer: string, known: BuyerRows): Promise<WalkedRow[]> {
    const all = known.isWhole ? known : await rows.wholeOf(buyer);
    const here = all.rows.filter(({ row, state }) => row.portfolio === portfolio && state === 'done');
    const found = await readFound(
      here.map(({ row }) => row),
      rows,
    );
    return found.filter((one) => isUnnamedLimit(one, meanings));
  }

  async function flush(portfolio: string): Promise<void> {
    const buyers = [...page];
    page = new Set();
    const known = await rows.ofBuyers(buyers);
    const limits = await Promise.all([...known].map(([buyer, its]) => limitsOf(portfolio, buyer, its)));
    for (const its of limits.filter(({ length }) => length > 1))
      for (const one of its) await sink.found(rowItem('several limits', one, SAYS, { detail: detailOf(one, its) }));
  }

  return {
    row(walked) {
      const { buyer } = walked.result.request;
      if (!isUnnamedLimit(walked, meanings) || seen.add(buyer) || !told.add(buyer)) return undefined;
      page.add(buyer);
      return page.size >= BUYERS_AT_ONCE ? flush(walked.row.portfolio) : undefined;
    },
    async endPortfolio(portfolio) {
      await flush(portfolio);
      [seen, told] = [makeKeySet(), makeKeySet()];
    },
  };
}

const SAYS = 'the buyer has several limits here, and no request_reference says that more than one is meant';

/** Whether a row has a limit, or may get it by a review, and its line gave no request_reference. */
function isUnnamedLimit({ row, result }: WalkedRow, meanings: Meanings): boolean {
  if (result.state !== 'done' || isDeclined(result, meanings)) return false;
  const { buyer, limit } = result.request;
  return row.key === requestKey({ buyer, requestedLimit: limit.requested_limit });
}

function isDeclined({ record, request }: RowResult, meanings: Meanings): boolean {
  const meaning = statusMeaningOf(record.status, meanings);
  if (meaning === 'approved') return shareOf(record.total_limit ?? '', request.limit.requested_limit) === '6';
  return meaning === 'declined';
}

/** The most other limits that are named with each. */
const MOST_NAMED = 5;

function detailOf(one: WalkedRow, limits: readonly WalkedRow[]): string {
  const others = limits.filter((other) => other !== one);
  const named = others.slice(0, MOST_NAMED).map(({ result: { limitId, request } }) => {
    return `${limitId} (${moneyText(request.limit.requested_limit)})`;
  });
  const more = others.length > MOST_NAMED ? ` and ${others.length - MOST_NAMED} more` : '';
  return `${one.result.limitId}; and ${named.join(', ')}${more}`;
}
