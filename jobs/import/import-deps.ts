import type { Settings } from '../../src/config.ts';
import { untilStopped } from '../../src/ledger/schema/until-answered.ts';
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
    retryUntilAnswered: untilStopped(source.retryUntilAnswered, stopping),
    requiredColumns: source.settings.REQUIRED_COLUMNS,
    maxDocumentMb: source.settings.MAX_DOCUMENT_MB,
  };
}
