import type { RowId } from '../../../ledger/row-id.ts';
import { type Html, html } from '../../html/html.ts';
import { eventAddress } from '../events/event-address.ts';
import { rowAddress } from './row-address.ts';
import type { Happening } from './timeline.ts';

/** How each kind is told beside its words: by a shape. */
const SHAPES: Readonly<Record<Happening['kind'], string>> = {
  plain: 'M8 5.5a2.5 2.5 0 1 0 .01 0',
  good: 'M3 8.5 6.5 12 13 4.5',
  bad: 'M4 4l8 8M12 4l-8 8',
  doubt: 'M5.5 3.5v9M10.5 3.5v9',
  person: 'M8 2.5a2.7 2.7 0 1 0 .01 0M2.8 13.5c.6-3 2.5-4.3 5.2-4.3s4.6 1.3 5.2 4.3',
};

/**
 * What happened to a row, as a list with the times at its side. The times are UTC, to the millisecond.
 *
 * @param given.showsEvents whether events of the service may be looked at as they came
 */
export function timelinePart(
  happened: readonly Happening[],
  { row, showsEvents }: { row: RowId; showsEvents: boolean },
): Html {
  let day = '';
  return html`<ol class="timeline">${happened.map(({ atMs, kind, words, detail, otherRow, event }) => {
    const iso = new Date(atMs).toISOString();
    const isNew = iso.slice(0, 10) !== day;
    day = iso.slice(0, 10);
    return html`<li class="${['happening', `is-${kind}`]}">
      <time datetime="${iso}">${isNew && html`<span class="day">${day}</span> `}${iso.slice(11, 23)}</time>
      <svg class="shape" viewBox="0 0 16 16" aria-hidden="true"><path d="${SHAPES[kind]}"/></svg>
      <div><p>${words}${otherRow !== undefined && html` <a href="${rowAddress({ ...row, key: otherRow })}">That row</a>`}${event !== undefined && showsEvents && html` <a href="${eventAddress(event)}">As it came</a>`}</p>
      ${detail !== undefined && html`<pre class="answer" tabindex="0" aria-label="As it came">${detail}</pre>`}</div>
    </li>`;
  })}</ol>
  <p class="hint">Times are UTC. Of what is out of the ordinary the last 50 entries are kept, texts to 1,000 bytes.</p>`;
}
