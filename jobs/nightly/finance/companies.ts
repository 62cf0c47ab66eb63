import type { Calls } from '../../../src/ledger/calls/calls.ts';
import type { FoundSink } from '../../../src/ledger/nightly/checks.ts';
import { GIVEN_UP } from '../../../src/ledger/portfolios/portfolio.ts';
import type { Portfolios } from '../../../src/ledger/portfolios/portfolios.ts';
import { rowName } from '../../../src/ledger/schema/schema.ts';
import { visible } from '../../../src/portfolio/problem.ts';
import type { RowCheck } from '../walk-ledger.ts';

type SharedDeps = { calls: Pick<Calls, 'sharedCompanies' | 'makersOf'>; sink: FoundSink };

/** The most company ids from files that are remembered, in some 25 MB. Further ids are not compared. */
const MOST_GIVEN = 100_000;

/** How many ids one script looks up, which takes Redis a millisecond. */
const PAGE = 500;

type Given = { id: string; buyer: string; row: string };

/**
 * Finds companies that two buyers share: the service answered one id for both, two files gave the id, or a file gave an id that
 * was made for another buyer. A limit for one may then count for the other. A person knows whether they are the same.
 */
export function makeSharedCompanies({ calls, sink }: SharedDeps): RowCheck {
  const given = new Map<string, Given>();

  const tell = (id: string, buyers: readonly string[], row: string) =>
    sink.found({
      check: 'shared company',
      portfolio: row.split('/')[0] ?? '',
      says: 'two buyers have one company: see whether they are the same',
      detail: `${id}, of the buyers ${buyers.join(' and ')}; the row ${row}`,
      isMended: false,
    });

  async function compareWithMade(page: readonly Given[]): Promise<void> {
    const makers = await calls.makersOf(page.map(({ id }) => ({ kind: 'company', id })));
    for (const [place, { id, buyer, row }] of page.entries()) {
      const maker = makers[place];
      if (maker && maker.key !== buyer) await tell(id, [maker.key, buyer], row);
    }
  }

  return {
    row({ row, result: { request } }) {
      const { companyId: id, buyer } = request;
      if (id === undefined) return undefined;
      const known = given.get(id);
      if (known && known.buyer !== buyer) return tell(id, [known.buyer, buyer], rowName(row));
      if (!known && given.size < MOST_GIVEN) given.set(id, { id, buyer, row: rowName(row) });
      return undefined;
    },

    async end() {
      for (const { id, buyers, row } of await calls.sharedCompanies()) await tell(id, buyers, row);
      const all = [...given.values()];
      for (let from = 0; from < all.length; from += PAGE) await compareWithMade(all.slice(from, from + PAGE));
    },
  };
}

type SupplierDeps = { portfolios: Pick<Portfolios, 'names' | 'read'>; sink: FoundSink };

/** Reports portfolios whose supplier has no company at the service. Their rows are sent all the same. */
export async function findWithoutSupplier({ portfolios, sink }: SupplierDeps): Promise<void> {
  for (const portfolio of await portfolios.names()) {
    const { supplier } = await portfolios.read(portfolio);
    if (supplier?.problem === undefined || supplier.problem === GIVEN_UP) continue;
    await sink.found({
      check: 'no supplier',
      portfolio,
      says: 'no company was made for the supplier, and rows are sent without it',
      detail: visible(supplier.problem),
      isMended: false,
    });
  }
}
