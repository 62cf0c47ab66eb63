import type { RowId } from '../../src/ledger/row-id.ts';
import { parseRowPayload, STEP_JOBS } from '../rows/step-jobs.ts';
import { type GoDeps, goOn } from './go-on.ts';
import { giveUpRow } from './step.ts';

/**
 * First step of a row: its buyer becomes a company at the service (docs/service.md, "Company"), once for all rows that share
 * the buyer. A row whose line gives a `company_…` id never comes here.
 */
export const createCompany = {
  ...STEP_JOBS.company,
  parse: parseRowPayload,
  run: (row: RowId, deps: GoDeps) => goOn(row, 'company', deps),
  giveUp: (row: RowId, error: unknown, deps: GoDeps) => giveUpRow(row, 'company', error, deps),
};
