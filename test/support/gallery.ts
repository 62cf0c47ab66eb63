import { addAction } from '../../src/console/actions/add-action.ts';
import type { ConsoleApp } from '../../src/console/console-app.ts';
import { type Html, html } from '../../src/console/html/html.ts';
import { emptyState, notice, pageHead, pager, panel, table } from '../../src/console/parts/blocks.ts';
import { facts, progressBar, SHOWN_STATES, stateBadge, stateBar, stats } from '../../src/console/parts/figures.ts';
import { actionButton, button, field, form, linkButton, select, tick } from '../../src/console/parts/form.ts';
import { amount, moment, timeAgo } from '../../src/console/parts/text.ts';

const ROWS = [
  { line: 2, name: 'Muster Maschinenbau GmbH & Co. KG', limit: '1250000.5', state: 'done' as const, note: 'bl_8f3a' },
  {
    line: 3,
    name: '<script>alert(1)</script>',
    limit: '9000',
    state: 'refused' as const,
    note: '400 name is too long',
  },
  { line: 4, name: 'Łódź Trading Sp. z o.o.', limit: '42', state: 'held' as const, note: 'no answer in 30 s' },
  { line: 5, name: 'A'.repeat(80), limit: '123456789012345.99', state: 'limit' as const, note: '' },
];

/** `/gallery`: every part of a page at once, for viewing and checking; and an action that returns what it received. */
export function addGalleryPage(app: ConsoleApp): void {
  app.get('/gallery', async (_request, reply) =>
    reply.page({ title: 'Gallery', at: 'portfolios', body: gallery(reply.csrf()) }),
  );
  addAction(app, {
    url: '/gallery/:name/heard',
    action: 'pause',
    handle: ({ fields, params, reply }) =>
      reply.page({ title: 'Heard', body: html`<h1>Heard</h1><p>${params.name} ${JSON.stringify(fields)}</p>` }),
  });
}

function gallery(csrf: string): Html {
  const counts = { queued: 400, company: 12, documents: 3, limit: 20, done: 900, refused: 41, held: 2, skipped: 30 };
  return html`${pageHead({
    title: 'Q4 buyers',
    trail: [{ href: '/', words: 'Portfolios' }],
    lead: html`From q4.csv, ${timeAgo(Date.now() - 250_000)}`,
    actions: [
      linkButton({ href: '/keys', words: 'Download results' }),
      button({ words: 'Retry 41 rows', kind: 'primary' }),
      button({ words: 'Cancel', kind: 'danger' }),
    ],
  })}
  ${stats([
    { label: 'Requested', value: amount('1250000.5'), hint: '1,408 rows' },
    { label: 'Granted', value: amount('910000'), kind: 'good' },
    { label: 'Held', value: '2', hint: 'a person must say what happened', kind: 'warn' },
    { label: 'Time left', value: '4–6 min' },
  ])}
  ${stateBar(counts, { legend: true })}
  ${table({
    caption: 'Rows',
    rows: ROWS,
    columns: [
      { head: 'Line', kind: 'number', cell: (row) => row.line },
      { head: 'Buyer', names: true, cell: (row) => html`<a href="/keys">${row.name}</a>` },
      { head: 'Requested', kind: 'amount', cell: (row) => amount(row.limit) },
      { head: 'State', cell: (row) => stateBadge(row.state) },
      { head: 'Id', kind: 'id', cell: (row) => row.note },
      { head: 'Do', kind: 'actions', cell: (row) => button({ words: 'Retry', label: `Retry line ${row.line}` }) },
    ],
  })}
  ${pager({ words: 'Rows from line 2', first: '/gallery', next: '/gallery?after=5' })}
  <div class="panels">
    ${panel({
      title: 'Facts',
      body: facts([
        { term: 'Redis', what: '7.0.15' },
        { term: 'Last sign', what: moment(1_800_000_000_000) },
      ]),
    })}
    ${panel({ title: 'Import', body: progressBar({ label: 'Import', done: 40, total: 100, words: '40 of 100 lines' }) })}
  </div>
  ${SHOWN_STATES.map((state) => html`${stateBadge(state)} `)}
  ${(['info', 'good', 'warn', 'bad'] as const).map((kind) => notice(kind, 'What it is, and what to do.', { title: 'A notice.' }))}
  ${form({
    action: '/gallery/q4/heard',
    csrf,
    body: [
      field({ label: 'Name', name: 'name', hint: 'Letters and digits.', problem: 'There is one of this name.' }),
      select({
        label: 'Encoding',
        name: 'encoding',
        value: 'b',
        options: [
          { value: 'a', words: 'UTF-8' },
          { value: 'b', words: 'Windows-1252' },
        ],
      }),
      field({ label: 'Text', name: 'text', value: '</input><b>' }),
      tick({ label: 'Send 5, then wait', name: 'first', hint: 'Look at the answers before the rest goes.' }),
      button({ words: 'Save', kind: 'primary' }),
    ],
  })}
  ${actionButton({ action: '/gallery/q4/heard', csrf, words: 'Pause', command: 'npx limitline pause q4', fields: { why: 'x' } })}
  ${emptyState({ title: 'No portfolio yet', words: 'Drop a file to begin.', next: linkButton({ href: '/new', words: 'New portfolio', kind: 'primary' }) })}`;
}
