import type { SessionView, UserView } from '../../../people/people.ts';
import type { Person } from '../../../people/person.ts';
import { type Html, html, t } from '../../html/html.ts';
import { notice, pageHead, panel, table } from '../../parts/blocks.ts';
import { facts } from '../../parts/figures.ts';
import { button, form, passwordField, roleList } from '../../parts/form.ts';
import { moment, theirWords, timeAgo } from '../../parts/text.ts';
import { codeField, newPasswordFields } from '../../sign-in/sign-in-view.ts';

/** The number of recovery codes below which the page asks the person to make new ones. */
const FEW_CODES = 3;

/** A notice about the action that the person has just done. */
export type MeSaid = { kind: 'good' | 'bad'; words: string };

/** `/me`: the person's own account. Without `user`, an identity provider keeps the account, and only sessions are shown. */
export function meView(given: {
  csrf: string;
  person: Person;
  user: UserView | undefined;
  sessions: readonly SessionView[];
  said?: MeSaid | undefined;
}): Html {
  const { csrf, person, user, sessions, said } = given;
  return html`${pageHead({ title: t`My account` })}
    ${said !== undefined && notice(said.kind, said.words, { urgent: true })}
    <div class="stack">
    ${panel({ title: t`You`, body: youPart(person, user) })}
    ${user !== undefined && panel({ title: t`Password`, body: passwordPart(csrf, user) })}
    ${user !== undefined && panel({ title: t`Second factor`, body: factorPart(csrf, user) })}
    ${panel({ title: t`Where you are signed in`, body: sessionsPart(csrf, { sessions, user }) })}
    </div>`;
}

function youPart({ by, roles }: Person, user: UserView | undefined): Html {
  return html`${facts([
    { term: t`Name`, what: html`<bdi>${by}</bdi>` },
    { term: t`Roles`, what: roleList(roles) },
    ...(user === undefined ? [] : [{ term: t`Added`, what: moment(user.createdMs) }]),
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
    body: html`${proofFields(user, { id: 'password', label: t`Password now` })}
      ${newPasswordFields(user.name)}
      <p class="hint">Everywhere else you are signed out.</p>
      ${button({ words: t`Change the password` })}`,
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
      body: html`${proofFields(user, { id: 'factor', label: t`Your password` })}
        <p class="actions">${button({ words: hasFactor ? t`Set up another app` : t`Set it up` })}
        ${hasFactor && html`<button class="button is-plain" formaction="/me/codes">Make new recovery codes</button>`}</p>`,
    })}`;
}

function codesLeft(count: number): Html {
  const words = t`${count === 0 ? t`No` : count} recovery ${count === 1 ? t`code is` : t`codes are`} left.`;
  return count < FEW_CODES ? html`<strong class="is-warn">${words} Make new ones.</strong>` : html`${words}`;
}

/** The fields that prove the person again: the password, and a code where there is a second factor. */
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
    label: t`Sessions`,
    body: html`${list}<div class="form">${user !== undefined && proofFields(user, { id: 'sessions', label: t`Your password, to end others` })}
      ${button({ words: t`End all others` })}</div>`,
  });
}

function sessionsTable(sessions: readonly SessionView[]): Html {
  return table<SessionView>({
    caption: t`Sessions`,
    rows: sessions,
    columns: [
      { head: t`Browser`, names: true, cell: ({ agent }) => theirWords(browserWords(agent)) },
      { head: t`From`, cell: ({ from }) => html`<code>${from}</code>` },
      { head: t`Signed in`, cell: ({ beganMs }) => timeAgo(beganMs) },
      { head: t`Seen`, cell: ({ seenMs }) => timeAgo(seenMs) },
      { head: t`End it`, kind: 'actions', cell: endPart },
    ],
  });
}

/** The button that ends a session. It belongs to the form around the table, whose password field is sent along. */
function endPart({ id, isThis, agent, from }: SessionView): Html {
  if (isThis) return html`<strong>This one</strong>`;
  const label = t`End it: ${browserWords(agent)} from ${from}`;
  return html`<button class="button is-quiet" formaction="${`/me/sessions/${encodeURIComponent(id)}/end`}" aria-label="${label}">End it</button>`;
}

const BROWSERS: readonly [pattern: RegExp, words: string][] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];

const SYSTEMS: readonly [pattern: RegExp, words: string][] = [
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b|\bCrOS\b/, 'Linux'],
];

/** The browser and system in a user agent, such as `Firefox on Linux`; an unknown user agent as it is. */
export function browserWords(agent: string): string {
  const find = (table: typeof BROWSERS) => table.find(([pattern]) => pattern.test(agent))?.[1];
  const browser = find(BROWSERS);
  if (browser === undefined) return agent === '' ? t`not known` : agent;
  const system = find(SYSTEMS);
  return system === undefined ? browser : t`${browser} on ${system}`;
}
