import { askedOf, type RowAtStep } from '../../src/ledger/row.ts';
import { type RowId, rowName } from '../../src/ledger/row-id.ts';
import type { JobEnd } from '../../src/queue/runner.ts';
import { callOnce } from './call-once.ts';
import { endWithout, giveUpRow, parseRowPayload, runStep, type StepDeps } from './step.ts';

/**
 * Last step of a row: the buyer limit request (service-api: "buyer_limit"). A request key is submitted once, whatever
 * portfolio it stands in: a row that finds it made for another row is skipped.
 */
export const submitBuyerLimit = {
  name: 'submit-buyer-limit',
  queue: 'buyer-limits',
  parse: parseRowPayload,
  run: (row: RowId, deps: StepDeps): Promise<JobEnd> =>
    runStep(row, 'limit', deps, async (found) => {
      const company = found.companyId || found.request.companyId;
      if (!company) throw new Error(`The row ${rowName(row)} reached its limit without a company.`);
      const body = limitBody(company, found);
      const wish = { what: 'the buyer limit request', sent: JSON.stringify(body) };
      const ending = await callOnce(
        {
          ...wish,
          kind: 'limit',
          key: row.key,
          row,
          revision: found.revision,
          asked: askedOf(found.request),
          buyer: found.request.buyer,
          send: (call) => deps.service.requestLimit(body, call),
        },
        deps,
      );
      if (ending.is !== 'made') return endWithout('limit', wish, ending);
      const ours = ending.row === undefined || ending.row === rowName(row);
      return {
        to: ours ? 'done' : 'skipped',
        fields: { company, limit: ending.id, record: ending.record, answered: ending.row === undefined },
      };
    }),
  giveUp: (row: RowId, error: unknown, deps: StepDeps) => giveUpRow(row, 'limit', error, deps),
} as const;

/**
 * The request's body. Here alone an amount becomes a number: reading took care that it has no more digits than a JSON
 * number carries exactly.
 */
function limitBody(company: string, { request, documentIds }: RowAtStep): Record<string, unknown> {
  return {
    company,
    ...request.limit,
    requested_limit: Number(request.limit.requested_limit),
    ...(documentIds.length > 0 ? { supporting_documents: documentIds } : {}),
  };
}
