import type { FastifyRequest } from 'fastify';
import { isOfSystem } from '../../actor.ts';
import { grouped } from '../../counted.ts';
import type { Person } from '../../people/person.ts';
import { can, isMasked, placesOf, type Rights } from '../access/access.ts';
import { countWords, type Html, html, NOTHING, t } from '../html/html.ts';
import { field, form } from '../parts/form.ts';
import { advice } from '../parts/text.ts';
import { MASK } from '../privacy/mask.ts';

/** The addresses of a page's files: styles of every page, and those of one place (assets/styles/page-<place>….css). */
export type Assets = { styles: readonly { href: string; place: string | undefined }[]; script: string; icon: string };

/** The parts of a page that differ from page to page, from which the layout makes a whole page. */
export type PageParts = {
  /** The page's title, without the product's name. It is no heading: the body has its own `<h1>`. */
  title: string;
  /** The place of the page, which selects its styles (assets/styles/page-<at>….css). */
  at?: string;
  /** The place whose entry in the navigation is marked as current, where it is not `at`. */
  marked?: string;
  body: Html;
  /** The address of the events that refresh the page (events/add-events.ts). By default only the line at its top is refreshed. */
  events?: string;
  /** Set where the request itself ended the reader's session: nothing is left that they may open or be told. */
  signedOut?: boolean;
};

/**
 * A whole page.
 *
 * @param given.rights the reader's; undefined for somebody who is not signed in, who sees no strip and no navigation
 */
export function layout(
  { title, at, marked = at, body, events = '/events' }: PageParts,
  given: { assets: Assets; strip: StripState; csrf: string; rights: Rights | undefined; person: Person },
): Html {
  const { assets, strip, csrf, rights, person } = given;
  return html`<!doctype html>
<html lang="${t`en`}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="csrf-token" content="${csrf}">
<title>${title} · Limitline</title>
${assets.styles.map(({ href, place }) => (place === undefined || place === at) && html`<link rel="stylesheet" href="${href}">`)}
<link rel="icon" href="${assets.icon}" type="image/svg+xml">
<script src="${assets.script}" type="module" fetchpriority="low"></script>
</head>
<body data-events="${rights && events}">
<a class="skip" href="#main">Skip to the page</a>
<header class="top">
<div class="top-line">
<a class="brand" href="/">${brandMark()} Limitline</a>
${rights && placesLine(rights, marked, strip)}${rights && can(rights, 'GET /search') && searchForm()}${accountMenu(person, csrf)}
</div>
${
  rights &&
  html`<div class="strip" id="${STRIP_ID}" role="status" aria-label="State of the line">${renderStrip(strip)}</div>
<p class="strip-unheard">The console does not answer any more, and what stands here may be old. It goes on by itself once the console is back.</p>
`
}</header>
<main id="main" tabindex="-1">${body}</main>
${rights && footer(rights)}
</body>
</html>
`;
}

function placesLine(rights: Rights, marked: string | undefined, strip: StripState): Html {
  return html`<nav class="places" aria-label="Main">${placesOf(rights).map(
    (place) =>
      html`<a href="${place.href}" aria-current="${place.at === marked && 'page'}">${place.words}${isCounted(place.at) && html`<span id="${countId(place.at)}">${placeCount(strip, place.at)}</span>`}</a>`,
  )}</nav>`;
}

function searchForm(): Html {
  const input = {
    label: t`Find a buyer in all portfolios`,
    placeholder: t`Find a buyer`,
    hideLabel: true,
    maxlength: 200,
  };
  return form({
    action: '/search',
    method: 'get',
    class: 'find',
    role: 'search',
    label: t`Buyers`,
    body: field({ ...input, name: 'text', id: 'find-buyer', type: 'search' }),
  });
}

/** The link to the keyboard shortcuts, the switch that shows commands, and for a viewer the reason why parts are masked. */
function footer(rights: Rights): Html {
  return html`<footer class="foot">
<a href="/keys">Keyboard</a>
<label><input type="checkbox" id="show-commands" autocomplete="off" checked="${['operator', 'admin'].some((role) => rights.roles.some((one) => one === role))}"> Show terminal commands</label>
${isMasked(rights) && can(rights, 'GET /') && html`<span>Contacts, streets, e-mail addresses and cells that we do not know are shown as ${MASK} to you.</span>`}
</footer>`;
}

/** The logo: a line with a limit on it. */
function brandMark(): Html {
  return html`<svg class="brand-mark" viewBox="0 0 24 24" aria-hidden="true"><path d="M3 17h18"/><path d="M3 12h11"/><path d="M17.5 7v10"/></svg>`;
}

/** The account menu, which works without script. Empty for people without an account: unknown, or a user of the system. */
function accountMenu(person: Person, csrf: string): Html {
  if (person.by === '' || isOfSystem(person.by)) return NOTHING;
  return html`<details class="account" id="account">
<summary aria-label="${t`Account of ${person.by}`}"><span class="account-name"><bdi>${person.by}</bdi></span></summary>
<div class="account-menu">
<p class="quiet">${person.roles.join(', ')}</p>
<a href="/me">My account</a>
${person.roles.includes('admin') && html`<a href="/users">Users</a><a href="/audit">Audit</a><a href="/statuses">Statuses</a>`}
${form({ action: '/sign-out', csrf, class: 'inline-form', body: html`<button class="button is-plain">Sign out</button>` })}
</div>
</details>`;
}

/** The state of Limitline as a whole, shown at the top of every page. */
export type Strip = {
  account: string;
  /** Whether the stand-in plays the service, so that nothing is really requested. */
  standIn: boolean;
  /** Worker processes that are alive, by their heartbeats. */
  workers: number;
  /** The pace as a text, such as "at the service's limit, 98 calls/s"; empty without calls. */
  pace: string;
  /** Numbers that the navigation shows at its entries: approvals that wait for an answer, and held rows. */
  counts?: Readonly<Record<CountedPlace, number>>;
  /** A message that nothing may be sent before a person decides something. */
  alarm?: string | undefined;
  /** What stops the sending of calls, a short sentence each, the worst first; empty where nothing does. */
  stops: readonly string[];
};

/** The strip (the line at the top of every page) as it was last read; `away` says why it could not be read again. */
export type StripState = { strip: Strip | undefined; away: string | undefined; atMs: number };

/** The id of the strip (the line at the top of every page), in pages and in the frames of all events. */
export const STRIP_ID = 'strip';

/** Entries of the navigation with a number: how many held rows, and how many approvals, wait for an answer. */
export const COUNTED_PLACES = ['held', 'approvals'] as const;
type CountedPlace = (typeof COUNTED_PLACES)[number];

function isCounted(place: string): place is CountedPlace {
  return COUNTED_PLACES.some((one) => one === place);
}

/** The id of the element with the number beside a link of the navigation, in pages and in the frames of all events. */
export function countId(place: CountedPlace): string {
  return `${place}-count`;
}

/** The number beside an entry of the navigation: held rows, or approvals, that wait for an answer. Empty where there are none. */
export function placeCount({ strip }: StripState, place: CountedPlace): Html {
  const count = strip?.counts?.[place] ?? 0;
  return html`${count > 0 && html` <span class="count">${grouped(count)}<span class="unseen"> waiting</span></span>`}`;
}

/** The strip, the line at the top of a page with the state of Limitline as a whole. */
export function renderStrip({ strip, away, atMs }: StripState): Html {
  const worst = away ?? strip?.alarm;
  const stops = [away, strip?.alarm, ...(strip?.stops ?? [])].filter((stop) => stop !== undefined);
  return html`<div class="strip-line">
      ${strip?.standIn && html`<strong class="strip-stand-in">STAND-IN: nothing is really requested</strong>`}
      <span class="strip-fact"><span>Account</span> <bdi>${strip?.account ?? t`not known`}</bdi></span>
      <span class="strip-fact">${strip ? workersOf(strip.workers) : t`workers not known`}</span>
      <span class="strip-fact">${strip && (strip.pace ? advice(strip.pace) : t`nothing is being sent`)}</span>
    </div>
    ${
      stops.length > 0 &&
      html`<ul class="strip-stops" data-away="${worst !== undefined}">
      ${stops.map((stop) => html`<li>${advice(stop)}</li>`)}
      ${away !== undefined && strip !== undefined && html`<li>What this page shows is from ${timeOf(atMs)}; it goes on by itself.</li>`}
    </ul>`
    }`;
}

function workersOf(workers: number): string {
  return workers === 0 ? t`no worker seen` : t`${countWords(workers, 'worker')} seen`;
}

function timeOf(ms: number): Html {
  const iso = new Date(ms).toISOString();
  return html`<time datetime="${iso}" data-local="minute">${iso.slice(11, 19)} UTC</time>`;
}

/**
 * Whether the answer is for the browser's module, which puts it into the open page (assets/script/dialogs.js). It then gets no whole page.
 */
export function wantsFragment(request: FastifyRequest): boolean {
  return request.headers['x-fragment'] === '1';
}
