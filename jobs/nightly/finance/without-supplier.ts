import type { FoundSink } from '../../../src/ledger/nightly/checks.ts';
import { GIVEN_UP } from '../../../src/ledger/portfolios/portfolio.ts';
import type { Portfolios } from '../../../src/ledger/portfolios/portfolios.ts';
import { visible } from '../../../src/portfolio/problem.ts';

type Looked = { portfolios: Pick<Portfolios, 'names' | 'read'>; sink: FoundSink };

/** Reports portfolios whose supplier has no company at the service. Their rows are sent all the same. */
export async function findWithoutSupplier({ portfolios, sink }: Looked): Promise<void> {
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
