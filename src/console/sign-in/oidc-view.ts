import { type Html, html } from '../html/html.ts';
import { linkButton } from '../parts/button.ts';
import { narrowPage } from './sign-in-view.ts';
import { signInAddress } from './way-back.ts';

/** Where a sign-in at the identity provider begins. */
export const OIDC_ADDRESS = '/sign-in/oidc';

/** Why somebody is not signed in who tried it at the identity provider: what happened, and what to do, without details. */
export type OidcTrouble = 'denied' | 'away' | 'not believed' | 'unknown' | 'no role' | 'too many' | 'not anew';

/** With which status each is answered. */
export const STATUS_OF: Readonly<Record<OidcTrouble, number>> = {
  denied: 403,
  away: 503,
  'not believed': 403,
  unknown: 403,
  'no role': 403,
  'too many': 429,
  'not anew': 403,
};

/** The page that says so. @param given.name the provider's, @param given.groups those that count */
export function oidcTroubleView(given: {
  trouble: OidcTrouble;
  name: string;
  groups: readonly string[];
  to: string;
}): Html {
  const { trouble, to } = given;
  return narrowPage({
    title: 'You are not signed in',
    trouble: wordsFor(given),
    body: html`${trouble === 'no role' && html`<p>Groups that count here:</p><ul>${given.groups.map((group) => html`<li><bdi>${group}</bdi></li>`)}</ul>`}
      <div class="actions">${linkButton({ href: signInAddress(to, OIDC_ADDRESS), words: 'Try again', kind: 'primary' })} ${linkButton({ href: signInAddress(to), words: 'Sign in with a password' })}</div>`,
  });
}

function wordsFor({ trouble, name }: { trouble: OidcTrouble; name: string }): string {
  switch (trouble) {
    case 'denied':
      return `${name} did not sign you in, or you broke it off there.`;
    case 'away':
      return `${name} does not answer just now, so nobody can sign in there. Try again in a minute; who has a password here can use that.`;
    case 'not believed':
      return `The answer of ${name} was not one that this console believes. Try again; if it stays so, tell an administrator: the console's log says more.`;
    case 'unknown':
      return 'This sign-in was not begun in this browser, took longer than ten minutes, or was used before. Begin again.';
    case 'no role':
      return `${name} knows you, but none of your groups there may use this console. Ask whoever looks after the groups.`;
    case 'not anew':
      return `${name} did not ask you to sign in again, or does not say when it did, or another person signed in there. Nothing was approved.`;
    case 'too many':
      return 'Very many people sign in at this moment. Try again in a few seconds.';
  }
}

/** The page that leads on. It does so by itself, and what it leads to is asked for by a page of ours and by no other site's. */
export function oidcDoneView({ to }: { to: string }): Html {
  return narrowPage({
    title: 'You are signed in',
    body: html`<div class="actions">${linkButton({ href: to, words: 'Go on', kind: 'primary' })}</div>`,
  });
}

/** Who signed out here is still known there, and the next who sits down at this computer with them. */
export function oidcOutView({ name, end }: { name: string; end: string | undefined }): Html {
  return narrowPage({
    title: 'You are signed out',
    lead: html`Of this console, that is: you may still be signed in at ${name}, and whoever uses this browser next could come back from there as you.`,
    body: html`<div class="actions">${end !== undefined && html`${linkButton({ href: end, words: `Sign out at ${name} too`, kind: 'primary' })} `}${linkButton({ href: '/sign-in', words: 'Sign in again' })}</div>`,
  });
}
