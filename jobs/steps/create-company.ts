import { stepAfter } from '../../src/ledger/row.ts';
import type { RowId } from '../../src/ledger/row-id.ts';
import type { JobEnd } from '../../src/queue/runner.ts';
import { callOnce } from './call-once.ts';
import { endWithout, giveUpRow, parseRowPayload, runStep, type StepDeps } from './step.ts';

/**
 * First step of a row: its buyer becomes a company at the service (service-api: "company"), once for all rows that share
 * the buyer. A row whose line gives a `company_…` id never comes here.
 */
export const createCompany = {
  name: 'create-company',
  queue: 'companies',
  parse: parseRowPayload,
  run: (row: RowId, deps: StepDeps): Promise<JobEnd> =>
    runStep(row, 'company', deps, async ({ request, revision }) => {
      const body = request.company ?? {};
      const wish = { what: 'the company', sent: JSON.stringify(body) };
      const ending = await callOnce(
        {
          ...wish,
          kind: 'company',
          key: request.buyer,
          row,
          revision,
          buyer: request.buyer,
          send: (call) => deps.service.createCompany(body, call),
        },
        deps,
      );
      if (ending.is !== 'made') return endWithout('company', wish, ending);
      return { to: stepAfter(request, 'company'), fields: { company: ending.id, answered: ending.row === undefined } };
    }),
  giveUp: (row: RowId, error: unknown, deps: StepDeps) => giveUpRow(row, 'company', error, deps),
} as const;
