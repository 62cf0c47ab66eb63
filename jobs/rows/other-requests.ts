import { moneyText } from '../../src/counted.ts';
import type { NamedOtherRequests, OtherRequest, OtherRequests } from '../../src/ledger/plans/plan.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import { describeRow } from '../../src/ledger/portfolios/replacing.ts';
import type { BuyerRow, BuyerRows } from '../../src/ledger/rows/buyer-rows.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import { rowName } from '../../src/ledger/schema/schema.ts';
import { makeFileNames } from './import-names.ts';
import type { FoundRow } from './walk-rows.ts';

export type BuyerRequests = Pick<Rows, 'ofBuyers' | 'wholeOf'>;

/** The most rows whose buyers are looked up, which takes a second. Beyond them the answer is "at least". */
const MOST = 10_000;

/** Rows whose buyers are read together. */
const AT_ONCE = 500;

/** The most rows that are named. */
const NAMED = 5;

type Asked = Omit<OtherRequest, 'other'> & { buyer: string };

/** Answers for each of these buyers those that may be the same company, without the buyer. */
type AlikeTo = (buyers: readonly string[]) => Promise<Map<string, readonly string[]>>;

/**
 * Finds rows to be sent again whose buyer has another request: one that is made or open, or that is sent again with them. Both limits would
 * then be requested. Rows of one request lead to one limit, so they are no other request. Undefined if there are none.
 *
 * @param untilMs when to stop reading rows, by `performance.now()`
 */
export async function findOtherRequests(
  pages: AsyncIterable<readonly FoundRow[]> | Iterable<readonly FoundRow[]>,
  { untilMs = Number.POSITIVE_INFINITY, alikeTo }: { untilMs?: number; alikeTo?: AlikeTo },
  rows: BuyerRequests,
): Promise<OtherRequests | undefined> {
  const asked: Asked[] = [];
  let isExact = true;
  for await (const page of pages) {
    asked.push(...page.map(askedOf));
    isExact = asked.length <= MOST && performance.now() < untilMs;
    if (!isExact) break;
  }
  const planned = new Set(asked.map(({ row }) => rowName(row)));
  const first: OtherRequest[] = [];
  let count = 0;
  for (let from = 0; from < asked.length; from += AT_ONCE) {
    const some = asked.slice(from, from + AT_ONCE);
    const buyers = [...new Set(some.map(({ buyer }) => buyer))];
    const alike = await alikeTo?.(buyers);
    const ofBuyers = await rows.ofBuyers(alike ? [...new Set([...alike.values()].flat())] : buyers);
    for (const { buyer, ...one } of some) {
      const other = await otherOf(one, { buyers: alike?.get(buyer) ?? [buyer], ofBuyers, planned }, rows);
      if (!other) continue;
      count += 1;
      // The comment of somebody who declined it is not kept with a plan.
      if (first.length < NAMED) first.push({ ...one, other: { ...other, declined: undefined } });
    }
  }
  return count === 0 ? undefined : { rows: count, isExact, first, ...(alikeTo && { isAlike: true }) };
}

function askedOf({ row, result: { line, importId, request } }: FoundRow): Asked {
  return { row, line, importId, amount: request.limit.requested_limit, buyer: request.buyer };
}

/** Another request of these buyers; one that is not sent again with the row goes first. */
async function otherOf(
  { row }: Pick<Asked, 'row'>,
  found: { buyers: readonly string[]; ofBuyers: Map<string, BuyerRows>; planned: ReadonlySet<string> },
  { wholeOf }: BuyerRequests,
): Promise<BuyerRow | undefined> {
  const { buyers, ofBuyers, planned } = found;
  const isPlanned = (one: BuyerRow) => planned.has(rowName(one.row));
  const counts = (one: BuyerRow) =>
    one.row.key !== row.key && (isPlanned(one) || (one.state !== 'refused' && one.state !== 'cancelled'));
  const others: BuyerRow[] = [];
  for (const buyer of buyers) {
    const known = ofBuyers.get(buyer);
    let its = known?.rows.filter(counts) ?? [];
    if (its.length === 0 && known?.isWhole === false) {
      const whole = await wholeOf(buyer);
      ofBuyers.set(buyer, { ...whole, isWhole: true });
      its = whole.rows.filter(counts);
    }
    others.push(...its);
  }
  return others.find((one) => !isPlanned(one)) ?? others[0];
}

/** Reads what people are told of the first rows: names of buyers, which no plan keeps, and files. */
export async function nameOtherRequests(
  { first, ...counts }: OtherRequests,
  { rows, portfolios }: { rows: Pick<Rows, 'read'>; portfolios: Pick<Portfolios, 'allImports'> },
): Promise<NamedOtherRequests> {
  const fileOf = makeFileNames({ portfolios });
  const results = await rows.read(first.flatMap(({ row, other }) => [row, other.row]));
  const named = first.map(async (one, place) => {
    const otherName = counts.isAlike && results[2 * place + 1]?.request.name;
    return {
      row: rowName(one.row),
      line: one.line,
      import: await fileOf(one),
      name: results[2 * place]?.request.name,
      requested_limit: one.amount,
      other: {
        row: rowName(one.other.row),
        requested_limit: one.other.amount,
        state: one.other.state,
        words: `${otherName ? `${otherName}, ` : ''}${describeRow(one.other, await fileOf(one.other), moneyText)}`,
      },
    };
  });
  return { ...counts, first: await Promise.all(named) };
}
