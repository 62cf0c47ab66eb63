import { grouped } from '../../counted.ts';
import { type Html, html } from '../html/html.ts';
import { cutWords } from './text.ts';

/** The bodies of a line's calls. `company` is null if the line gives the company's id. */
type RequestBodies = {
  line: number;
  company: Record<string, unknown> | null;
  documents: readonly string[];
  limit: Record<string, unknown>;
};

/** The bodies of several requests; the first is unfolded. */
export function requestBodies(requests: readonly RequestBodies[]): Html {
  return html`${requests.map(callsOf)}`;
}

function callsOf({ line, company, documents, limit }: RequestBodies, at: number): Html {
  return html`<details class="calls" id="calls-${line}" open="${at === 0}"><summary>Line ${grouped(line)} as it would be sent</summary>
    <div class="bodies">
      ${company !== null && body('Company', company)}
      ${documents.length > 0 && html`<figure class="body-box"><figcaption>Documents</figcaption><ul>${documents.map((name) => html`<li><bdi>${name}</bdi></li>`)}</ul></figure>`}
      ${body('Buyer limit', limit)}
    </div>
  </details>`;
}

function body(title: string, content: Record<string, unknown>): Html {
  return html`<figure class="body-box"><figcaption>${title}</figcaption><pre tabindex="0" role="region" aria-label="${title}, body of the call">${JSON.stringify(content, cutLong, 2)}</pre></figure>`;
}

/** Cuts long values: the page shows what a body means, not its last byte. */
function cutLong(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? cutWords(value, LONGEST_IN_BODY) : value;
}

/** Several lines on a screen; no real value is longer. */
const LONGEST_IN_BODY = 1_000;
