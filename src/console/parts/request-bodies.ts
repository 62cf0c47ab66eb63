import { grouped } from '../../counted.ts';
import type { PreviewRequest } from '../../portfolio/preview.ts';
import { type Html, html, t } from '../html/html.ts';
import { cutWords } from './text.ts';

/** The bodies of calls, collapsible for each line; the first is open. */
export function requestBodies(requests: readonly Readonly<PreviewRequest>[]): Html {
  return html`${requests.map(callsOf)}`;
}

function callsOf({ line, company, documents, limit }: PreviewRequest, at: number): Html {
  return html`<details class="calls" id="calls-${line}" open="${at === 0}"><summary>Line ${grouped(line)} as it would be sent</summary>
    <div class="bodies">
      ${company !== null && body(t`Company`, company)}
      ${documents.length > 0 && html`<figure class="body-box"><figcaption>Documents</figcaption><ul>${documents.map((name) => html`<li><bdi>${name}</bdi></li>`)}</ul></figure>`}
      ${body(t`Buyer limit`, limit)}
    </div>
  </details>`;
}

function body(title: string, content: Record<string, unknown>): Html {
  return html`<figure class="body-box"><figcaption>${title}</figcaption><pre tabindex="0" role="region" aria-label="${title}, body of the call">${JSON.stringify(content, cutLong, 2)}</pre></figure>`;
}

/** Cuts long texts, since a person reads the body's structure and not its last byte. */
function cutLong(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? cutWords(value, LONGEST_IN_BODY) : value;
}

/** The most characters of a field that are shown: more than any field normally holds. */
const LONGEST_IN_BODY = 1_000;
