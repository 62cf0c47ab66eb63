import { groupedAmount } from '../../../src/counted.ts';
import { shareOf } from '../../../src/ledger/counts/amounts.ts';
import type { FoundSink } from '../../../src/ledger/nightly/checks.ts';
import type { BuyerRows } from '../../../src/ledger/rows/buyer-rows.ts';
import type { Rows } from '../../../src/ledger/rows/rows.ts';
import type { RowResult } from '../../../src/ledger/schema/row.ts';
import { makeKeySet } from '../../../src/portfolio/identity/digest.ts';
import { requestKey } from '../../../src/portfolio/identity/identity.ts';
import { type Meanings, statusMeaningOf } from '../../../src/status-meaning.ts';
import { readFound } from '../../rows/walk-rows.ts';
import { type RowCheck, rowItem, type WalkedRow } from '../walk-ledger.ts';

type SeveralDeps = { rows: Pick<Rows, 'ofBuyers' | 'wholeOf' | 'read'>; sink: FoundSink; meanings: Meanings };

/** How many buyers are read together: some milliseconds of Redis' time, in short scripts. */
const PAGE = 50;

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
      return page.size >= PAGE ? flush(walked.row.portfolio) : undefined;
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
    return `${limitId} (${groupedAmount(request.limit.requested_limit)})`;
  });
  const more = others.length > MOST_NAMED ? ` and ${others.length - MOST_NAMED} more` : '';
  return `${one.result.limitId}; and ${named.join(', ')}${more}`;
}
