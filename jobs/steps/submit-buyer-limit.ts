import type { RowId } from '../../src/ledger/row-id.ts';
import { parseRowPayload, STEP_JOBS } from '../rows/step-jobs.ts';
import { type GoDeps, goOn } from './go-on.ts';
import { giveUpRow } from './step.ts';

/**
 * Last step of a row: the buyer limit request (docs/service.md, "Buyer limit request"). A request key is submitted once, whatever
 * portfolio it stands in: a row that finds it made for another row is skipped.
 */
export const submitBuyerLimit = {
  ...STEP_JOBS.limit,
  parse: parseRowPayload,
  run: (row: RowId, deps: GoDeps) => goOn(row, 'limit', deps),
  giveUp: (row: RowId, error: unknown, deps: GoDeps) => giveUpRow(row, 'limit', error, deps),
};
