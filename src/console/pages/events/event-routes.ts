import type { ListedEvent } from '../../../ledger/events/event-rows.ts';
import { becameWords, type ShownBody, sizeText } from '../../../ledger/events/kept-event.ts';
import { secondText } from '../../../utc-text.ts';
import { SEES_BUYERS } from '../../access/rules.ts';
import { ConsoleError } from '../../console-app.ts';
import { type Html, html } from '../../html/html.ts';
import { t } from '../../html/texts.ts';
import { facts } from '../../parts/figures.ts';
import { emptyState, pageHead, panel } from '../../parts/page-head.ts';
import { table } from '../../parts/table.ts';
import { commandLine, moment, theirWords } from '../../parts/text.ts';
import { AUTOMATION } from '../addresses.ts';
import { page } from '../page.ts';
import { namedBy } from './events-section.ts';

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
