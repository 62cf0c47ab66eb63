import type { PersonElsewhere } from '../../../people/oidc/people-elsewhere.ts';
import type { UserView } from '../../../people/people.ts';
import type { Role } from '../../../people/person.ts';
import { countWords, type Html, html, t } from '../../html/html.ts';
import { emptyState, notice, pageHead, pager, panel, table } from '../../parts/blocks.ts';
import { facts } from '../../parts/figures.ts';
import { actionButton, button, field, form, hidden, linkButton, roleList, roleTicks, tick } from '../../parts/form.ts';
import { moment, timeAgo } from '../../parts/text.ts';

/** `/users`: the users by name, and the form that adds one. */
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
  return html`${pageHead({ title: t`Users`, lead: t`${countWords(count, 'user')} may sign in with a password.`, actions: linkButton({ href: '#add', words: t`Add a user`, kind: 'primary' }) })}
    ${said !== undefined && notice(said.kind, said.words, { urgent: true })}
    <div class="stack">
    <section class="panel" aria-label="All users"><div class="panel-body">
    ${form({
      action: '/users',
      method: 'get',
      role: 'search',
      class: 'filters',
      label: t`Find a user`,
      body: html`${field({ label: t`Name`, name: 'text', type: 'search', value: text, maxlength: 40, plain: true })}${button({ words: t`Find` })}`,
    })}
    ${usersTable(users, { text, count })}
    ${pager({
      words: t`${countWords(users.length, 'user')} on this page`,
      first: isFirst ? undefined : query({}),
      next: next === undefined ? undefined : query({ after: next }),
    })}
    </div></section>
    ${panel({ title: t`Add a user`, id: 'add', body: addForm(csrf, add) })}
    ${elsewhere.length > 0 && panel({ title: t`Signed in by an identity provider`, body: elsewherePart(csrf, elsewhere) })}
    </div>`;
}

function usersTable(users: readonly UserView[], { text, count }: { text: string; count: number }): Html {
  return table<UserView>({
    caption: t`Users`,
    rows: users,
    empty: emptyState({
      title: t`No users yet.`,
      words:
        text !== ''
          ? html`No name has “<bdi>${text}</bdi>” in it.`
          : count === 0
            ? t`Add the first one below.`
            : t`Everybody who may sign in with a password is listed on the pages before.`,
    }),
    columns: [
      {
        head: t`Name`,
        names: true,
        cell: ({ name }) => html`<a href="${`/users/${encodeURIComponent(name)}`}"><bdi>${name}</bdi></a>`,
      },
      { head: t`Roles`, cell: ({ roles }) => roleList(roles) },
      { head: t`Second factor`, cell: (user) => factorWords(user) },
      { head: t`Password`, cell: ({ mustChange }) => (mustChange ? t`to be changed` : t`their own`) },
      { head: t`Signed in`, cell: ({ lastSignInMs }) => timeAgo(lastSignInMs, { none: t`never` }) },
    ],
  });
}

/**
 * The panel of signed-in people of an identity provider. They have no account here; their roles come with each sign-in, and last
 * as long as the session.
 */
function elsewherePart(csrf: string, people: readonly PersonElsewhere[]): Html {
  return html`<p>A person who is removed there, or whose groups change there, stays signed in here with the old roles for up to 12 hours: sign them out.</p>
    ${table<PersonElsewhere>({
      caption: t`People of an identity provider who are signed in`,
      rows: people,
      columns: [
        { head: t`Name`, names: true, cell: ({ name }) => html`<bdi>${name}</bdi>` },
        { head: t`Sessions`, kind: 'number', cell: ({ sessions }) => sessions },
        { head: t`Seen`, cell: ({ seenMs }) => timeAgo(seenMs, { none: t`never` }) },
        {
          head: t`What can be done`,
          kind: 'actions',
          cell: ({ name }) =>
            actionButton({
              action: `/users/${encodeURIComponent(name)}/sessions`,
              csrf,
              words: t`Sign out everywhere`,
              label: t`Sign out everywhere: ${name}`,
            }),
        },
      ],
    })}`;
}

/** The state of a user's second factor as a text. A viewer may set one up; people with any other role must. */
function factorWords({ hasFactor, roles }: UserView): string {
  if (hasFactor) return t`set up`;
  return roles.some((role) => role !== 'viewer') ? t`not yet` : t`none`;
}

function addForm(csrf: string, { name, roles }: { name: string; roles: readonly Role[] }): Html {
  return form({
    action: '/users',
    csrf,
    body: html`${field({
      label: t`Name`,
      name: 'name',
      id: 'add-name',
      value: name,
      required: true,
      maxlength: 40,
      plain: true,
      hint: t`Small letters, digits, dots, hyphens and underscores, such as anna.berg. The audit shows this name, so never give it to a second person.`,
    })}
      ${roleTicks(roles)}
      ${button({ words: t`Add the user`, kind: 'primary' })}`,
  });
}

const TRAIL = [{ href: '/users', words: t`Users` }];

export function userAddress(name: string, what?: string): string {
  return `/users/${encodeURIComponent(name)}${what === undefined ? '' : `/${what}`}`;
}

/** `/users/NAME`: one user and an admin's actions; one's own password and factor are changed on `/me`. */
export function userView(given: {
  csrf: string;
  user: UserView;
  isSelf: boolean;
  said?: { kind: 'good' | 'bad'; words: string } | undefined;
}): Html {
  const { csrf, user, isSelf, said } = given;
  const { name } = user;
  return html`${pageHead({ title: html`<bdi>${name}</bdi>`, trail: TRAIL, ...(isSelf ? { lead: t`This is you.` } : {}) })}
    ${said !== undefined && notice(said.kind, said.words, { urgent: true })}
    <div class="stack">
    ${panel({ title: t`What is known`, body: knownPart(user) })}
    ${panel({
      title: t`Roles`,
      body: form({
        action: userAddress(name, 'roles'),
        csrf,
        body: html`${roleTicks(user.roles)}
          <p class="hint">${isSelf ? t`You are signed out, and sign in again with the new ones.` : t`The user is signed out everywhere, and signs in again with the new ones.`}</p>
          ${button({ words: t`Change the roles` })}`,
      }),
    })}
    ${panel({ title: t`Signing in`, body: isSelf ? ownPart() : othersPart(csrf, user) })}
    ${panel({
      title: t`Remove`,
      body: html`<p>The user cannot sign in any more. What they did stays in the audit and in the histories of rows.</p>
        ${linkButton({ href: userAddress(name, 'remove'), words: html`Remove <bdi>${name}</bdi>…`, kind: 'danger' })}`,
    })}
    </div>`;
}

function knownPart(user: UserView): Html {
  return facts([
    { term: t`Second factor`, what: factorWords(user) },
    { term: t`Password`, what: user.mustChange ? t`to be changed at the next sign-in` : t`their own` },
    { term: t`Recovery codes left`, what: user.recoveryCodes },
    { term: t`Added`, what: moment(user.createdMs) },
    { term: t`Signed in`, what: moment(user.lastSignInMs, { none: t`never` }) },
  ]);
}

const ownPart = (): Html => html`<p>Change your own password and second factor in <a href="/me">My account</a>.</p>`;

function othersPart(csrf: string, { name, hasFactor }: UserView): Html {
  return html`<p>Do this only for somebody whom you know to be asking: over the telephone, or at your desk.</p>
    <div class="actions">
    ${actionButton({ action: userAddress(name, 'password'), csrf, words: t`Make a new password` })}
    ${hasFactor && actionButton({ action: userAddress(name, 'factor'), csrf, words: t`Forget the second factor` })}
    ${actionButton({ action: userAddress(name, 'sessions'), csrf, words: t`Sign out everywhere` })}
    </div>`;
}

/** The page that shows a generated password, once. */
export function passwordOnceView(given: { name: string; password: string; isNew: boolean; signedOut?: boolean }): Html {
  const { name, password, isNew, signedOut = false } = given;
  const title = isNew ? t`User added` : t`New password`;
  return html`${pageHead(signedOut ? { title } : { title, trail: TRAIL })}
    ${signedOut && notice('info', html`From now on everybody signs in. The link that opened this console does not open it any more.`)}
    ${notice('good', html`<bdi>${name}</bdi> signs in with this password once, and then chooses another.`)}
    <div class="panel"><div class="panel-body">
    <p>Give it to them in person or by telephone, not by mail. It is good for three days, and is shown only now.</p>
    <p class="once"><code>${password}</code></p>
    <p>${signedOut ? linkButton({ href: '/sign-in', words: t`Sign in`, kind: 'primary' }) : linkButton({ href: userAddress(name), words: t`I have it`, kind: 'primary' })}</p>
    </div></div>`;
}

/** The question before a user is removed. Admins who remove themselves must also tick a box, since they cannot undo it. */
export function removeView(given: { csrf: string; name: string; isSelf: boolean; trouble?: string | undefined }): Html {
  const { csrf, name, isSelf, trouble } = given;
  return html`${pageHead({ title: html`Remove <bdi>${name}</bdi>?`, trail: [...TRAIL, { href: userAddress(name), words: name }] })}
    ${trouble !== undefined && notice('bad', trouble, { urgent: true })}
    <div class="panel"><div class="panel-body">
    <p>All of their sessions end, and they cannot sign in any more. Do not give this name to another person later: the audit shows it.</p>
    ${form({
      action: userAddress(name, 'remove'),
      csrf,
      body: html`${isSelf && sureTick()}<div class="actions">${button({ words: t`Remove the user`, kind: 'danger' })} ${linkButton({ href: userAddress(name), words: t`Keep` })}</div>`,
    })}
    </div></div>`;
}

/** Confirms that an admin gives up the role admin, since only another admin can give it back. */
export function ownRolesView(given: { csrf: string; user: UserView; roles: UserView['roles'] }): Html {
  const { csrf, user, roles } = given;
  const { name } = user;
  return html`${pageHead({ title: t`Give up being an admin?`, trail: [...TRAIL, { href: userAddress(name), words: name }] })}
    <div class="panel"><div class="panel-body">
    <p>You would have the roles ${roles.length === 0 ? t`of nobody` : roleList(roles)}, and only another admin could change that again.</p>
    ${form({
      action: userAddress(name, 'roles'),
      csrf,
      body: html`${roles.map((role) => hidden(`role-${role}`, 'yes'))}${sureTick()}<div class="actions">${button({ words: t`Change my roles`, kind: 'danger' })} ${linkButton({ href: userAddress(name), words: t`Keep them` })}</div>`,
    })}
    </div></div>`;
}

const sureTick = (): Html => tick({ label: t`This is my own account, and I mean it.`, name: 'own' });
