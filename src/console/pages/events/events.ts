import { type EventList, type ListedEvent, whoseId } from '../../../ledger/events/event-rows.ts';
import { becameWords, type EventTotals, type ShownBody, sizeText } from '../../../ledger/events/kept-event.ts';
import { DAY_MS } from '../../../time-units.ts';
import { secondText } from '../../../utc-text.ts';
import { SEES_BUYERS } from '../../access/access.ts';
import { ConsoleError } from '../../console-app.ts';
import { countWords, type Html, html, t } from '../../html/html.ts';
import { emptyState, notice, pageHead, panel, table } from '../../parts/blocks.ts';
import { facts } from '../../parts/figures.ts';
import { commandLine, moment, theirWords, timeAgo, withNumbers } from '../../parts/text.ts';
import { AUTOMATION, eventAddress, rowAddress } from '../addresses.ts';
import { page } from '../page.ts';

/** One event of the service as it came; its body is cut, and invisible characters are escaped. */
type LookedAtEvent = {
  event: ListedEvent;
  headers: readonly (readonly [name: string, value: string | string[]])[];
  body: ShownBody;
};

export type EventPageFunctions = { look: (id: string) => Promise<LookedAtEvent | undefined> };

/** `/service-events/:id`: an event of the service as it came. */
export const serviceEventPage = page<EventPageFunctions>({ at: 'nightly', asItIs: true }, ({ get }) => [
  get('/service-events/:id', {
    // Only people who see buyers' data may open an event, since it may contain anything.
    may: SEES_BUYERS,
    show: async ({ params: { id = '' }, given }) => {
      const found = /^[\w-]{22}$/.test(id) ? await given.look(id) : undefined;
      if (!found) throw new ConsoleError(404, t`This event is not kept, or no more: old events are deleted.`);
      return { title: t`Event of ${secondText(found.event.firstMs)}`, body: eventPage(found) };
    },
  }),
]);

/** The most rows that the page lists, since an event may name a company with many rows. */
const MOST_ROWS = 10;

function eventPage({ event, headers, body }: LookedAtEvent): Html {
  const { id, firstMs, lastMs, times, sizeBytes, ids, moreIds, became } = event;
  const changed = became?.taken ? t`Decisions were taken from it` : t`It changed nothing`;
  return html`${pageHead({
    title: t`Event of the service`,
    trail: [{ href: AUTOMATION, words: t`Automation` }],
    lead: html`Came ${moment(firstMs)}. ${changed}: the service does not say what its events mean, so it is for people to read.`,
  })}
  ${panel({
    title: t`What it names`,
    body: html`${facts([
      { term: t`Rows`, what: namedBy(event, MOST_ROWS) },
      { term: t`What may be ids`, what: ids.length === 0 ? t`none` : idsWords(ids, moreIds) },
      { term: t`Came`, what: times === 1 ? t`once` : html`${String(times)} times, the last ${moment(lastMs)}` },
      ...(became ? [{ term: t`Decisions`, what: becameWords(became) || t`none` }] : []),
      { term: t`Size`, what: sizeText(sizeBytes) },
      { term: t`Event`, what: html`<code>${id}</code>` },
    ])}`,
  })}
  ${panel({ title: t`As it came`, body: bodyPart(body, sizeBytes) })}
  ${panel({
    title: t`Its headers`,
    body: table({
      caption: t`Headers`,
      rows: headers,
      empty: emptyState({ title: t`It came without any.`, words: '' }),
      columns: [
        { head: t`Name`, names: true, cell: ([name]) => theirWords(name) },
        { head: t`Value`, cell: ([, value]) => theirWords([value].flat().join(', ')) },
      ],
    }),
  })}`;
}

function idsWords(ids: readonly string[], more: number): Html {
  return html`${ids.map((one) => html`<code>${one}</code> `)}${more > 0 && html`and ${String(more)} more, by which it is not found`}`;
}

function bodyPart({ text, isText, isCut }: ShownBody, sizeBytes: number): Html {
  if (sizeBytes === 0) return html`<p class="quiet">It has no body.</p>`;
  return html`<pre class="answer" tabindex="0" aria-label="As it came">${text}</pre>
    ${!isText && html`<p class="hint">It is not UTF-8: each byte that is not ASCII is shown by its number.</p>`}
    ${isCut && html`<p class="hint">This is its beginning. ${commandLine('npx limitline events export --out events.ndjson', t`All of it:`)}</p>`}`;
}

type EventsFacts = EventList & { nowMs: number };

export type EventsFunctions = { look: (count: number) => Promise<EventsFacts> };

/** The most rows that a list shows for one event. */
const MOST_NAMED = 3;

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
        { head: t`About`, cell: (event) => namedBy(event, MOST_NAMED) },
        { head: t`Size`, kind: 'number', cell: ({ sizeBytes }) => sizeText(sizeBytes) },
        { head: t`Times`, kind: 'number', cell: ({ times }) => String(times) },
      ],
    })}
    ${unlooked > 0 && events.length > 0 && html`<p class="hint">Only the latest portfolios were searched, not ${withNumbers(countWords(unlooked, 'older one'))}. The page of an event searches all. ${commandLine('npx limitline events')}</p>`}
    ${archived > 0 && events.length > 0 && html`<p class="hint">${withNumbers(countWords(archived, 'portfolio is', 'portfolios are'))} archived or forgotten: events about them are shown once they are restored.</p>`}`;
}

function fullNotice({ full, fullMs }: EventTotals): Html {
  const words = html`${withNumbers(countWords(full, 'event'))} so far ${full === 1 ? t`was` : t`were`} not kept for lack of space, the last ${moment(fullMs)}. An operator can allow more space; the service may send them again. ${commandLine('EVENTS_KEEP_MB', t`Settings:`)} ${commandLine('EVENTS_KEEP_DAYS')}`;
  return notice('warn', words, { title: t`Some events were not kept.` });
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
