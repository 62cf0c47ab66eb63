import { grouped } from '../../../counted.ts';
import { isLimitlineError } from '../../../errors.ts';
import type { Cause } from '../../../ledger/counts/cause.ts';
import type { FailingPortfolio } from '../../../ledger/counts/glances.ts';
import { isPortfolioName } from '../../../ledger/schema/schema.ts';
import type { FoundRow } from '../../../ledger/search/row-filter.ts';
import type { QueueCounts } from '../../../queue/queue-looks.ts';
import { type JobData, QUEUES, type QueueName } from '../../../queue/queues.ts';
import { OPERATOR } from '../../access/rules.ts';
import { formFieldsOf } from '../../actions/add-action.ts';
import { type RowRetried, whyItStays, whyUnknown } from '../../board/board-functions.ts';
import { ConsoleError } from '../../console-app.ts';
import { type Html, html } from '../../html/html.ts';
import { actionButton, linkButton } from '../../parts/form.ts';
import { pageHead, panel } from '../../parts/page-head.ts';
import { table } from '../../parts/table.ts';
import { timeAgo } from '../../parts/text.ts';
import { approvalAddress } from '../addresses.ts';
import { page } from '../page.ts';
import {
  causesView,
  FAILED_QUERY,
  type FailedQuery,
  type FailedShown,
  failedView,
  failingView,
  searchAddress,
} from './failed-view.ts';

/** The functions that the page of the queues gets. */
export type QueuesPageFunctions = {
  counts: () => Promise<QueueCounts[]>;
  /** The latest portfolios with failed rows. */
  failing: () => Promise<FailingPortfolio[]>;
  /** Failed rows from the ledger, at most `count`. */
  failed: (search: FailedQuery, count: number) => Promise<FailedShown['page']>;
  causes: (portfolio: string) => Promise<Cause[]>;
  retry: (row: JobData, by: string) => Promise<RowRetried>;
  pause: (queue: QueueName) => Promise<void>;
  resume: (queue: QueueName) => Promise<void>;
};

const ROWS_SHOWN = 25;

/** `/work`: the queues of the steps with live updates, and all failed rows with their actions. */
export const stepQueuesPage = page<QueuesPageFunctions>(
  { at: 'queues', entry: { at: 'queues', href: '/work', words: 'Queues' } },
  ({ get, events, post }) => [
    get('/work', {
      may: OPERATOR,
      query: FAILED_QUERY,
      show: async ({ reply, query, given }) => {
        const [counts, failing, { page, problem }, causes] = await Promise.all([
          given.counts(),
          given.failing(),
          findFailed(query, given),
          query.portfolio === undefined ? [] : given.causes(query.portfolio),
        ]);
        const csrf = reply.csrf();
        const shown = { query, failing, causes, page, problem, address: searchAddress(query) };
        return { title: 'Queues', events: '/work/events', body: workView(counts, shown, csrf) };
      },
    }),
    events('/work/events', {
      may: OPERATOR,
      frames: (given) => async () => [{ id: QUEUES_ID, html: queuesView(await given.counts(), '') }],
    }),
    post('/work/retry', {
      may: OPERATOR,
      action: 'retry',
      about: ({ request }) => {
        const { portfolio, key } = formFieldsOf(request.body);
        return { portfolio, facts: { row: key } };
      },
      handle: async ({ fields, actor, reply, given }) => {
        const { portfolio = '', key = '', back = '' } = fields;
        const answer = await given.retry({ portfolio, key }, actor.name);
        if (answer.is === 'waits') return reply.redirect(approvalAddress(answer.asked.approval), 303);
        if (answer.is === 'stays') throw new ConsoleError(409, whyItStays(answer.state));
        if (answer.is === 'unknown') throw new ConsoleError(404, whyUnknown(key));
        // Only addresses of this page are followed, since anybody may have written the form.
        return reply.redirect(/^\/work(\?|$)/.test(back) ? back : '/work', 303);
      },
    }),
    ...(['pause', 'resume'] as const).map((action) =>
      post(`/work/:queue/${action}`, {
        may: OPERATOR,
        action: `${action} queue`,
        handle: async ({ params, reply, given }) => {
          const queue = QUEUES.find((name) => name === params.queue);
          if (!queue) throw new ConsoleError(404, `There is no such queue; there are ${QUEUES.join(', ')}.`);
          await given[action](queue);
          return reply.redirect('/work', 303);
        },
      }),
    ),
  ],
);

function workView(counts: QueueCounts[], shown: FailedShown, csrf: string): Html {
  const { query, failing, causes } = shown;
  return html`${pageHead({
    title: 'Queues',
    lead: 'Each row is one job, which goes along these three queues. The ledger has every row, whatever becomes of its job.',
    actions: linkButton({ href: '/queues', words: 'Details of jobs' }),
  })}
      ${panel({ title: 'Steps', id: QUEUES_ID, body: queuesView(counts, csrf) })}
      ${panel({ title: 'Portfolios with failed rows', body: failingView(failing) })}
      ${query.portfolio !== undefined && causes.length > 0 && panel({ title: 'Why they failed', body: causesView(query.portfolio, causes) })}
      <div id="failed">${panel({ title: 'Failed rows', body: failedView(shown, csrf) })}</div>`;
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

/** The id of the queues' element, in the page and in its events. */
const QUEUES_ID = 'queues';

/** The queues of the steps, with the actions for each. */
function queuesView(queues: readonly QueueCounts[], csrf: string): Html {
  return html`${table({
    caption: 'Queues of the steps',
    rows: queues,
    columns: [
      { head: 'Step', names: true, cell: ({ name }) => nameOf(name) },
      { head: 'State', cell: ({ isPaused }) => (isPaused ? paused() : html`<span class="queue-fact">goes on</span>`) },
      { head: 'Waiting', kind: 'number', cell: ({ waiting }) => grouped(waiting) },
      { head: 'Active', kind: 'number', cell: ({ active }) => grouped(active) },
      { head: 'Delayed', kind: 'number', cell: ({ delayed }) => grouped(delayed) },
      { head: 'Failed', kind: 'number', cell: ({ failed }) => grouped(failed) },
      { head: 'Next was added', cell: ({ oldestMs }) => timeAgo(oldestMs, { none: 'nothing waits' }) },
      { head: 'Pause', kind: 'actions', cell: (queue) => pauseButton(queue, csrf) },
    ],
  })}`;
}

function nameOf(name: QueueCounts['name']): Html {
  const { step, does } = QUEUE_WORDS[name];
  return html`<div>${step}<span class="under"><code>${name}</code>: ${does}</span></div>`;
}

function paused(): Html {
  return html`<span class="badge state-held"><svg class="shape" viewBox="0 0 16 16" aria-hidden="true"><path d="M5.5 3.5v9M10.5 3.5v9"/></svg>paused</span>`;
}

function pauseButton({ name, isPaused }: QueueCounts, csrf: string): Html {
  const action = isPaused ? 'resume' : 'pause';
  return actionButton({
    action: `/work/${name}/${action}`,
    csrf,
    words: isPaused ? 'Let it go on' : 'Pause',
    ...(isPaused ? { kind: 'primary' as const } : {}),
    label: isPaused ? `Let it go on: ${name}` : `Pause ${name}`,
    command: `npx limitline ${action} --queue ${name}`,
  });
}

/** What each queue does, in the terms of rows and steps. */
const QUEUE_WORDS: Readonly<Record<QueueName, { step: string; does: string }>> = {
  companies: { step: 'Company', does: 'the buyer becomes a company at the service' },
  documents: { step: 'Documents', does: 'its documents are uploaded' },
  'buyer-limits': { step: 'Limit', does: 'the limit is requested' },
};
