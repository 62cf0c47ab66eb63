import type { Step } from '../src/ledger/schema/row.ts';
import type { RowId } from '../src/ledger/schema/schema.ts';
import { parseRowPayload, STEP_JOBS } from './rows/step-jobs.ts';
import { createSupplier } from './steps/create-supplier.ts';
import { type GoDeps, goOn } from './steps/go-on.ts';
import { giveUpRow } from './steps/step.ts';

/** The job of a step. A row for which a step has nothing to do never comes to its queue. */
const jobOf = <S extends Step>(step: S) => ({
  ...STEP_JOBS[step],
  parse: parseRowPayload,
  run: (row: RowId, deps: GoDeps) => goOn(row, step, deps),
  giveUp: (row: RowId, error: unknown, deps: GoDeps) => giveUpRow(row, step, error, deps),
});

/** The jobs of the queues, in the order in which a row meets them. One that is not in this list is run by nobody. */
export const JOBS = [createSupplier, jobOf('company'), jobOf('documents'), jobOf('limit')] as const;
