import { type Html, html } from '../html/html.ts';
import { button, linkButton } from '../parts/button.ts';
import { form, hidden } from '../parts/form.ts';
import { qrCode } from './qr-code.ts';
import { codeField } from './sign-in-view.ts';

/** What a second factor is set up with: the secret, and the same as an address that apps read (otpauth://). */
export type NewFactor = { secret: string; address: string };

/**
 * A second factor that is being set up: the QR code, the secret in words for who cannot scan it, and the field for the first
 * code, which shows that the app has it right.
 */
export function factorForm(given: { csrf: string; action: string; to: string; factor: NewFactor }): Html {
  const { csrf, action, to, factor } = given;
  return html`<ol class="factor-steps">
    <li>Open an authenticator app on your telephone. Any that makes codes of six digits will do.</li>
    <li>Add an account by scanning this picture.
      <div class="factor-picture">${qrCode(factor.address, { label: 'QR code of your second factor; the key below says the same' })}</div>
      <details><summary>It cannot be scanned</summary>
        <p>Choose to type a key in the app, by time, and type this one. Spaces do not matter.</p>
        <p class="factor-secret"><code>${inGroups(factor.secret)}</code></p>
      </details></li>
    <li>Type the code that the app shows now.
      ${form({ action, csrf, body: html`${hidden('to', to)}${codeField()}${button({ words: 'Set it up', kind: 'primary' })}` })}</li>
  </ol>`;
}

/** Recovery codes, which are shown this once. */
export function recoveryCodes(given: { codes: readonly string[]; next: string; words: string }): Html {
  const { codes, next, words } = given;
  return html`<div data-module="keep-codes">
    <p>Each of these codes takes the place of your telephone once, when it is lost. Keep them where you keep your papers, not on the telephone. They are shown only now.</p>
    <ul class="codes" data-codes aria-label="Recovery codes">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
    <p class="actions with-script"><button type="button" class="button is-plain" data-download>Download</button> <button type="button" class="button is-plain" data-print>Print</button></p>
  </div>
  <p>${linkButton({ href: next, words, kind: 'primary' })}</p>`;
}

/** In fours, as people read long keys. */
function inGroups(secret: string): string {
  return secret.replace(/(.{4})(?=.)/g, '$1 ');
}
