import type { Settings } from '../../src/config.ts';
import { untilStopped } from '../../src/ledger/persist.ts';
import type { ImportDeps } from './import-portfolio.ts';

/** What an import needs of a process' context. */
export type ImportSource = Omit<
  ImportDeps,
  'onBatch' | 'onOpened' | 'stopping' | 'requiredColumns' | 'maxDocumentMb'
> & { settings: Pick<Settings, 'REQUIRED_COLUMNS' | 'MAX_DOCUMENT_MB'> };

/** Picks it, for an import that ends early when `stopping` is aborted: also while Redis is away. */
export function importDepsOf(source: ImportSource, stopping: AbortSignal): Omit<ImportDeps, 'onBatch'> {
  const { rows, portfolios, queues, buyers, imports, documents, persist, settings, approvals, approvalPolicy } = source;
  return {
    rows,
    portfolios,
    queues,
    buyers,
    imports,
    documents,
    approvals,
    approvalPolicy,
    stopping,
    persist: untilStopped(persist, stopping),
    requiredColumns: settings.REQUIRED_COLUMNS,
    maxDocumentMb: settings.MAX_DOCUMENT_MB,
  };
}
