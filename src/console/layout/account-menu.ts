import { isOfSystem } from '../../actor.ts';
import type { Person } from '../../people/person.ts';
import { type Html, html, NOTHING } from '../html/html.ts';
import { form } from '../parts/form.ts';

/** Who is signed in, with what is theirs; it opens without script. Nothing for who has no account: nobody, or a user of the system. */
export function accountMenu(person: Person, csrf: string): Html {
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
