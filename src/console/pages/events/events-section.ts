import { counted } from '../../../counted.ts';
import { type RowsOfEvent, whoseId } from '../../../ledger/events/event-rows.ts';
import { type EventTotals, type KeptEvent, sizeText } from '../../../ledger/events/kept-event.ts';
import { type Html, html } from '../../html/html.ts';
import { emptyState, notice } from '../../parts/page-head.ts';
import { table } from '../../parts/table.ts';
import { moment, theirWords, timeAgo } from '../../parts/text.ts';
import { eventAddress, rowAddress } from '../addresses.ts';

/** An event of the service with the first rows that it names. */
export type ShownEvent = KeptEvent & RowsOfEvent;

/** The latest events, and how many are kept. */
type EventsFacts = {
  events: readonly ShownEvent[];
  totals: EventTotals;
  mostBytes: number;
  keepMs: number;
  archived: number;
  unlooked: number;
  nowMs: number;
};

/** The functions that the page *Nightly* gets for the service's events. */
export type EventsFunctions = { look: (count: number) => Promise<EventsFacts> };

const DAY_MS = 86_400_000;

/** The most rows that a list shows for one event. */
const MOST_ROWS = 3;

/** The latest events of the service, and the rows that they name. */
export function eventsSection(
  { events, totals, mostBytes, keepMs, archived, unlooked, nowMs }: EventsFacts,
  { showsEvents }: { showsEvents: boolean },
): Html {
  const kept = `${counted(totals.events, 'event')} kept, ${sizeText(totals.bytes)} of ${sizeText(mostBytes)}, each for ${counted(keepMs / DAY_MS, 'day')}.`;
  const changes = events.some(({ became }) => became)
    ? 'They change nothing but what EVENTS_MAPPING finds in them'
    : 'They change nothing by themselves';
  return html`${totals.full > 0 && fullNotice(totals)}
    ${totals.events > 0 && html`<p>${kept} ${changes}: what the service tells of is for people to read.</p>`}
    ${table({
      caption: 'Latest events',
      rows: events,
      empty: emptyState({
        title: 'No event came yet.',
        words: html`Set <code>EVENTS_PORT</code> and <code>EVENTS_SECRET</code>, and tell the service the address: what it sends is kept, and shown with the rows that it names.`,
      }),
      columns: [
        {
          head: 'When',
          names: true,
          cell: ({ id, firstMs }) =>
            showsEvents
              ? html`<a href="${eventAddress(id)}">${timeAgo(firstMs, { nowMs })}</a>`
              : timeAgo(firstMs, { nowMs }),
        },
        { head: 'Names', cell: (event) => namedBy(event, MOST_ROWS) },
        { head: 'Size', kind: 'number', cell: ({ sizeBytes }) => sizeText(sizeBytes) },
        { head: 'Times', kind: 'number', cell: ({ times }) => String(times) },
      ],
    })}
    ${unlooked > 0 && events.length > 0 && html`<p class="hint">Rows were looked for in the latest portfolios, and not in ${counted(unlooked, 'older one')}: the page of an event, and <code>npx limitline events</code>, look in all.</p>`}
    ${archived > 0 && events.length > 0 && html`<p class="hint">${counted(archived, 'portfolio')} ${archived === 1 ? 'is' : 'are'} archived or forgotten: whether an event names a row of one is seen once that is restored.</p>`}`;
}

function fullNotice({ full, fullMs }: EventTotals): Html {
  return notice(
    'warn',
    html`${counted(full, 'event')} so far ${full === 1 ? 'was' : 'were'} not taken, the last of them ${moment(fullMs)}, since all that may be kept was. Give <code>EVENTS_KEEP_MB</code> more, or <code>EVENTS_KEEP_DAYS</code> less; the service may send them again.`,
    { title: 'Events were not taken.' },
  );
}

/** The first `most` rows that an event names, each with the kind of id that it has. */
export function namedBy({ rows, moreRows, ids }: ShownEvent, most: number): Html {
  if (rows.length === 0) {
    const what = ids.length === 0 ? 'no id at all' : 'nothing that is known here';
    return html`<span class="quiet">${what}</span>`;
  }
  const others = rows.length > most || moreRows ? html`<div class="quiet">and others</div>` : '';
  return html`<div>${rows
    .slice(0, most)
    .map(
      ({ row, line, name, of }) =>
        html`<div>${whoseId(of)} of <a href="${rowAddress(row)}">${theirWords(name)} (${row.portfolio}, line ${line})</a></div>`,
    )}${others}</div>`;
}
