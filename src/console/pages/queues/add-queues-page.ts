import { isLimitlineError } from '../../../errors.ts';
import type { Cause } from '../../../ledger/counts/cause.ts';
import type { FailingPortfolio } from '../../../ledger/counts/glances.ts';
import { isPortfolioName } from '../../../ledger/schema/schema.ts';
import type { FoundRow, Query } from '../../../ledger/search/row-filter.ts';
import type { QueueCounts } from '../../../queue/queue-looks.ts';
import { type JobData, QUEUES, type QueueName } from '../../../queue/queues.ts';
import { addAction } from '../../actions/add-action.ts';
import { fieldsOf } from '../../actions/fields-of.ts';
import type { RowRetried } from '../../board/board-functions.ts';
import { whyItStays, whyUnknown } from '../../board/retry-words.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { addEvents } from '../../events/add-events.ts';
import type { Hub } from '../../events/hub.ts';
import { html } from '../../html/html.ts';
import { linkButton } from '../../parts/button.ts';
import { pageHead, panel } from '../../parts/page-head.ts';
import { ConsoleError } from '../../server/console-error.ts';
import { approvalAddress } from '../approvals/approval-address.ts';
import { type FailedQuery, readFailedQuery } from './failed-query.ts';
import { causesView, type FailedShown, failedView, failingView, searchAddress } from './failed-view.ts';
import { QUEUES_ID, queuesView } from './queues-view.ts';

/** What the page of the queues is handed. */
export type QueuesPageFunctions = {
  counts: () => Promise<QueueCounts[]>;
  /** The latest portfolios with failed rows. */
  failing: () => Promise<FailingPortfolio[]>;
  /** Failed rows, from the ledger, so many at the most. */
  failed: (search: FailedQuery, count: number) => Promise<FailedShown['page']>;
  causes: (portfolio: string) => Promise<Cause[]>;
  retry: (row: JobData, by: string) => Promise<RowRetried>;
  pause: (queue: QueueName) => Promise<void>;
  resume: (queue: QueueName) => Promise<void>;
};

const ROWS_SHOWN = 25;

/** `/work`: the queues of the steps, live, and every row that failed, with what can be done about it. */
export function addQueuesPage(app: ConsoleApp, hub: Hub, given: QueuesPageFunctions): void {
  app.get('/work', async (request, reply) => {
    const query = readFailedQuery(request.query as Query);
    const [counts, failing, { page, problem }, causes] = await Promise.all([
      given.counts(),
      given.failing(),
      findFailed(query, given),
      query.portfolio === undefined ? [] : given.causes(query.portfolio),
    ]);
    const csrf = reply.csrf();
    const shown = { query, failing, causes, page, problem, address: searchAddress(query) };
    return reply.page({
      title: 'Queues',
      at: 'queues',
      events: '/work/events',
      body: html`${pageHead({
        title: 'Queues',
        lead: 'Each row is one job, which goes along these three queues. The ledger has every row, whatever becomes of its job.',
        actions: linkButton({ href: '/queues', words: 'Details of jobs' }),
      })}
      ${panel({ title: 'Steps', id: QUEUES_ID, body: queuesView(counts, csrf) })}
      ${panel({ title: 'Portfolios with failed rows', body: failingView(failing) })}
      ${query.portfolio !== undefined && causes.length > 0 && panel({ title: 'Why they failed', body: causesView(query.portfolio, causes) })}
      <div id="failed">${panel({ title: 'Failed rows', body: failedView(shown, csrf) })}</div>`,
    });
  });

  addEvents(app, hub, {
    url: '/work/events',
    key: () => '',
    frame: async () => [{ id: QUEUES_ID, html: queuesView(await given.counts(), '') }],
  });

  addPauses(app, given);
  addAction(app, {
    url: '/work/retry',
    action: 'retry',
    about: async (request) => {
      const { portfolio, key } = fieldsOf(request.body);
      return { portfolio, facts: { row: key } };
    },
    handle: async ({ fields, actor, reply }) => {
      const { portfolio = '', key = '', back = '' } = fields;
      const answer = await given.retry({ portfolio, key }, actor.name);
      if (answer.is === 'waits') return reply.redirect(approvalAddress(answer.asked.approval), 303);
      if (answer.is === 'stays') throw new ConsoleError(409, whyItStays(answer.state));
      if (answer.is === 'unknown') throw new ConsoleError(404, whyUnknown(key));
      // Only to this very page: what stands in a form may have been written by anybody.
      return reply.redirect(/^\/work(\?|$)/.test(back) ? back : '/work', 303);
    },
  });
}

function addPauses(app: ConsoleApp, given: QueuesPageFunctions): void {
  for (const action of ['pause', 'resume'] as const) {
    addAction(app, {
      url: `/work/:queue/${action}`,
      action: `${action} queue`,
      handle: async ({ params, reply }) => {
        const queue = QUEUES.find((name) => name === params.queue);
        if (!queue) throw new ConsoleError(404, `There is no such queue; there are ${QUEUES.join(', ')}.`);
        await given[action](queue);
        return reply.redirect('/work', 303);
      },
    });
  }
}

const NOTHING_FOUND: FailedShown['page'] = { found: [] as FoundRow[], isMore: false };

async function findFailed(
  query: FailedQuery,
  given: QueuesPageFunctions,
): Promise<{ page: FailedShown['page']; problem: string | undefined }> {
  if (query.portfolio !== undefined && !isPortfolioName(query.portfolio)) {
    return { page: NOTHING_FOUND, problem: 'There is no portfolio of this name.' };
  }
  try {
    return { page: await given.failed(query, ROWS_SHOWN), problem: undefined };
  } catch (error) {
    if (isLimitlineError(error, 'USAGE')) return { page: NOTHING_FOUND, problem: error.message };
    throw error;
  }
}
