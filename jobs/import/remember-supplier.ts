import type { Portfolios } from '../../src/ledger/portfolios.ts';
import type { readSupplier } from '../../src/portfolio/supplier.ts';
import type { Queues } from '../../src/queue/queues.ts';
import { supplierJob } from '../rows/step-jobs.ts';

/** Writes down whose portfolio it is: a company that the service knows, or one that is to be created before the buyers, once its import is approved. */
export async function rememberSupplier(
  portfolio: string,
  supplier: Awaited<ReturnType<typeof readSupplier>>,
  { portfolios, queues, approval }: { portfolios: Portfolios; queues: Queues; approval?: string | undefined },
): Promise<void> {
  if ('companyId' in supplier) {
    await portfolios.setSupplier(portfolio, { id: supplier.companyId });
    return;
  }
  const known = (await portfolios.read(portfolio)).supplier;
  if (known?.key === supplier.key && known.id) return;
  await portfolios.setSupplier(portfolio, { body: supplier.company, key: supplier.key }, approval);
  await queues.forget([supplierJob(portfolio).data]);
}

/** Names a supplier: by its id, or the key of the one call that makes it. */
export function keyOf(supplier: Awaited<ReturnType<typeof readSupplier>>): string {
  return 'companyId' in supplier ? supplier.companyId : supplier.key;
}
