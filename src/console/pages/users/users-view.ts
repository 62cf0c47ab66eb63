import { counted } from '../../../counted.ts';
import type { PersonElsewhere } from '../../../people/oidc/people-elsewhere.ts';
import type { UserView } from '../../../people/people.ts';
import type { Role } from '../../../people/person.ts';
import { type Html, html } from '../../html/html.ts';
import { actionButton, button, linkButton } from '../../parts/button.ts';
import { emptyState } from '../../parts/empty-state.ts';
import { field, form } from '../../parts/form.ts';
import { notice } from '../../parts/notice.ts';
import { pageHead, panel } from '../../parts/page-head.ts';
import { pager } from '../../parts/pager.ts';
import { roleList, roleTicks } from '../../parts/roles.ts';
import { table } from '../../parts/table.ts';
import { timeAgo } from '../../parts/time.ts';

/** `/users`: all users, by name, and the form for another. */
export function usersView(given: {
  csrf: string;
  users: readonly UserView[];
  count: number;
  text: string;
  isFirst: boolean;
  next: string | undefined;
  elsewhere: readonly PersonElsewhere[];
  said?: { kind: 'good' | 'bad'; words: string } | undefined;
  add?: { name: string; roles: readonly Role[] };
}): Html {
  const { csrf, users, count, text, isFirst, next, elsewhere, said, add = { name: '', roles: [] } } = given;
  const query = (more: Record<string, string>) => `/users?${new URLSearchParams({ ...(text && { text }), ...more })}`;
  return html`${pageHead({ title: 'Users', lead: `${counted(count, 'user')} may sign in with a password.`, actions: linkButton({ href: '#add', words: 'Add a user', kind: 'primary' }) })}
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
    ${panel({ title: 'Add a user', id: 'add', body: addForm(csrf, add) })}
    ${elsewhere.length > 0 && panel({ title: 'Signed in by an identity provider', body: elsewherePart(csrf, elsewhere) })}
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

/** People whom a provider knows have no account here; their roles come with each sign-in, and hold for as long as it lasts. */
function elsewherePart(csrf: string, people: readonly PersonElsewhere[]): Html {
  return html`<p>Whoever is removed there, or has other groups there, is still in here as before for up to 12 hours: sign them out.</p>
    ${table<PersonElsewhere>({
      caption: 'People of an identity provider who are signed in',
      rows: people,
      columns: [
        { head: 'Name', names: true, cell: ({ name }) => html`<bdi>${name}</bdi>` },
        { head: 'Sessions', kind: 'number', cell: ({ sessions }) => sessions },
        { head: 'Seen', cell: ({ seenMs }) => timeAgo(seenMs, { none: 'never' }) },
        {
          head: 'What can be done',
          kind: 'actions',
          cell: ({ name }) =>
            actionButton({
              action: `/users/${encodeURIComponent(name)}/sessions`,
              csrf,
              words: 'Sign out everywhere',
              label: `Sign out everywhere: ${name}`,
            }),
        },
      ],
    })}`;
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
