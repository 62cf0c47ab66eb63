import { isOfSystem } from '../../actor.ts';
import type { Person } from '../../people/person.ts';
import type { Rights } from '../access/access.ts';
import { can } from '../access/can.ts';
import { type Html, html, NOTHING } from '../html/html.ts';
import { form } from '../parts/form.ts';
import { isMasked } from '../privacy/is-masked.ts';
import { MASK } from '../privacy/personal-text.ts';
import { type Place, placesOf } from './places.ts';
import { APPROVALS_COUNT_ID, approvalsCount, renderStrip, STRIP_ID, type StripState } from './strip.ts';

/** Addresses of what pages load: styles for every page, and those of one place (assets/styles/page-<place>….css). */
export type Assets = {
  styles: readonly { href: string; place: string | undefined }[];
  script: string;
  icon: string;
};

/** What a page hands to the layout. */
export type PageParts = {
  /** Of the page, without the product's name; it is no heading: the body has its own `<h1>`. */
  title: string;
  /** Which entry of the navigation the page belongs to, if any. */
  at?: Place;
  /** The entry that is marked as the one where one is, where that is not `at`, by which a page has its styles. */
  marked?: Place;
  body: Html;
  /** Address of the events that keep the page fresh (see events/add-events.ts). Without one, the strip alone is kept fresh. */
  events?: string;
};

/**
 * A whole page.
 *
 * @param given.rights of whom it is shown to; without them it is shown to somebody who is not known, who learns nothing of the line
 */
export function layout(
  { title, at, marked = at, body, events = '/events' }: PageParts,
  given: { assets: Assets; strip: StripState; csrf: string; rights: Rights | undefined; person: Person },
): Html {
  const { assets, strip, csrf, rights, person } = given;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="csrf-token" content="${csrf}">
<title>${title} · Limitline</title>
${assets.styles.map(({ href, place }) => (place === undefined || place === at) && html`<link rel="stylesheet" href="${href}">`)}
<link rel="icon" href="${assets.icon}" type="image/svg+xml">
<script src="${assets.script}" type="module"></script>
</head>
<body data-events="${rights && events}">
<a class="skip" href="#main">Skip to the page</a>
<header class="top">
<div class="top-line">
<a class="brand" href="/">${brandMark()} Limitline</a>
${rights && placesLine(rights, marked, strip)}${accountMenu(person, csrf)}
</div>
${
  rights &&
  html`<div class="strip" id="${STRIP_ID}" role="status" aria-label="State of the line">${renderStrip(strip)}</div>
<p class="strip-unheard">The console does not answer any more, and what stands here may be old. It goes on by itself once the console is back: npx limitline console.</p>
`
}</header>
<main id="main" tabindex="-1">${body}</main>
${rights && footer(rights)}
</body>
</html>
`;
}

function placesLine(rights: Rights, marked: Place | undefined, strip: StripState): Html {
  return html`<nav class="places" aria-label="Main">${placesOf(rights).map(
    (place) =>
      html`<a href="${place.href}" aria-current="${place.at === marked && 'page'}">${place.words}${place.at === 'approvals' && html`<span id="${APPROVALS_COUNT_ID}">${approvalsCount(strip)}</span>`}</a>`,
  )}</nav>`;
}

/** What belongs to no page: keys, and why a viewer sees less. */
function footer(rights: Rights): Html {
  return html`<footer class="foot">
<a href="/keys">Keyboard</a>
${isMasked(rights) && can(rights, 'GET /') && html`<span>Contacts, streets, e-mail addresses and cells that we do not know are shown as ${MASK} to you.</span>`}
</footer>`;
}

/** A line with a limit on it. */
function brandMark(): Html {
  return html`<svg class="brand-mark" viewBox="0 0 24 24" aria-hidden="true"><path d="M3 17h18"/><path d="M3 12h11"/><path d="M17.5 7v10"/></svg>`;
}

/** Who is signed in, with what is theirs; it opens without script. Nothing for who has no account: nobody, or a user of the system. */
function accountMenu(person: Person, csrf: string): Html {
  if (person.by === '' || isOfSystem(person.by)) return NOTHING;
  return html`<details class="account" id="account">
<summary aria-label="${`Account of ${person.by}`}"><span class="account-name"><bdi>${person.by}</bdi></span></summary>
<div class="account-menu">
<p class="quiet">${person.roles.join(', ')}</p>
<a href="/me">My account</a>
${person.roles.includes('admin') && html`<a href="/users">Users</a><a href="/audit">Audit</a>`}
${form({ action: '/sign-out', csrf, class: 'inline-form', body: html`<button class="button is-plain">Sign out</button>` })}
</div>
</details>`;
}
