import type { RowId } from '../../src/ledger/row-id.ts';
import { parseRowPayload, STEP_JOBS } from '../rows/step-jobs.ts';
import { type GoDeps, goOn } from './go-on.ts';
import { giveUpRow } from './step.ts';

/**
 * Second step of a row: its documents go up (docs/service.md, "Document"), one after another, each once for all rows that
 * attach it. A row without documents never comes here.
 */
export const uploadDocuments = {
  ...STEP_JOBS.documents,
  parse: parseRowPayload,
  run: (row: RowId, deps: GoDeps) => goOn(row, 'documents', deps),
  giveUp: (row: RowId, error: unknown, deps: GoDeps) => giveUpRow(row, 'documents', error, deps),
};
