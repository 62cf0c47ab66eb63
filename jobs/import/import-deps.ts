import type { Settings } from '../../src/config.ts';
import { untilStopped } from '../../src/ledger/schema/until-answered.ts';
import type { ImportDeps } from './import-portfolio.ts';

/** What an import needs of a process' context. */
export type ImportSource = Omit<
  ImportDeps,
  'onBatch' | 'onOpened' | 'stopping' | 'requiredColumns' | 'maxDocumentMb'
> & { settings: Pick<Settings, 'REQUIRED_COLUMNS' | 'MAX_DOCUMENT_MB'> };

/** The same for an import that ends early when `stopping` is aborted: also while Redis is away. */
export function importDepsOf(source: ImportSource, stopping: AbortSignal): Omit<ImportDeps, 'onBatch'> {
  return {
    ...source,
    stopping,
    retryUntilAnswered: untilStopped(source.retryUntilAnswered, stopping),
    requiredColumns: source.settings.REQUIRED_COLUMNS,
    maxDocumentMb: source.settings.MAX_DOCUMENT_MB,
  };
}
