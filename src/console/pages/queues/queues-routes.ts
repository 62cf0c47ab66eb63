import { grouped } from '../../../counted.ts';
import { isLimitlineError } from '../../../errors.ts';
import type { Cause } from '../../../ledger/counts/cause.ts';
import type { FailingPortfolio } from '../../../ledger/counts/glances.ts';
import { isPortfolioName } from '../../../ledger/schema/schema.ts';
import type { FoundRow } from '../../../ledger/search/row-filter.ts';
import { madePerMinute, type PaceSample } from '../../../pace/samples.ts';
import type { QueueCounts } from '../../../queue/queue-looks.ts';
import { type JobData, QUEUES, type QueueName } from '../../../queue/queues.ts';
import { OPERATOR } from '../../access/access.ts';
import { formFieldsOf } from '../../actions/add-action.ts';
import { CHANGED_SINCE, type RowRetried, whyItStays, whyUnknown } from '../../board/board-queue.ts';
import { ConsoleError } from '../../console-app.ts';
import { countWords, type Html, html, t } from '../../html/html.ts';
import { pageHead, panel, table } from '../../parts/blocks.ts';
import { actionButton, button, form, linkButton } from '../../parts/form.ts';
import { commandLine } from '../../parts/text.ts';
import { approvalAddress } from '../addresses.ts';
import { page } from '../page.ts';
import type { FailedQuery, FailedShown } from './failed-view.ts';
import { causesView, FAILED_QUERY, failedView, failingView, searchAddress } from './failed-view.ts';

/** The queues at one moment; `toSend` counts rows that are not sent yet, most of which have no job. */
type QueuesLook = {
  queues: readonly QueueCounts[];
  samples: readonly PaceSample[];
  toSend: number;
  nowMs: number;
};

export type QueuesPageFunctions = {
  /** Reads the queues, the pace of each step in the last hour, and the number of rows that are still to be sent. */
  look: () => Promise<QueuesLook>;
  /** The latest portfolios with failed rows. */
  failing: () => Promise<FailingPortfolio[]>;
  /** Failed rows from the ledger, at most `count`. */
  failed: (search: FailedQuery, count: number) => Promise<FailedShown['page']>;
  causes: (portfolio: string) => Promise<Cause[]>;
  /** Sends a row again; with `seenMs` only if its state and request are those of that time ({@link RowResult.sinceMs}). */
  retry: (row: JobData, by: string, seenMs?: number) => Promise<RowRetried | { is: 'changed' }>;
  /** Whether BullMQ's board is on, which shows the details of jobs at `/queues`. */
  hasBoard: boolean;
  pause: (queue: QueueName) => Promise<void>;
  resume: (queue: QueueName) => Promise<void>;
};

const ROWS_SHOWN = 25;

/** `/work`: the queues of the steps with live updates, and all failed rows with their actions. */
export const stepQueuesPage = page<QueuesPageFunctions>(
  { at: 'queues', entry: { at: 'queues', href: '/work', words: t`Queues` } },
  ({ get, events, post }) => [
    get('/work', {
      may: OPERATOR,
      query: FAILED_QUERY,
      show: async ({ reply, query, given }) => {
        const [look, failing, { page, problem }, causes] = await Promise.all([
          given.look(),
          given.failing(),
          findFailed(query, given),
          query.portfolio === undefined ? [] : given.causes(query.portfolio),
        ]);
        const csrf = reply.csrf();
        const shown = { query, failing, causes, page, problem, address: searchAddress(query) };
        return {
          title: t`Queues`,
          events: '/work/events',
          body: workView(look, shown, { csrf, hasBoard: given.hasBoard }),
        };
      },
    }),
    events('/work/events', {
      may: OPERATOR,
      frames: (given) => async () => [{ id: QUEUES_ID, html: queuesView(await given.look(), '') }],
    }),
    post('/work/retry', {
      may: OPERATOR,
      action: 'retry',
      about: ({ request }) => {
        const { portfolio, key } = formFieldsOf(request.body);
        return { portfolio, facts: { row: key } };
      },
      handle: async ({ fields, actor, reply, given }) => {
        const { portfolio = '', key = '', back = '', seen } = fields;
        const seenMs = seen === undefined ? undefined : Number(seen);
        const answer = await given.retry({ portfolio, key }, actor.name, seenMs);
        if (answer.is === 'waits') return reply.redirect(approvalAddress(answer.asked.approval), 303);
        if (answer.is === 'changed') throw new ConsoleError(409, CHANGED_SINCE);
        if (answer.is === 'stays') throw new ConsoleError(409, whyItStays(answer.state));
        if (answer.is === 'unknown') throw new ConsoleError(404, whyUnknown(key));
        // The form's `back` is used only if it is an address of this page, since anybody may have written the form.
        return reply.redirect(/^\/work(\?|$)/.test(back) ? back : '/work', 303);
      },
    }),
    get('/work/:queue/pause', {
      may: OPERATOR,
      show: async ({ params, reply }) => {
        const queue = queueOf(params);
        return { title: t`Pause the queue ${queue}?`, body: pauseView(queue, reply.csrf()) };
      },
    }),
    ...(['pause', 'resume'] as const).map((action) =>
      post(`/work/:queue/${action}`, {
        may: OPERATOR,
        action: `${action} queue`,
        handle: async ({ params, reply, given }) => {
          await given[action](queueOf(params));
          return reply.redirect('/work', 303);
        },
      }),
    ),
  ],
);

function queueOf(params: { queue?: string }): QueueName {
  const queue = QUEUES.find((name) => name === params.queue);
  if (!queue) throw new ConsoleError(404, t`There is no such queue; there are ${QUEUES.join(', ')}.`);
  return queue;
}

function pauseView(queue: QueueName, csrf: string): Html {
  const body = html`<div class="beside">${button({ words: t`Pause`, kind: 'primary' })}
    <a class="button is-quiet" href="/work" data-close>Back</a></div>`;
  return html`<h2 class="dialog-title">Pause the queue ${queue}?</h2>
    <p>It stops for all portfolios, until somebody lets it go on. Calls under way are still waited for.</p>
    ${form({ action: `/work/${queue}/pause`, csrf, body, class: 'form' })}`;
}

function workView(look: QueuesLook, shown: FailedShown, { csrf, hasBoard }: { csrf: string; hasBoard: boolean }): Html {
  const { query, failing, causes } = shown;
  return html`${pageHead({
    title: t`Queues`,
    lead: t`Each row goes through three steps: its company, its documents, its limit. Every step has a queue.`,
    actions: hasBoard ? linkButton({ href: '/queues', words: t`Details of jobs` }) : undefined,
  })}
      ${panel({ title: t`Steps`, id: QUEUES_ID, body: queuesView(look, csrf) })}
      ${panel({ title: t`Portfolios with failed rows`, body: failingView(failing) })}
      ${query.portfolio !== undefined && causes.length > 0 && panel({ title: t`Why they failed`, body: causesView(query.portfolio, causes) })}
      <div id="failed">${panel({ title: t`Failed rows`, body: failedView(shown, csrf) })}</div>`;
}

const NOTHING_FOUND: FailedShown['page'] = { found: [] as FoundRow[], isMore: false };

async function findFailed(
  query: FailedQuery,
  given: QueuesPageFunctions,
): Promise<{ page: FailedShown['page']; problem: string | undefined }> {
  if (query.portfolio !== undefined && !isPortfolioName(query.portfolio)) {
    return { page: NOTHING_FOUND, problem: t`There is no portfolio of this name.` };
  }
  try {
    return { page: await given.failed(query, ROWS_SHOWN), problem: undefined };
  } catch (error) {
    if (isLimitlineError(error, 'USAGE')) return { page: NOTHING_FOUND, problem: error.message };
    throw error;
  }
}

const QUEUES_ID = 'queues';

function queuesView({ queues, samples, toSend, nowMs }: QueuesLook, csrf: string): Html {
  const perMinute = (name: QueueName, overMs: number) =>
    rateWords(madePerMinute(samples, QUEUE_WORDS[name].kind, { overMs, nowMs }));
  return html`<p>${toSend === 0 ? t`No rows wait to be sent.` : t`${countWords(toSend, 'row is', 'rows are')} still to be sent. The queues hold only the next of them.`} “Per minute” counts the companies, documents and limits that the service made, for all portfolios together.</p>
  ${table({
    caption: t`Queues of the steps`,
    rows: queues,
    columns: [
      { head: t`Step`, names: true, cell: ({ name }) => nameOf(name) },
      { head: t`State`, cell: ({ isPaused }) => (isPaused ? paused() : html`<span class="nowrap">goes on</span>`) },
      { head: t`Per minute, now`, kind: 'number', cell: ({ name }) => perMinute(name, MINUTE_MS) },
      { head: t`Per minute, last hour`, kind: 'number', cell: ({ name }) => perMinute(name, 60 * MINUTE_MS) },
      { head: t`Waiting`, kind: 'number', cell: ({ waiting }) => grouped(waiting) },
      { head: t`Oldest waits`, kind: 'number', cell: ({ oldestMs }) => ageWords(oldestMs, nowMs) },
      { head: t`Active`, kind: 'number', cell: ({ active }) => grouped(active) },
      { head: t`Delayed`, kind: 'number', cell: ({ delayed }) => grouped(delayed) },
      { head: t`Failed`, kind: 'number', cell: ({ failed }) => grouped(failed) },
      { head: t`Pause`, kind: 'actions', cell: (queue) => pauseButton(queue, csrf) },
    ],
  })}`;
}

const MINUTE_MS = 60_000;

/** A rate per minute as a text: `0`, `2.5`, `140`; a dash where the rate is not known. */
function rateWords(perMinute: number | undefined): string {
  if (perMinute === undefined) return '–';
  return perMinute < 10 ? String(Number(perMinute.toFixed(1))) : grouped(Math.round(perMinute));
}

/** How long the oldest job waits, to the minute, so that watchers are sent a change once a minute. */
function ageWords(oldestMs: number | undefined, nowMs: number): string {
  if (oldestMs === undefined) return '–';
  const minutes = Math.floor((nowMs - oldestMs) / MINUTE_MS);
  if (minutes < 1) return 'under 1 min';
  return minutes < 60 ? t`${minutes} min` : t`${grouped(Math.floor(minutes / 60))} h ${minutes % 60} min`;
}

function nameOf(name: QueueCounts['name']): Html {
  const { step, does } = QUEUE_WORDS[name];
  return html`<div class="queue-step">${step}<span class="under"><code>${name}</code>: ${does}</span></div>`;
}

function paused(): Html {
  return html`<span class="badge state-held"><svg class="shape" viewBox="0 0 16 16" aria-hidden="true"><path d="M5.5 3.5v9M10.5 3.5v9"/></svg>paused</span>`;
}

function pauseButton({ name, isPaused }: QueueCounts, csrf: string): Html {
  if (isPaused) {
    return actionButton({
      action: `/work/${name}/resume`,
      csrf,
      words: t`Let it go on`,
      kind: 'primary',
      label: t`Let it go on: ${name}`,
      command: `npx limitline resume --queue ${name}`,
    });
  }
  return html`<div class="action">${linkButton({ href: `/work/${name}/pause`, words: t`Pause…`, dialog: true, label: t`Pause ${name}` })}${commandLine(`npx limitline pause --queue ${name}`)}</div>`;
}

/** The words about each queue: the step of its rows, and what the step does; and the kind of call that the step makes. */
const QUEUE_WORDS: Readonly<Record<QueueName, { step: string; kind: 'company' | 'document' | 'limit'; does: string }>> =
  {
    companies: { step: t`Company`, kind: 'company', does: t`the buyer becomes a company at the service` },
    documents: { step: t`Documents`, kind: 'document', does: t`its documents are uploaded` },
    'buyer-limits': { step: t`Limit`, kind: 'limit', does: t`the limit is requested` },
  };
