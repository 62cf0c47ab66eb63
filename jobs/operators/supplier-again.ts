import type { Calls } from '../../src/ledger/calls/calls.ts';
import { isPending, type PortfolioState } from '../../src/ledger/portfolios/portfolio.ts';
import type { SupplierInDoubt } from '../../src/ledger/schema/approval.ts';
import type { FeedDeps } from '../rows/feed.ts';
import { supplierJob } from '../rows/step-jobs.ts';
import { GIVEN_UP } from '../steps/create-supplier.ts';
import type { FreeDeps } from './free-held.ts';

type OfSupplier = Pick<PortfolioState, 'supplier'>;
type InDoubtDeps = { calls: Pick<Calls, 'isUnknown'> };

/** Nobody knows what became of the call for its company; it has no row that could be held. */
export async function isSupplierInDoubt({ supplier }: OfSupplier, { calls }: InDoubtDeps): Promise<boolean> {
  if (!supplier?.key || supplier.id) return false;
  return calls.isUnknown({ kind: 'company', key: supplier.key });
}

/** The state as people are told it: a supplier that an import names anew is in doubt still, where its call is. */
export async function withDoubt<S extends OfSupplier>(state: S, deps: InDoubtDeps): Promise<S> {
  const { supplier } = state;
  if (!supplier || !isPending(supplier) || !(await isSupplierInDoubt(state, deps))) return state;
  return { ...state, supplier: { ...supplier, problem: 'it was sent, and nobody knows whether it was made' } };
}

/**
 * A supplier whose outcome is unknown has no row to be held; it is asked for again with all the others. Not where another one is named by
 * now, where the portfolio was given up or its call was sent and lost since somebody looked, nor where somebody said no to that, and nobody
 * yes since in `approval`. Whoever comes after one that was killed goes on.
 */
export async function resendSupplier(
  portfolio: string,
  { key, atMs, approval }: SupplierInDoubt & { approval?: string },
  { portfolios, calls, queues }: FreeDeps,
) {
  const { supplier, givenUp } = await portfolios.read(portfolio);
  if (!supplier || supplier.key !== key || supplier.id || (givenUp && givenUp.atMs > atMs)) return;
  const call = { kind: 'company', key } as const;
  const answer = await calls.resolve([call], key, undefined, { asOfMs: atMs, approval });
  if (answer !== 'resolved' && (isPending(supplier) || !(await calls.isLetGo(call)))) return;
  await queues.forget([supplierJob(portfolio).data]);
  await portfolios.reviveSupplier(portfolio, supplier);
}

/** A supplier that was given up with its portfolio is asked for again with the portfolio's cancelled rows. */
export async function reviveGivenUpSupplier(portfolio: string, { portfolios, queues }: FeedDeps): Promise<void> {
  const { supplier } = await portfolios.read(portfolio);
  if (supplier?.problem !== GIVEN_UP) return;
  await queues.forget([supplierJob(portfolio).data]);
  await portfolios.reviveSupplier(portfolio, supplier);
}
