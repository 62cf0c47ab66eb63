import { type Html, type HtmlValue, html } from '../html/html.ts';
import { button, linkButton } from '../parts/button.ts';
import { field, form, hidden } from '../parts/form.ts';
import { notice } from '../parts/notice.ts';
import { passwordField } from '../parts/password-field.ts';
import type { OtherWay } from './people-functions.ts';
import { signInAddress } from './way-back.ts';

/** What is said of every name and password that do not fit, whichever of the two it is. */
export const NO_FIT = 'This name and password do not fit together. Check both, and try again.';

/** What is said of every code that does not fit, whatever is wrong with it. */
export const NO_CODE = 'This code does not fit, or was used before. Wait for the next one, and try again.';

/** Whoever forgot a password, or lost a telephone, can only be helped by a person. */
const HELP = html`<p class="quiet">Forgotten, or lost your telephone? An administrator of this console can set it anew.</p>`;

/** What every page around the sign-in is: narrow, with one thing to do. */
export function narrowPage(given: {
  title: string;
  lead?: HtmlValue;
  trouble?: string | undefined;
  body: Html;
  below?: Html;
}): Html {
  const { title, lead, trouble, body, below } = given;
  return html`<div class="sign-in panel">
    <h1>${title}</h1>
    ${lead !== undefined && html`<p class="lead">${lead}</p>`}
    ${trouble !== undefined && notice('bad', trouble, { urgent: true })}
    ${body}
    ${below}
  </div>`;
}

/** `/sign-in`: name and password, and other ways where there are any. */
export function signInView(given: {
  csrf: string;
  to: string;
  ways: readonly OtherWay[];
  name?: string;
  trouble?: string | undefined;
}): Html {
  const { csrf, to, ways, name = '', trouble } = given;
  return narrowPage({
    title: 'Sign in',
    trouble,
    body: html`${ways.length > 0 && html`<div class="sign-in-ways">${ways.map(({ href, words }) => linkButton({ href: signInAddress(to, href), words, kind: 'primary' }))}</div><p class="sign-in-or"><span>or with a password</span></p>`}
      ${form({
        action: '/sign-in',
        csrf,
        body: html`${hidden('to', to)}
          ${field({ label: 'Name', name: 'name', value: name, required: true, autocomplete: 'username', maxlength: 100, plain: true })}
          ${passwordField({ label: 'Password', name: 'password', autocomplete: 'current-password' })}
          ${button({ words: 'Sign in', kind: ways.length > 0 ? 'plain' : 'primary' })}`,
      })}
      ${HELP}`,
  });
}

/** `/sign-in/code`: the second factor, or one of the codes that were made for when it is lost. */
export function codeView(given: { csrf: string; to: string; recovery: boolean; trouble?: string | undefined }): Html {
  const { csrf, to, recovery, trouble } = given;
  const other = new URLSearchParams(to === '/' ? {} : { to });
  if (!recovery) other.set('recovery', '');
  const query = other.size === 0 ? '' : `?${other}`;
  return narrowPage({
    title: recovery ? 'Recovery code' : 'Your code',
    lead: recovery
      ? 'Type one of the recovery codes that you kept when you set up your second factor. Each works once.'
      : 'Open the authenticator app on your telephone and type the code that it shows for Limitline.',
    trouble,
    body: html`${form({
      action: '/sign-in/code',
      csrf,
      body: html`${hidden('to', to)}${recovery && hidden('recovery', 'yes')}
        ${recovery ? field({ label: 'Recovery code', name: 'code', required: true, autocomplete: 'off', maxlength: 60, plain: true }) : codeField()}
        ${button({ words: 'Go on', kind: 'primary' })}`,
    })}
    <p><a href="${`/sign-in/code${query}`}">${recovery ? 'Use the authenticator app' : 'Use a recovery code'}</a></p>
    ${signOutLine(csrf)}`,
  });
}

/** `/sign-in/password`: a password of one's own in the place of one that somebody else made. */
export function ownPasswordView(given: { csrf: string; to: string; name: string; trouble?: string | undefined }): Html {
  const { csrf, to, name, trouble } = given;
  return narrowPage({
    title: 'Choose a password',
    lead: 'The password that you signed in with was made by somebody else. Choose one that only you know.',
    trouble,
    body: html`${form({
      action: '/sign-in/password',
      csrf,
      body: html`${hidden('to', to)}${newPasswordFields(name)}${button({ words: 'Keep it', kind: 'primary' })}`,
    })}
    ${signOutLine(csrf)}`,
  });
}

/** A new password, twice, with the name that password managers keep it under. */
export function newPasswordFields(name: string): Html {
  return html`<input name="user" value="${name}" autocomplete="username" hidden>
    ${passwordField({ label: 'New password', name: 'password', autocomplete: 'new-password', hint: 'At least 12 characters. A few words that nobody would guess are good; so is what a password manager makes.' })}
    ${passwordField({ label: 'New password again', name: 'again', autocomplete: 'new-password' })}`;
}

/** The field for a code of an authenticator app; with `orRecovery` also for one of the codes for when it is lost. */
export function codeField({ id = 'field-code', orRecovery = false } = {}): Html {
  return field({
    label: 'Code',
    name: 'code',
    id,
    required: true,
    autocomplete: 'one-time-code',
    maxlength: 60,
    plain: true,
    ...(orRecovery ? {} : { inputmode: 'numeric' as const }),
    hint: orRecovery
      ? 'Of your app, and not used before; or a recovery code.'
      : 'Six digits; a new one every 30 seconds.',
  });
}

/** The way out for who cannot go on. */
export function signOutLine(csrf: string): Html {
  return form({
    action: '/sign-out',
    csrf,
    class: 'inline-form',
    body: button({ words: 'Sign in as somebody else', kind: 'quiet' }),
  });
}
