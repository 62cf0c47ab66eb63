import { messageOf } from '../../src/errors.ts';
import { answerWords } from '../../src/ledger/counts/answer-words.ts';
import { GIVEN_UP, isPending } from '../../src/ledger/portfolios/portfolio.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import type { JobEnd } from '../../src/queue/runner.ts';
import { parseRowPayload, SUPPLIER_JOB } from '../rows/feed.ts';
import { callOnce } from './call-once.ts';
import type { CallRequest } from './call-request.ts';
import { problemOf } from './row-problem.ts';
import type { StepDeps } from './step.ts';

/**
 * The supplier's problem if another portfolio's approver declined it. In this portfolio nobody would be asked, so the rows go on without
 * the supplier's company.
 */
const DECLINED_ELSEWHERE =
  'declined in another portfolio, and not created; to ask for the supplier again, import a file into this portfolio with --supplier';

/**
 * Job before a portfolio's rows: makes a company of their supplier (docs/service.md, "Order of calls"), once for all portfolios that name
 * it. Stores the company's id on the portfolio, or why there is none. Rows go on without an id, too.
 */
export const createSupplier = {
  ...SUPPLIER_JOB,
  parse: parseRowPayload,

  async run(row: RowId, deps: StepDeps): Promise<JobEnd> {
    const { supplier } = await deps.portfolios.read(row.portfolio);
    if (!supplier?.body || !supplier.key || !isPending(supplier)) return { is: 'finished' };
    const { body, key } = supplier;
    const request: CallRequest = {
      kind: 'company',
      key,
      row,
      buyer: key,
      what: 'the supplier',
      sent: JSON.stringify(body),
      supplier: JSON.stringify(body),
      body,
    };
    const outcome = await callOnce(request, deps);
    switch (outcome.is) {
      case 'made':
        await deps.portfolios.endSupplier(row.portfolio, { body, key, id: outcome.id });
        return { is: 'finished' };
      case 'later':
        if (outcome.again === 'approved' && (await isDeclinedElsewhere(row.portfolio, key, deps))) {
          await deps.portfolios.endSupplier(row.portfolio, { body, key, problem: DECLINED_ELSEWHERE });
          return { is: 'finished' };
        }
        // The feeder makes this job again when the portfolio is resumed or its import approved.
        return typeof outcome.again === 'string' ? { is: 'finished' } : { is: 'later', waitMs: outcome.again };
      case 'moved':
        await deps.portfolios.endSupplier(row.portfolio, { body, key, problem: GIVEN_UP });
        return { is: 'finished' };
      default: {
        const { message } = problemOf('company', request, outcome);
        const problem = outcome.is === 'refused' ? refusedWords(message, outcome.body, row) : message;
        await deps.portfolios.endSupplier(row.portfolio, { body, key, problem });
        // BullMQ must not keep names of people; the portfolio has the full text.
        return { is: 'failed', message: 'no company could be made for the supplier of this portfolio' };
      }
    }
  },

  async giveUp({ portfolio }: RowId, error: unknown, { portfolios }: StepDeps): Promise<void> {
    const { supplier } = await portfolios.read(portfolio);
    const problem = `Limitline itself failed at the supplier: ${messageOf(error)}`;
    if (supplier?.key) await portfolios.endSupplier(portfolio, { ...supplier, key: supplier.key, problem });
  },
};

/**
 * Whether another portfolio's approver declined this supplier and no approval is open in this portfolio. Reads both from the ledger now,
 * since a yes may have come meanwhile.
 */
async function isDeclinedElsewhere(portfolio: string, key: string, { portfolios }: StepDeps): Promise<boolean> {
  return (await portfolios.isSupplierDeclined(key)) && !(await portfolios.read(portfolio)).supplierAwaits;
}

/** The service's refusal, and the command for another attempt. `retry` does not help: it only sends refused rows. */
function refusedWords(message: string, body: string, { portfolio }: RowId): string {
  const said = answerWords(body).slice(0, MOST_SAID).toWellFormed();
  return `${message}${said === '' ? '' : `: ${said}`}. To ask for the supplier again, import a file into the portfolio with --supplier: npx limitline run FILE --portfolio "${portfolio}" --supplier FILE`;
}

/** The most characters of the response body that the supplier's problem quotes, as many as in a row's cause. */
const MOST_SAID = 200;
