import type { Calls } from '../../src/ledger/calls/calls.ts';
import { GIVEN_UP, isPending, type PortfolioState } from '../../src/ledger/portfolios/portfolio.ts';
import type { SupplierInDoubt } from '../../src/ledger/schema/approval.ts';
import { type FeedDeps, supplierJob } from '../rows/feed.ts';
import type { FreeDeps } from './free-held.ts';

type OfSupplier = Pick<PortfolioState, 'supplier'>;
type InDoubtDeps = { calls: Pick<Calls, 'isUnknown'> };

/** Whether the call that creates the supplier is in doubt. A supplier has no row that could be held. */
export async function isSupplierInDoubt({ supplier }: OfSupplier, { calls }: InDoubtDeps): Promise<boolean> {
  if (!supplier?.key || supplier.id) return false;
  return calls.isUnknown({ kind: 'company', key: supplier.key });
}

/** The portfolio's state as people see it: a pending supplier whose call is in doubt gets a problem that says so. */
export async function withDoubt<S extends OfSupplier>(state: S, deps: InDoubtDeps): Promise<S> {
  const { supplier } = state;
  if (!supplier || !isPending(supplier) || !(await isSupplierInDoubt(state, deps))) return state;
  return { ...state, supplier: { ...supplier, problem: 'it was sent, and nobody knows whether it was made' } };
}

/**
 * Sends a supplier in doubt again. Does nothing if the portfolio has another supplier by now or was cancelled later, if the call was sent
 * and lost again later, or if somebody declined to send the supplier again and `approval` does not grant it. May be repeated after a crash.
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

/** Revives a supplier that was cancelled with its portfolio, before the portfolio's cancelled rows are sent again. */
export async function reviveGivenUpSupplier(portfolio: string, { portfolios, queues }: FeedDeps): Promise<void> {
  const { supplier } = await portfolios.read(portfolio);
  if (supplier?.problem !== GIVEN_UP) return;
  await queues.forget([supplierJob(portfolio).data]);
  await portfolios.reviveSupplier(portfolio, supplier);
}
