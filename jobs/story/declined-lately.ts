import type { MeaningStore } from '../../src/ledger/counts/meaning-store.ts';
import { sumsByCurrency } from '../../src/ledger/counts/outcome-sums.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { AnsweredRow, DeclinedPage, DeclinedSum } from '../../src/ledger/rows/answered-lately.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import { heldName } from '../../src/ledger/rows/story.ts';
import { makeImportLook } from '../rows/import-names.ts';

type DeclinedDeps = {
  rows: Pick<Rows, 'read' | 'answeredLately'>;
  portfolios: Pick<Portfolios, 'allImports'>;
  statusMeanings: Pick<MeaningStore, 'read'>;
};

const DAY_MS = 86_400_000;

/** The number of rows on a page. */
const PAGE = 100;

/** Reads what the service declined within the last 24 hours, at first or by a later decision. */
export function makeDeclinedLately({ rows, portfolios, statusMeanings }: DeclinedDeps) {
  const lately = async () => rows.answeredLately('declined', Date.now() - DAY_MS, await statusMeanings.read());
  const makeCurrencyOf = () => {
    const importOf = makeImportLook({ portfolios });
    return async ({ row, importId }: AnsweredRow) => (await importOf(row, importId))?.found?.currency;
  };

  return {
    async declined(): Promise<DeclinedSum> {
      const { rows: all, isAll } = await lately();
      const currencyOf = makeCurrencyOf();
      const readable = all.filter(({ requested }) => requested !== '');
      const amounts = readable.map(async (one) => ({ amount: one.requested, currency: await currencyOf(one) }));
      return { rows: all.length, sums: sumsByCurrency(await Promise.all(amounts)), sinceMs: all.at(-1)?.atMs, isAll };
    },

    /** The page of declined rows after the row with this {@link heldName}; the first page for any other text. */
    async declinedRows(after: string): Promise<DeclinedPage> {
      const { rows: all, isAll } = await lately();
      const from = all.findIndex((one) => heldName(one) === after) + 1;
      const shown = all.slice(from, from + PAGE);
      const results = await rows.read(shown.map(({ row }) => row));
      const currencyOf = makeCurrencyOf();
      const items = shown.map(async (one, place) => {
        const { request, record = {} } = results[place] ?? {};
        if (!request) return [];
        const { name, limit } = request;
        const facts = { row: one.row, atMs: one.atMs, name, status: record.status ?? '' };
        return [{ ...facts, amount: limit.requested_limit, currency: await currencyOf(one) }];
      });
      const last = all.length > from + PAGE ? shown.at(-1) : undefined;
      return { items: (await Promise.all(items)).flat(), next: last && heldName(last), total: all.length, isAll };
    },
  };
}
