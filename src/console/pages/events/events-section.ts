import { type EventList, type ListedEvent, whoseId } from '../../../ledger/events/event-rows.ts';
import { type EventTotals, sizeText } from '../../../ledger/events/kept-event.ts';
import { type Html, html } from '../../html/html.ts';
import { countWords, t } from '../../html/texts.ts';
import { emptyState, notice } from '../../parts/page-head.ts';
import { table } from '../../parts/table.ts';
import { commandLine, moment, theirWords, timeAgo } from '../../parts/text.ts';
import { eventAddress, rowAddress } from '../addresses.ts';

type EventsFacts = EventList & { nowMs: number };

export type EventsFunctions = { look: (count: number) => Promise<EventsFacts> };

const DAY_MS = 86_400_000;

/** The most rows that a list shows for one event. */
const MOST_ROWS = 3;

/** The latest events of the service, and the rows that they name. */
export function eventsSection(
  { events, totals, mostBytes, keepMs, archived, unlooked, nowMs }: EventsFacts,
  { showsEvents }: { showsEvents: boolean },
): Html {
  const kept = t`${countWords(totals.events, 'event')} kept, ${sizeText(totals.bytes)} of ${sizeText(mostBytes)}, each for ${countWords(keepMs / DAY_MS, 'day')}.`;
  const changes = events.some(({ became }) => became)
    ? t`Decisions found in them were taken over`
    : t`They change nothing by themselves`;
  return html`${totals.full > 0 && fullNotice(totals)}
    ${totals.events > 0 && html`<p>${kept} ${changes}; the rest is for people to read.</p>`}
    ${table({
      caption: t`Latest events`,
      rows: events,
      empty: emptyState({
        title: t`No events yet.`,
        words: html`The service can send a message when something changes. An operator sets up the address for it. ${commandLine('EVENTS_PORT', t`Settings:`)} ${commandLine('EVENTS_SECRET')}`,
      }),
      columns: [
        {
          head: t`When`,
          names: true,
          cell: ({ id, firstMs }) =>
            showsEvents
              ? html`<a href="${eventAddress(id)}">${timeAgo(firstMs, { nowMs })}</a>`
              : timeAgo(firstMs, { nowMs }),
        },
        { head: t`About`, cell: (event) => namedBy(event, MOST_ROWS) },
        { head: t`Size`, kind: 'number', cell: ({ sizeBytes }) => sizeText(sizeBytes) },
        { head: t`Times`, kind: 'number', cell: ({ times }) => String(times) },
      ],
    })}
    ${unlooked > 0 && events.length > 0 && html`<p class="hint">Only the latest portfolios were searched, not ${countWords(unlooked, 'older one')}. The page of an event searches all. ${commandLine('npx limitline events')}</p>`}
    ${archived > 0 && events.length > 0 && html`<p class="hint">${countWords(archived, 'portfolio is', 'portfolios are')} archived or forgotten: events about them are shown once they are restored.</p>`}`;
}

function fullNotice({ full, fullMs }: EventTotals): Html {
  return notice(
    'warn',
    html`${countWords(full, 'event')} so far ${full === 1 ? t`was` : t`were`} not kept for lack of space, the last ${moment(fullMs)}. An operator can allow more space; the service may send them again. ${commandLine('EVENTS_KEEP_MB', t`Settings:`)} ${commandLine('EVENTS_KEEP_DAYS')}`,
    { title: t`Some events were not kept.` },
  );
}

/** The first `most` rows that an event names, each with the kind of id that it has. */
export function namedBy({ rows, moreRows, ids }: ListedEvent, most: number): Html {
  if (rows.length === 0) {
    const what = ids.length === 0 ? t`no id` : t`nothing known here`;
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
