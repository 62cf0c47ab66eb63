import { messageOf } from '../../src/errors.ts';
import type { RowId } from '../../src/ledger/row-id.ts';
import type { JobEnd } from '../../src/queue/runner.ts';
import type { CallOptions } from '../../src/service/client.ts';
import { callOnce } from './call-once.ts';
import { endWithout, parseRowPayload, type StepDeps } from './step.ts';

/** Importing again with --supplier asks for it again, and so does sending the cancelled rows again. */
export const GIVEN_UP = 'given up with its portfolio';

/**
 * Before the rows of a portfolio: the supplier on whose behalf they are asked for becomes a company (docs/service.md,
 * "Order of calls"), once for all portfolios that name it. Its id, or why there is none, is stored on the portfolio; without one its rows go on all the same.
 */
export const createSupplier = {
  name: 'create-supplier',
  queue: 'companies',
  parse: parseRowPayload,
  async run(row: RowId, deps: StepDeps): Promise<JobEnd> {
    const { supplier } = await deps.portfolios.read(row.portfolio);
    if (!supplier?.body || !supplier.key || supplier.id) return { is: 'finished' };
    const { body, key } = supplier;
    const wish = { what: 'the supplier', sent: JSON.stringify(body) };
    const send = (call: CallOptions) => deps.service.createCompany(body, call);
    const ending = await callOnce({ ...wish, kind: 'company', key, row, buyer: key, send }, deps);
    if (ending.is === 'made') {
      await deps.portfolios.endSupplier(row.portfolio, { body, key, id: ending.id });
      return { is: 'finished' };
    }
    // The feeder brings it again when the portfolio is resumed.
    if (ending.is === 'paused') return { is: 'finished' };
    const end = endWithout('company', wish, ending);
    if (end.to === 'later') return { is: 'later', waitMs: end.waitMs };
    if (end.to === 'elsewhere') {
      await deps.portfolios.endSupplier(row.portfolio, { body, key, problem: GIVEN_UP });
      return { is: 'finished' };
    }
    const message = end.fields.problem?.message ?? 'The service refused the supplier';
    await deps.portfolios.endSupplier(row.portfolio, { body, key, problem: message });
    return { is: 'failed', message };
  },
  async giveUp({ portfolio }: RowId, error: unknown, { portfolios }: StepDeps): Promise<void> {
    const { supplier } = await portfolios.read(portfolio);
    const problem = `Limitline itself failed at the supplier: ${messageOf(error)}`;
    await portfolios.setSupplier(portfolio, { ...supplier, problem });
  },
} as const;
