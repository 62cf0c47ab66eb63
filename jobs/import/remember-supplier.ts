import type { PortfolioSupplier } from '../../src/ledger/portfolios/portfolio.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import { supplierKeyOf } from '../../src/ledger/schema/approval.ts';
import type { Supplier } from '../../src/portfolio/supplier.ts';
import type { Queues } from '../../src/queue/queues.ts';
import { supplierJob } from '../rows/feed.ts';
import type { ImportApproval } from './import-approval.ts';

/** Records the portfolio's supplier: an existing company, or one to create before the buyers, once the import is approved. */
export async function rememberSupplier(
  portfolio: string,
  supplier: Supplier,
  { portfolios, queues, approval }: { portfolios: Portfolios; queues: Queues; approval: ImportApproval },
): Promise<void> {
  const named = supplierAsNamed(supplier);
  for (;;) {
    const { supplier: known, laterSupplier } = await portfolios.read(portfolio);
    if (named.body && known?.key === named.key && known.id) return;
    const id = approval.id();
    if (await portfolios.setSupplier(portfolio, named, id)) break;
    // Another import of the same file closed the approval. It may have named the same supplier.
    const { awaits: _, ...last } = { awaits: false, ...(laterSupplier ?? known) };
    if (id === undefined || JSON.stringify(last) === JSON.stringify(named)) return;
    await approval.renew(id);
  }
  if (named.body) await queues.forget([supplierJob(portfolio).data]);
}

export type NamedSupplier = PortfolioSupplier & { key: string };

/**
 * The supplier as a portfolio records it. `key` is that of the call that creates the company. For an existing company it is made of the id,
 * so that answers for different companies are told apart.
 */
export function supplierAsNamed(supplier: Supplier): NamedSupplier {
  if ('companyId' in supplier) return { id: supplier.companyId, key: supplierKeyOf(supplier.companyId) };
  return { body: supplier.company, key: supplier.key };
}
