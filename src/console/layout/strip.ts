import { counted, grouped } from '../../counted.ts';
import { type Html, html } from '../html/html.ts';

/** What every page says of the line as a whole. */
export type Strip = {
  /** The account that this console is for. */
  account: string;
  /** Whether all of it is only played: nothing that the stand-in grants is worth a cent. */
  standIn: boolean;
  /** Worker processes that gave a sign of life lately. */
  workers: number;
  /** The pace in words, such as "at the service's limit, 98 calls/s"; empty while nothing goes on. */
  pace: string;
  /** What waits for a second person to say yes; nothing where that is not known. */
  approvals?: number;
  /** That nothing may be sent before somebody has decided something. */
  alarm?: string | undefined;
  /** What keeps the line from going on, a short sentence each, the worst first; empty where nothing does. */
  stops: readonly string[];
};

/** The strip as it was asked for last; `away` says why it could not be asked for again. */
export type StripState = { strip: Strip | undefined; away: string | undefined; atMs: number };

/** Where the strip stands in a page, and in the frames of all events. */
export const STRIP_ID = 'strip';

/** Where the number of what waits for approval stands in the navigation, and in the frames of all events. */
export const APPROVALS_COUNT_ID = 'approvals-count';

/** How much waits for approval, where anything does. */
export function approvalsCount({ strip }: StripState): Html {
  const count = strip?.approvals ?? 0;
  return html`${count > 0 && html` <span class="count">${grouped(count)}<span class="unseen"> waiting</span></span>`}`;
}

/** The strip of a page. */
export function renderStrip({ strip, away, atMs }: StripState): Html {
  const worst = away ?? strip?.alarm;
  const stops = [away, strip?.alarm, ...(strip?.stops ?? [])].filter((stop) => stop !== undefined);
  return html`<div class="strip-line">
      ${strip?.standIn && html`<strong class="strip-stand-in">STAND-IN: nothing is really requested</strong>`}
      <span class="strip-fact"><span class="strip-label">Account</span> <bdi>${strip?.account ?? 'not known'}</bdi></span>
      <span class="strip-fact">${strip ? workersOf(strip.workers) : 'workers not known'}</span>
      <span class="strip-fact">${strip && (strip.pace || 'no calls now')}</span>
    </div>
    ${
      stops.length > 0 &&
      html`<ul class="strip-stops" data-away="${worst !== undefined}">
      ${stops.map((stop) => html`<li>${stop}</li>`)}
      ${away !== undefined && strip !== undefined && html`<li class="strip-since">What this page shows is from ${timeOf(atMs)}; it goes on by itself.</li>`}
    </ul>`
    }`;
}

function workersOf(workers: number): string {
  return workers === 0 ? 'no worker seen' : `${counted(workers, 'worker')} seen`;
}

function timeOf(ms: number): Html {
  const iso = new Date(ms).toISOString();
  return html`<time datetime="${iso}">${iso.slice(11, 19)} UTC</time>`;
}
