import { encode } from 'uqr';
import { type Html, html } from '../html/html.ts';
import { button, linkButton } from '../parts/button.ts';
import { form, hidden } from '../parts/form.ts';
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

/** Quiet squares around the code, by which readers find it (ISO/IEC 18004, section 9.1). */
const QUIET = 4;

/**
 * A text as a QR code, drawn as one path: inline, so that neither another site nor a request of its own ever sees what is in it.
 *
 * @param label read out in its place
 */
function qrCode(text: string, { label }: { label: string }): Html {
  const { data, size } = encode(text, { ecc: 'M', border: QUIET });
  const path = data.flatMap((row, y) => runsOf(row).map(({ x, length }) => `M${x} ${y}h${length}v1h-${length}z`));
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges"><rect class="qr-ground" width="${size}" height="${size}"/><path class="qr-squares" d="${path.join('')}"/></svg>`;
}

/** Where dark squares stand side by side. */
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
