import { askedOf, type RowAtStep } from '../../src/ledger/row.ts';
import { type RowId, rowName } from '../../src/ledger/row-id.ts';
import type { JobEnd } from '../../src/queue/runner.ts';
import { parseRowPayload, STEP_JOBS } from '../rows/step-jobs.ts';
import { callOnce } from './call-once.ts';
import { endWithout, giveUpRow, moveOn, type StepDeps, takeUp } from './step.ts';
import type { Wish } from './wish.ts';

/**
 * Last step of a row: the buyer limit request (docs/service.md, "Buyer limit request"). A request key is submitted once, whatever
 * portfolio it stands in: a row that finds it made for another row is skipped.
 */
export const submitBuyerLimit = {
  ...STEP_JOBS.limit,
  parse: parseRowPayload,

  async run(row: RowId, deps: StepDeps): Promise<JobEnd> {
    const taken = await takeUp(row, 'limit', deps);
    if (taken.is !== 'taken') return taken;
    const { request, revision } = taken;
    const company = taken.companyId || request.companyId;
    if (!company) throw new Error(`The row ${rowName(row)} reached its limit without a company.`);
    const body = limitBody(company, taken);
    const wish: Wish = {
      kind: 'limit',
      key: row.key,
      row,
      revision,
      buyer: request.buyer,
      asked: askedOf(request),
      what: 'the buyer limit request',
      sent: JSON.stringify(body),
      body,
    };
    const outcome = await callOnce(wish, deps);
    if (outcome.is !== 'made') return endWithout(wish, outcome, taken, deps);
    const { id: limit, record, row: madeFor } = outcome;
    const isOurs = madeFor === undefined || madeFor === rowName(row);
    const fields = { company, limit, record, answered: madeFor === undefined };
    return moveOn(taken, isOurs ? 'done' : 'skipped', fields, deps);
  },

  giveUp: (row: RowId, error: unknown, deps: StepDeps) => giveUpRow(row, 'limit', error, deps),
};

/**
 * The request's body. Here alone an amount becomes a number: reading took care that it has no more digits than a JSON
 * number carries exactly.
 */
export function limitBody(
  company: string,
  { request, documentIds }: Pick<RowAtStep, 'request' | 'documentIds'>,
): Record<string, unknown> {
  return {
    company,
    ...request.limit,
    requested_limit: Number(request.limit.requested_limit),
    ...(documentIds.length > 0 ? { supporting_documents: documentIds } : {}),
  };
}
