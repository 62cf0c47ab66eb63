import type { Step } from '../src/ledger/schema/row.ts';
import type { RowId } from '../src/ledger/schema/schema.ts';
import { parseRowPayload, STEP_JOBS } from './rows/step-jobs.ts';
import { createSupplier } from './steps/create-supplier.ts';
import { type GoDeps, goOn } from './steps/go-on.ts';
import { giveUpRow } from './steps/step.ts';

/** The job of a step. A row with nothing to do at a step never enters that step's queue. */
const jobOf = <S extends Step>(step: S) => ({
  ...STEP_JOBS[step],
  parse: parseRowPayload,
  run: (row: RowId, deps: GoDeps) => goOn(row, step, deps),
  giveUp: (row: RowId, error: unknown, deps: GoDeps) => giveUpRow(row, step, error, deps),
});

/** All jobs, in the order in which a row meets them. Workers run no other jobs. */
export const JOBS = [createSupplier, jobOf('company'), jobOf('documents'), jobOf('limit')] as const;
