import type { RowId } from '../../src/ledger/row-id.ts';
import { stepAfter } from '../../src/ledger/rows.ts';
import type { JobEnd } from '../../src/queue/runner.ts';
import { parseRowPayload, STEP_JOBS } from '../rows/step-jobs.ts';
import { callOnce } from './call-once.ts';
import { endWithout, giveUpRow, moveOn, type StepDeps, takeUp } from './step.ts';
import type { Wish } from './wish.ts';

/**
 * First step of a row: its buyer becomes a company at the service (docs/service.md, "Company"), once for all rows that share
 * the buyer. A row whose line gives a `company_…` id never comes here.
 */
export const createCompany = {
  ...STEP_JOBS.company,
  parse: parseRowPayload,

  async run(row: RowId, deps: StepDeps): Promise<JobEnd> {
    const taken = await takeUp(row, 'company', deps);
    if (taken.is !== 'taken') return taken;
    const { request, revision } = taken;
    const { buyer, company: body = {} } = request;
    const wish: Wish = {
      kind: 'company',
      key: buyer,
      row,
      revision,
      buyer,
      what: 'the company',
      sent: JSON.stringify(body),
      body,
    };
    const outcome = await callOnce(wish, deps);
    if (outcome.is !== 'made') return endWithout(wish, outcome, taken, deps);
    const isOurs = outcome.row === undefined;
    return moveOn(taken, stepAfter(request, 'company'), { company: outcome.id, answered: isOurs }, deps);
  },

  giveUp: (row: RowId, error: unknown, deps: StepDeps) => giveUpRow(row, 'company', error, deps),
};
