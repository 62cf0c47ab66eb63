import { encode } from 'uqr';
import { type Html, type HtmlValue, html, t } from '../html/html.ts';
import { notice } from '../parts/blocks.ts';
import { button, field, form, hidden, linkButton, passwordField } from '../parts/form.ts';
import type { NewFactor, OtherWay } from './people-functions.ts';
import { signInAddress } from './session-cookie.ts';

/** The message for a refused sign-in. It is the same for an unknown name and for a wrong password. */
export const NO_FIT = t`This name and password do not fit together. Check both, and try again.`;

/** One message for every wrong code of an app, whatever is wrong with it, and one for every recovery code. */
export const NO_RECOVERY_CODE = t`This recovery code is wrong, or was used before. Each recovery code works once: type another.`;
export const NO_CODE = t`This code is wrong, or was used before. Wait for the next one, and try again.`;

/** The advice for people who forgot a password or lost a telephone: only an administrator can help. */
const HELP = html`<p class="quiet">Forgotten, or lost your telephone? An administrator of this console can set it anew.</p>`;

/** The frame of every page around the sign-in: narrow, with one thing to do. */
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

/** `/sign-in`: name and password, and the other ways to sign in. */
export function signInView(given: {
  csrf: string;
  to: string;
  ways: readonly OtherWay[];
  name?: string;
  trouble?: string | undefined;
}): Html {
  const { csrf, to, ways, name = '', trouble } = given;
  return narrowPage({
    title: t`Sign in`,
    trouble,
    body: html`${ways.length > 0 && html`<div class="sign-in-ways">${ways.map(({ href, words }) => linkButton({ href: signInAddress(to, href), words, kind: 'primary' }))}</div><p class="sign-in-or"><span>or with a password</span></p>`}
      ${form({
        action: '/sign-in',
        csrf,
        body: html`${hidden('to', to)}
          ${field({ label: t`Name`, name: 'name', value: name, required: true, autocomplete: 'username', maxlength: 100, plain: true })}
          ${passwordField({ label: t`Password`, name: 'password', autocomplete: 'current-password' })}
          ${button({ words: t`Sign in`, kind: ways.length > 0 ? 'plain' : 'primary' })}`,
      })}
      ${HELP}`,
  });
}

/** `/sign-in/code`: a code of the second factor, or a recovery code. */
export function codeView(given: { csrf: string; to: string; recovery: boolean; trouble?: string | undefined }): Html {
  const { csrf, to, recovery, trouble } = given;
  const other = new URLSearchParams(to === '/' ? {} : { to });
  if (!recovery) other.set('recovery', '');
  const query = other.size === 0 ? '' : `?${other}`;
  return narrowPage({
    title: recovery ? t`Recovery code` : t`Your code`,
    lead: recovery
      ? t`Type one of the recovery codes that you kept when you set up your second factor. Each works once.`
      : t`Open the authenticator app on your telephone and type the code that it shows for Limitline.`,
    trouble,
    body: html`${form({
      action: '/sign-in/code',
      csrf,
      body: html`${hidden('to', to)}${recovery && hidden('recovery', 'yes')}
        ${recovery ? field({ label: t`Recovery code`, name: 'code', required: true, autocomplete: 'off', maxlength: 60, plain: true }) : codeField()}
        ${button({ words: t`Go on`, kind: 'primary' })}`,
    })}
    <p><a href="${`/sign-in/code${query}`}">${recovery ? t`Use the authenticator app` : t`Use a recovery code`}</a></p>
    ${signOutLine(csrf)}`,
  });
}

/** `/sign-in/password`: replaces a password that somebody else made. */
export function ownPasswordView(given: { csrf: string; to: string; name: string; trouble?: string | undefined }): Html {
  const { csrf, to, name, trouble } = given;
  return narrowPage({
    title: t`Choose a password`,
    lead: t`The password that you signed in with was made by somebody else. Choose one that only you know.`,
    trouble,
    body: html`${form({
      action: '/sign-in/password',
      csrf,
      body: html`${hidden('to', to)}${newPasswordFields(name)}${button({ words: t`Keep it`, kind: 'primary' })}`,
    })}
    ${signOutLine(csrf)}`,
  });
}

/** The fields for a new password, twice, with the user's name for password managers. */
export function newPasswordFields(name: string): Html {
  return html`<input name="user" value="${name}" autocomplete="username" hidden>
    ${passwordField({ label: t`New password`, name: 'password', autocomplete: 'new-password', hint: t`At least 12 characters. A few words that nobody would guess are good; so is what a password manager makes.` })}
    ${passwordField({ label: t`New password again`, name: 'again', autocomplete: 'new-password' })}`;
}

/** The field for a code of an authenticator app; with `orRecovery` also for a recovery code. */
export function codeField({ id = 'field-code', orRecovery = false } = {}): Html {
  return field({
    label: t`Code`,
    name: 'code',
    id,
    required: true,
    autocomplete: 'one-time-code',
    maxlength: 60,
    plain: true,
    ...(orRecovery ? {} : { inputmode: 'numeric' as const }),
    hint: orRecovery
      ? t`A code of your app that was not used before, or a recovery code.`
      : t`Six digits; a new one every 30 seconds.`,
  });
}

export function signOutLine(csrf: string): Html {
  return form({
    action: '/sign-out',
    csrf,
    class: 'inline-form',
    body: button({ words: t`Sign in as somebody else`, kind: 'quiet' }),
  });
}

/** Sets up a second factor: the QR code, the secret as text, and the field for the first code, which proves that the app works. */
export function factorForm(given: { csrf: string; action: string; to: string; factor: NewFactor }): Html {
  const { csrf, action, to, factor } = given;
  return html`<ol class="stack factor-steps">
    <li>Open an authenticator app on your telephone. Any that makes codes of six digits will do.</li>
    <li>Add an account by scanning this picture.
      <div class="factor-picture">${qrCode(factor.address, { label: t`QR code of your second factor; the key below says the same` })}</div>
      <details><summary>It cannot be scanned</summary>
        <p>Choose to type a key in the app, by time, and type this one. Spaces do not matter.</p>
        <p class="factor-secret"><code>${inGroups(factor.secret)}</code></p>
      </details></li>
    <li>Type the code that the app shows now.
      ${form({ action, csrf, body: html`${hidden('to', to)}${codeField()}${button({ words: t`Set it up`, kind: 'primary' })}` })}</li>
  </ol>`;
}

/** Recovery codes, which are shown only this once. */
export function recoveryCodes(given: { codes: readonly string[]; next: string; words: string }): Html {
  const { codes, next, words } = given;
  return html`<div data-module="keepCodes">
    <p>Each of these codes takes the place of your telephone once, when it is lost. Keep them where you keep your papers, not on the telephone. They are shown only now.</p>
    <ul class="codes" data-codes aria-label="Recovery codes">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
    <p class="actions with-script"><button type="button" class="button is-plain" data-download>Download</button> <button type="button" class="button is-plain" data-print>Print</button></p>
  </div>
  <p>${linkButton({ href: next, words, kind: 'primary' })}</p>`;
}

/** A second factor's secret in groups of four characters, for reading. */
const inGroups = (secret: string): string => secret.replace(/(.{4})(?=.)/g, '$1 ');

/** The quiet zone around the code, in modules (ISO/IEC 18004, section 9.1). */
const QUIET = 4;

/**
 * A text as a QR code, drawn inline, so that its secret never leaves the page.
 *
 * @param label the text for screen readers
 */
function qrCode(text: string, { label }: { label: string }): Html {
  const { data, size } = encode(text, { ecc: 'M', border: QUIET });
  const path = data.flatMap((row, y) => runsOf(row).map(({ x, length }) => `M${x} ${y}h${length}v1h-${length}z`));
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges"><rect class="qr-ground" width="${size}" height="${size}"/><path class="qr-squares" d="${path.join('')}"/></svg>`;
}

/** Runs of dark modules in a row. */
function runsOf(row: readonly boolean[]): { x: number; length: number }[] {
  const runs: { x: number; length: number }[] = [];
  for (const [x, isDark] of row.entries()) {
    const last = runs.at(-1);
    if (!isDark) continue;
    if (last && last.x + last.length === x) last.length += 1;
    else runs.push({ x, length: 1 });
  }
  return runs;
}
