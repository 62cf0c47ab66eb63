import { counted } from '../../../counted.ts';
import type { Role } from '../../../people/person.ts';
import { type Html, html } from '../../html/html.ts';
import { actionButton, button } from '../../parts/button.ts';
import { emptyState } from '../../parts/empty-state.ts';
import { field, form } from '../../parts/form.ts';
import { notice } from '../../parts/notice.ts';
import { pageHead, panel } from '../../parts/page-head.ts';
import { pager } from '../../parts/pager.ts';
import { roleList, roleTicks } from '../../parts/roles.ts';
import { table } from '../../parts/table.ts';
import { timeAgo } from '../../parts/time.ts';
import type { UserView } from '../me/me-functions.ts';
import type { SsoPerson } from './users-functions.ts';

/** `/users`: all users, by name, and the form for another. */
export function usersView(given: {
  csrf: string;
  users: readonly UserView[];
  count: number;
  text: string;
  isFirst: boolean;
  next: string | undefined;
  /** Those who signed in elsewhere: as many as are shown, and how many there are. */
  sso: { people: readonly SsoPerson[]; count: number };
  said?: { kind: 'good' | 'bad'; words: string } | undefined;
  add?: { name: string; roles: readonly Role[] };
}): Html {
  const { csrf, users, count, text, isFirst, next, sso, said, add = { name: '', roles: [] } } = given;
  const query = (more: Record<string, string>) => `/users?${new URLSearchParams({ ...(text && { text }), ...more })}`;
  return html`${pageHead({ title: 'Users', lead: `${counted(count, 'user')} may sign in with a password.` })}
    ${said !== undefined && notice(said.kind, said.words, { urgent: true })}
    <div class="people-panels">
    <section class="panel" aria-label="All users"><div class="panel-body">
    ${form({
      action: '/users',
      method: 'get',
      role: 'search',
      class: 'filters',
      label: 'Find a user',
      body: html`${field({ label: 'Name', name: 'text', type: 'search', value: text, maxlength: 40, plain: true })}${button({ words: 'Find' })}`,
    })}
    ${usersTable(users, text)}
    ${pager({
      words: `${counted(users.length, 'user')} on this page`,
      first: isFirst ? undefined : query({}),
      next: next === undefined ? undefined : query({ after: next }),
    })}
    </div></section>
    ${sso.count > 0 && panel({ title: 'Signed in by the identity provider', body: ssoPart(csrf, sso) })}
    ${panel({ title: 'Add a user', body: addForm(csrf, add) })}
    </div>`;
}

function usersTable(users: readonly UserView[], text: string): Html {
  return table<UserView>({
    caption: 'Users',
    rows: users,
    empty: emptyState({
      title: 'No user',
      words: text === '' ? 'There is none after this one.' : html`No name has “<bdi>${text}</bdi>” in it.`,
    }),
    columns: [
      {
        head: 'Name',
        names: true,
        cell: ({ name }) => html`<a href="${`/users/${encodeURIComponent(name)}`}"><bdi>${name}</bdi></a>`,
      },
      { head: 'Roles', cell: ({ roles }) => roleList(roles) },
      { head: 'Second factor', cell: (user) => factorWords(user) },
      { head: 'Password', cell: ({ mustChange }) => (mustChange ? 'to be changed' : 'their own') },
      { head: 'Signed in', cell: ({ lastSignInMs }) => timeAgo(lastSignInMs, { none: 'never' }) },
    ],
  });
}

/** Their roles and passwords are kept elsewhere; here their sessions alone are. */
function ssoPart(csrf: string, { people, count }: { people: readonly SsoPerson[]; count: number }): Html {
  return html`${table<SsoPerson>({
    caption: 'People who are signed in by the identity provider',
    rows: people,
    columns: [
      { head: 'Name', names: true, cell: ({ by }) => html`<bdi>${by}</bdi>` },
      { head: 'Sessions', kind: 'number', cell: ({ sessions }) => sessions },
      { head: 'The newest began', cell: ({ beganMs }) => timeAgo(beganMs) },
      {
        head: 'Do',
        kind: 'actions',
        cell: ({ by }) =>
          actionButton({
            action: `/users/${encodeURIComponent(by)}/sessions`,
            csrf,
            words: 'Sign out everywhere',
            label: `Sign out everywhere: ${by}`,
          }),
      },
    ],
  })}
    ${count > people.length && html`<p class="hint">${counted(count, 'person', 'people')} are; find others by a part of their name.</p>`}
    <p class="hint">Take their groups away at the provider first, or they sign in again.</p>`;
}

/** A viewer may have one, and all others must. */
export function factorWords({ hasFactor, roles }: UserView): string {
  if (hasFactor) return 'set up';
  return roles.some((role) => role !== 'viewer') ? 'not yet' : 'none';
}

function addForm(csrf: string, { name, roles }: { name: string; roles: readonly Role[] }): Html {
  return form({
    action: '/users',
    csrf,
    body: html`${field({
      label: 'Name',
      name: 'name',
      id: 'add-name',
      value: name,
      required: true,
      maxlength: 40,
      plain: true,
      hint: 'Small letters, digits, dots, hyphens and underscores, such as anna.berg. It stands in the audit, so it is one person’s and never given to another.',
    })}
      ${roleTicks(roles)}
      ${button({ words: 'Add the user', kind: 'primary' })}`,
  });
}
