import { fillTokens } from './swap.js';
import { t } from './texts.js';

/** Whether the person has just signed out. Then `signIn` does nothing, since the answer to the sign-out opens the next page. */
let isSigningOut = false;

/**
 * Opens the sign-in after the session ended; the sign-in leads back to this page, whose content is removed. A page on which a person
 * typed something stays, covered by a dialog, until the person has signed in again in another tab.
 */
export function signIn() {
  if (isSigningOut || document.querySelector('.signed-out')) return;
  const address = `/sign-in?to=${encodeURIComponent(location.pathname + location.search)}`;
  if (hasTyped()) cover(address);
  else leaveFor(address);
}

function leaveFor(address) {
  document.querySelector('main')?.replaceChildren();
  location.assign(address);
}

/** Whether a person changed a field of a form that changes something. Passwords and chosen files do not count. */
function hasTyped() {
  return [...document.querySelectorAll('form[method="post"] :is(input, textarea)')].some(
    ({ type, checked, defaultChecked, value, defaultValue }) =>
      !UNTYPED.has(type) && (checked !== defaultChecked || value !== defaultValue),
  );
}

const UNTYPED = new Set(['hidden', 'password', 'file']);

/** Covers the page until somebody is signed in; the page of anybody else than before is loaded anew. */
function cover(address) {
  const dialog = document.createElement('dialog');
  dialog.className = 'dialog signed-out';
  dialog.setAttribute('aria-labelledby', 'signed-out-title');
  dialog.innerHTML = `<h2 id="signed-out-title" tabindex="-1">${t`Signed out`}</h2>
    <p>${t`Your session ended. What you typed is still on this page. Sign in in another tab, and this page goes on where it was.`}</p>
    <div class="actions"><a class="button is-primary" target="_blank">${t`Sign in in another tab`}</a><button class="button is-plain" type="button">${t`Leave without it`}</button></div>`;
  const [link, button] = dialog.querySelectorAll('.button');
  link.href = address;
  button.addEventListener('click', () => {
    for (const field of document.querySelectorAll('[data-changed]')) field.removeAttribute('data-changed');
    leaveFor(address);
  });
  // Escape closes a dialog; this one stays until the person is signed in.
  dialog.addEventListener('close', () => dialog.showModal());
  const resume = async () => {
    const page = await signedInPage();
    if (!page || !dialog.isConnected) return;
    const user = (of) => of.querySelector('.account-name')?.textContent;
    if (user(page) !== user(document)) return location.reload();
    const token = (of) => of.querySelector('meta[name="csrf-token"]');
    token(document).content = token(page).content;
    for (const field of document.querySelectorAll('input[name="_csrf"]')) field.value = '';
    fillTokens(document);
    dialog.remove();
    document.removeEventListener('visibilitychange', resume);
    document.removeEventListener('swapped', resume);
  };
  document.addEventListener('visibilitychange', resume);
  document.addEventListener('swapped', resume);
  document.body.append(dialog);
  dialog.showModal();
}

/** What the server shows at this page's address to whoever is signed in; undefined while nobody is. */
async function signedInPage() {
  const response = await fetch(location.href, { headers: { 'x-by-itself': '1' } }).catch(() => undefined);
  if (!response || response.status === 401 || response.status >= 500) return undefined;
  return new DOMParser().parseFromString(await response.text(), 'text/html');
}

const SIGNED_OUT = 'limitline-signed-out';

/**
 * Empties the page and what the tab keeps at sign-out, so that "back" shows nothing, even where the console does not answer. Other tabs
 * are emptied, too, with what was typed there.
 */
export function forgetOnSignOut() {
  addEventListener('storage', ({ key }) => {
    if (key === SIGNED_OUT) document.body.replaceChildren();
  });
  document.addEventListener('submit', ({ target }) => {
    if (!target.matches('form[action="/sign-out"]')) return;
    isSigningOut = true;
    sessionStorage.clear();
    localStorage.setItem(SIGNED_OUT, String(Date.now()));
    addEventListener('pagehide', () => document.body.replaceChildren());
  });
}
