import type { Settings } from '../../src/config.ts';
import { untilStopped } from '../../src/ledger/schema/persist.ts';
import type { ImportDeps } from './import-portfolio.ts';

/** The parts of a process's context that an import needs. */
export type ImportSource = Omit<
  ImportDeps,
  'onBatch' | 'onOpened' | 'stopping' | 'requiredColumns' | 'maxDocumentMb'
> & { settings: Pick<Settings, 'REQUIRED_COLUMNS' | 'MAX_DOCUMENT_MB'> };

/** The dependencies of an import that ends early when `stopping` is aborted, also while Redis is away. */
export function importDepsOf(source: ImportSource, stopping: AbortSignal): Omit<ImportDeps, 'onBatch'> {
  return {
    ...source,
    stopping,
    persist: untilStopped(source.persist, stopping),
    requiredColumns: source.settings.REQUIRED_COLUMNS,
    maxDocumentMb: source.settings.MAX_DOCUMENT_MB,
  };
}
