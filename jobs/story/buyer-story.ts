import type { CallRecord } from '../../src/call-kind.ts';
import { amountText, isBelow } from '../../src/ledger/counts/amounts.ts';
import type { MeaningStore } from '../../src/ledger/counts/meaning-store.ts';
import { sumsByCurrency } from '../../src/ledger/counts/outcome-sums.ts';
import { outcomeOfRow } from '../../src/ledger/counts/row-outcome.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import {
  type AnsweredRow,
  isGranted,
  NEWS_MS,
  type NewsKind,
  type NewsPage,
  type NewsSum,
} from '../../src/ledger/rows/answered-lately.ts';
import type { Buyers } from '../../src/ledger/rows/buyers.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import { heldName, type Stories } from '../../src/ledger/rows/story.ts';
import type { Archives } from '../../src/ledger/schema/archives.ts';
import type { RowState } from '../../src/ledger/schema/row.ts';
import { type RowId, rowName } from '../../src/ledger/schema/schema.ts';
import type { BuyerLook, BuyerRequest, BuyerStory } from '../../src/ledger/story/row-story.ts';
import type { Meanings } from '../../src/status-meaning.ts';
import { toBuyer } from '../rows/buyer-record.ts';
import { makeImportLook } from '../rows/import-names.ts';

export type BuyerDeps = {
  rows: Pick<Rows, 'latestOf' | 'read'>;
  buyers: Buyers;
  stories: Pick<Stories, 'calls' | 'entries'>;
  archives: Pick<Archives, 'read'>;
  portfolios: Pick<Portfolios, 'allImports'>;
};

/** The most requests of a buyer that a page reads: it orders all of them, in some 20 ms. */
const MOST_LOOKED_AT = 10_000;

/** The most requests of a buyer whose amounts are added up: more than nearly every buyer has, read in some 20 ms. */
const MOST_SUMMED = 200;

/** A buyer with a page of its requests; undefined for an unknown buyer. */
export async function buyerStory(
  key: string,
  { from, count }: { from: number; count: number },
  deps: BuyerDeps,
): Promise<BuyerStory | undefined> {
  const [look, [company]] = await Promise.all([
    lookAtBuyer(key, { from, count, most: MOST_LOOKED_AT }, deps),
    deps.stories.calls([{ kind: 'company', key }]),
  ]);
  if (!look) return undefined;
  const isAll = look.requests.length === look.count;
  const { rows } = isAll
    ? { rows: [] }
    : await deps.rows.latestOf(key, { from: 0, count: MOST_SUMMED, most: MOST_LOOKED_AT });
  const summed = isAll ? look.requests : await lookAtRequests(rows, deps);
  return { ...look, companyId: company?.id ?? '', summed };
}

/** A buyer with some of its requests, of which `most` or slightly more are looked at; undefined for an unknown buyer. */
export async function lookAtBuyer(
  key: string,
  range: { from: number; count: number; most: number },
  deps: BuyerDeps,
): Promise<BuyerLook | undefined> {
  const [[known], found] = await Promise.all([deps.buyers.records([{ key }]), deps.rows.latestOf(key, range)]);
  if (!known) return undefined;
  const { names, reference } = toBuyer(key, known.record);
  return {
    key,
    names: names.flatMap(({ written }) => (written ? [{ name: written }] : [])),
    reference,
    count: found.count,
    isWhole: found.isWhole,
    requests: await lookAtRequests(found.rows, deps),
  };
}

/** Reads these requests of one buyer or of several. The answer has the same order. `amount`: '' where it is not known. */
export async function lookAtRequests(
  asked: readonly { row: RowId; amount: string }[],
  { rows, stories, archives, portfolios }: BuyerDeps,
): Promise<BuyerRequest[]> {
  const results = await rows.read(asked.map(({ row }) => row));
  const importOf = makeImportLook({ portfolios });
  return Promise.all(
    asked.map(async ({ row, amount }, place): Promise<BuyerRequest> => {
      const result = results[place];
      if (result) {
        const [told, known] = await Promise.all([
          result.state === 'done' ? stories.entries(row) : [],
          importOf(row, result.importId),
        ]);
        const decisions = told.flatMap((entry) => (entry.is === 'decided' ? [entry] : []));
        const { updatedMs: atMs } = result;
        const currency = known?.found?.currency;
        return { row, amount, currency, result, outcome: result, archived: undefined, atMs, decisions };
      }
      const [[call], archive] = await Promise.all([
        stories.calls([{ kind: 'limit', key: row.key }]),
        archives.read(row.portfolio),
      ]);
      const state: RowState = call?.row === rowName(row) ? 'done' : 'skipped';
      const request = { name: '', buyer: '', documents: [], limit: { requested_limit: amount } };
      // Whether a limit was granted in full is not known without the amount that was requested.
      const isTold = call?.state === 'made' && amount !== '';
      const outcome = isTold ? { state, record: call.record, request, limitId: call.id } : undefined;
      return {
        row,
        amount,
        currency: archive?.currency,
        result,
        outcome,
        archived: archive?.is,
        atMs: call?.atMs,
        decisions: [],
      };
    }),
  );
}

type NewsDeps = {
  rows: Pick<Rows, 'read' | 'answeredLately'>;
  stories: Pick<Stories, 'entries'>;
  portfolios: Pick<Portfolios, 'allImports'>;
  statusMeanings: Pick<MeaningStore, 'read'>;
};

/** The number of rows on a page. */
const PAGE = 100;

/** Reads what the service declined within the last seven days, at first or by a later decision, and which limits it lowered. */
export function makeNewsLately({ rows, stories, portfolios, statusMeanings }: NewsDeps) {
  const makeCurrencyOf = () => {
    const importOf = makeImportLook({ portfolios });
    return async ({ row, importId }: AnsweredRow) => (await importOf(row, importId))?.found?.currency;
  };

  /** The last amount above `now` that the service had granted for a row by an earlier answer. */
  const beforeOf = async (
    { row, requested }: AnsweredRow,
    now: string,
    meanings: Meanings,
  ): Promise<string | undefined> => {
    const told = await stories.entries(row);
    const before = told.flatMap((entry) => (entry.is === 'decided' && entry.before ? [entry.before] : []));
    const request = { limit: { requested_limit: requested } };
    const isMore = (record: CallRecord) =>
      isGranted(outcomeOfRow({ state: 'done', record, request }, meanings)) &&
      isBelow(now, amountText(record.total_limit));
    return before.findLast(isMore)?.total_limit;
  };

  /** The rows of these news. A limit was lowered only if an earlier answer had granted more: that of a review grants nothing. */
  const lately = async (kind: NewsKind) => {
    const meanings = await statusMeanings.read();
    const found = { ...(await rows.answeredLately(kind, Date.now() - NEWS_MS, meanings)), meanings };
    if (kind === 'declined') return found;
    const before = await Promise.all(found.rows.map((one) => beforeOf(one, one.granted ?? '0', meanings)));
    return { ...found, rows: found.rows.filter((_row, place) => before[place] !== undefined) };
  };

  return {
    async news(kind: NewsKind): Promise<NewsSum> {
      const { rows: all, isAll } = await lately(kind);
      const currencyOf = makeCurrencyOf();
      const readable = all.filter(({ requested }) => requested !== '');
      const amounts = readable.map(async (one) => ({ amount: one.requested, currency: await currencyOf(one) }));
      return { rows: all.length, sums: sumsByCurrency(await Promise.all(amounts)), sinceMs: all.at(-1)?.atMs, isAll };
    },

    /** The page of rows after the row with this {@link heldName}; the first page for any other text. */
    async newsRows(kind: NewsKind, after: string): Promise<NewsPage> {
      const { rows: all, isAll, meanings } = await lately(kind);
      const from = all.findIndex((one) => heldName(one) === after) + 1;
      const shown = all.slice(from, from + PAGE);
      const results = await rows.read(shown.map(({ row }) => row));
      const currencyOf = makeCurrencyOf();
      const items = shown.map(async (one, place) => {
        const result = results[place];
        if (!result) return [];
        const { request, record } = result;
        const { name, limit } = request;
        const { row, atMs } = one;
        const granted = isGranted(outcomeOfRow(result, meanings)) ? amountText(record.total_limit) : undefined;
        const before = await beforeOf(one, granted ?? '0', meanings);
        const facts = { row, atMs, name, status: record.status ?? '', granted, before };
        return [{ ...facts, amount: limit.requested_limit, currency: await currencyOf(one) }];
      });
      const last = all.length > from + PAGE ? shown.at(-1) : undefined;
      return { items: (await Promise.all(items)).flat(), next: last && heldName(last), total: all.length, isAll };
    },
  };
}
