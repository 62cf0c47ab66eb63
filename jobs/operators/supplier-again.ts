import type { FeedDeps } from '../rows/feed.ts';
import { supplierJob } from '../rows/step-jobs.ts';
import { GIVEN_UP } from '../steps/create-supplier.ts';
import type { FreeDeps } from './free-held.ts';

/**
 * A supplier whose outcome is unknown has no row to be held; it is asked for again with all the others, unless its call was sent
 * and lost since `asOfMs`, when somebody looked.
 */
export async function resendSupplier(portfolio: string, { portfolios, calls, queues }: FreeDeps, asOfMs: number) {
  const { supplier } = await portfolios.read(portfolio);
  if (!supplier?.key || supplier.id) return;
  const { key } = supplier;
  if ((await calls.resolve([{ kind: 'company', key }], key, undefined, { asOfMs })) !== 'resolved') return;
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
