import { rowIdOf } from '../../../ledger/schema/schema.ts';
import type { RowStory, StoryCall } from '../../../ledger/story/row-story.ts';
import { type Html, html } from '../../html/html.ts';
import { facts } from '../../parts/figures.ts';
import { moment } from '../../parts/time.ts';
import { rowAddress } from './row-address.ts';
import { duration } from './timeline.ts';

/** Each call of a row: what is sent, what is known of it, and what was answered. */
export function callsPart({ calls, result, entries }: RowStory): Html {
  const refused = new Set(entries.flatMap((entry) => (entry.is === 'refused' ? [entry.kind] : [])));
  return html`${result.request.companyId !== undefined && html`<p class="hint">The line gives the company's id, <code>${result.request.companyId}</code>, so no company is made.</p>`}
    ${calls.map((call) => callPart(call, refused.has(call.kind)))}`;
}

function callPart(call: StoryCall, wasRefused: boolean): Html {
  const { what, sent, known, madeFor } = call;
  const other = madeFor === undefined ? undefined : rowIdOf(madeFor);
  return html`<section class="call" aria-label="${what}">
    <h3>${capital(what)} <span class="hint">${wordsOf(call, wasRefused)}</span></h3>
    ${
      known &&
      facts([
        { term: 'Claimed', what: html`${moment(known.atMs)}${known.sends > 1 && `, ${known.sends} times in all`}` },
        ...(known.state === 'made' && known.tookMs !== undefined
          ? [{ term: 'Answered after', what: duration(known.tookMs) }]
          : []),
        ...(known.id === '' ? [] : [{ term: 'Id', what: html`<code>${known.id}</code>` }]),
        ...Object.entries(known.record).map(([name, value]) => ({ term: name, what: value })),
        ...(known.again === '' ? [] : [{ term: 'Made twice', what: html`<code>${known.again}</code>` }]),
        ...(madeFor === undefined
          ? []
          : [{ term: 'Sent for', what: other ? html`<a href="${rowAddress(other)}">${madeFor}</a>` : madeFor }]),
        ...(known.by === '' ? [] : [{ term: 'Known by', what: known.by }]),
        ...(known.heard === '' ? [] : [{ term: 'Heard instead of an answer', what: known.heard }]),
      ])
    }
    <details><summary>${known || wasRefused ? 'What was sent' : 'What is sent'}</summary><pre class="answer" tabindex="0" aria-label="Body of ${what}">${sent}</pre></details>
  </section>`;
}

/** What became of it, in a word or two. */
function wordsOf({ known, madeFor }: StoryCall, wasRefused: boolean): string {
  switch (known?.state) {
    case 'made':
      return madeFor === undefined ? 'made' : 'made, for another row';
    case 'claimed':
      return 'being sent';
    case 'unknown':
      return 'nobody knows what became of it';
    case 'free':
      return 'made nothing so far';
    default:
      return wasRefused ? 'refused' : 'not sent yet';
  }
}

function capital(text: string): string {
  return `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}`;
}
