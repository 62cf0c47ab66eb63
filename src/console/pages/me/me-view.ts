import type { SessionView, UserView } from '../../../people/people.ts';
import type { Person } from '../../../people/person.ts';
import { type Html, html } from '../../html/html.ts';
import { button } from '../../parts/button.ts';
import { facts } from '../../parts/figures.ts';
import { form } from '../../parts/form.ts';
import { notice } from '../../parts/notice.ts';
import { pageHead, panel } from '../../parts/page-head.ts';
import { passwordField } from '../../parts/password-field.ts';
import { roleList } from '../../parts/roles.ts';
import { table } from '../../parts/table.ts';
import { theirWords } from '../../parts/their-words.ts';
import { moment, timeAgo } from '../../parts/time.ts';
import { codeField, newPasswordFields } from '../../sign-in/sign-in-view.ts';
import { browserWords } from './browser-words.ts';

/** With fewer left than these it is time for new ones. */
const FEW_CODES = 3;

/** Where something was done, or was not, and is told on the page itself. */
export type MeSaid = { kind: 'good' | 'bad'; words: string };

/** `/me`: one's own account. Without `user` an identity provider speaks for the person, and keeps all but the sessions. */
export function meView(given: {
  csrf: string;
  person: Person;
  user: UserView | undefined;
  sessions: readonly SessionView[];
  said?: MeSaid | undefined;
}): Html {
  const { csrf, person, user, sessions, said } = given;
  return html`${pageHead({ title: 'My account' })}
    ${said !== undefined && notice(said.kind, said.words, { urgent: true })}
    <div class="people-panels">
    ${panel({ title: 'You', body: youPart(person, user) })}
    ${user !== undefined && panel({ title: 'Password', body: passwordPart(csrf, user) })}
    ${user !== undefined && panel({ title: 'Second factor', body: factorPart(csrf, user) })}
    ${panel({ title: 'Where you are signed in', body: sessionsPart(csrf, { sessions, user }) })}
    </div>`;
}

function youPart({ by, roles }: Person, user: UserView | undefined): Html {
  return html`${facts([
    { term: 'Name', what: html`<bdi>${by}</bdi>` },
    { term: 'Roles', what: roleList(roles) },
    ...(user === undefined ? [] : [{ term: 'Added', what: moment(user.createdMs) }]),
  ])}
  ${
    user === undefined &&
    html`<p class="quiet">You signed in with an identity provider: your password, second factor and roles are kept there.</p>`
  }`;
}

function passwordPart(csrf: string, user: UserView): Html {
  return form({
    action: '/me/password',
    csrf,
    body: html`${proofFields(user, { id: 'password', label: 'Password now' })}
      ${newPasswordFields(user.name)}
      <p class="hint">Everywhere else you are signed out.</p>
      ${button({ words: 'Change the password' })}`,
  });
}

function factorPart(csrf: string, user: UserView): Html {
  const { hasFactor, recoveryCodes } = user;
  const state = hasFactor
    ? html`<p>You sign in with a code of an authenticator app. ${codesLeft(recoveryCodes)}</p>`
    : html`<p>You sign in with a password alone. With a second factor nobody who learns it can sign in as you.</p>`;
  return html`${state}
    ${form({
      action: '/me/factor',
      csrf,
      body: html`${proofFields(user, { id: 'factor', label: 'Your password' })}
        <p class="actions">${button({ words: hasFactor ? 'Set up another app' : 'Set it up' })}
        ${hasFactor && html`<button class="button is-plain" formaction="/me/codes">Make new recovery codes</button>`}</p>`,
    })}`;
}

function codesLeft(count: number): Html {
  const words = `${count === 0 ? 'No' : count} recovery ${count === 1 ? 'code is' : 'codes are'} left.`;
  return count < FEW_CODES ? html`<strong class="is-warn">${words} Make new ones.</strong>` : html`${words}`;
}

/** What shows that it is still the same person: the password, and a code where there is a second factor. */
function proofFields({ hasFactor }: UserView, { id, label }: { id: string; label: string }): Html {
  return html`${passwordField({ label, name: 'old', id: `${id}-old`, autocomplete: 'current-password' })}
    ${hasFactor && codeField({ id: `${id}-code`, orRecovery: true })}`;
}

function sessionsPart(
  csrf: string,
  { sessions, user }: { sessions: readonly SessionView[]; user: UserView | undefined },
): Html {
  const list = sessionsTable(sessions);
  if (sessions.length < 2) return list;
  return form({
    action: '/me/sessions/end',
    csrf,
    class: 'sessions-form',
    label: 'Sessions',
    body: html`${list}<div class="form">${user !== undefined && proofFields(user, { id: 'sessions', label: 'Your password, to end others' })}
      ${button({ words: 'End all others' })}</div>`,
  });
}

function sessionsTable(sessions: readonly SessionView[]): Html {
  return table<SessionView>({
    caption: 'Sessions',
    rows: sessions,
    columns: [
      { head: 'Browser', names: true, cell: ({ agent }) => theirWords(browserWords(agent)) },
      { head: 'From', cell: ({ from }) => html`<code>${from}</code>` },
      { head: 'Signed in', cell: ({ beganMs }) => timeAgo(beganMs) },
      { head: 'Seen', cell: ({ seenMs }) => timeAgo(seenMs) },
      { head: 'End it', kind: 'actions', cell: endPart },
    ],
  });
}

/** Of the form around the table, whose password it needs. */
function endPart({ id, isThis, agent, from }: SessionView): Html {
  if (isThis) return html`<strong>This one</strong>`;
  const label = `End it: ${browserWords(agent)} from ${from}`;
  return html`<button class="button is-quiet" formaction="${`/me/sessions/${encodeURIComponent(id)}/end`}" aria-label="${label}">End it</button>`;
}
