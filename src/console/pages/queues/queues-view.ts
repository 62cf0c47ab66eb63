import { grouped } from '../../../counted.ts';
import type { QueueCounts } from '../../../queue/queue-looks.ts';
import type { QueueName } from '../../../queue/queues.ts';
import { type Html, html } from '../../html/html.ts';
import { actionButton } from '../../parts/button.ts';
import { table } from '../../parts/table.ts';
import { timeAgo } from '../../parts/time.ts';

/** Where the queues stand in the page, and in its events. */
export const QUEUES_ID = 'queues';

/** The queues of the steps, with what can be done to each. */
export function queuesView(queues: readonly QueueCounts[], csrf: string): Html {
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

/** What a queue is for, to those who know rows and steps. */
const QUEUE_WORDS: Readonly<Record<QueueName, { step: string; does: string }>> = {
  companies: { step: 'Company', does: 'the buyer becomes a company at the service' },
  documents: { step: 'Documents', does: 'its documents are uploaded' },
  'buyer-limits': { step: 'Limit', does: 'the limit is requested' },
};
