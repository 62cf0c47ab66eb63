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
  const address = `/sign-in?to=${encodeURIComponent(placeOfPage())}`;
  if (hasTyped()) cover(address);
  else leaveFor(address);
}

/** The address of this page, or of the page to go on with, where this one is the answer to a form and cannot be loaded again. */
function placeOfPage() {
  return document.querySelector('main [data-typed]')?.dataset.typed ?? location.pathname + location.search;
}

function leaveFor(address) {
  forgetChanges();
  document.querySelector('main')?.replaceChildren();
  location.assign(address);
}

/** Removes the marks of unsaved changes, for which the browser would ask before it leaves. */
function forgetChanges() {
  for (const field of document.querySelectorAll('[data-changed]')) field.removeAttribute('data-changed');
}

/**
 * Whether a person changed a field of a form that changes something, here or before the server answered with the form again, or with what
 * was typed. Passwords and chosen files do not count.
 */
function hasTyped() {
  if (document.querySelector('main [data-typed]')) return true;
  const forms = [...document.querySelectorAll('main form[method="post"], dialog form[method="post"]')];
  const [page] = performance.getEntriesByType('navigation');
  // The answer to a form with faults has what was typed as its own values.
  if (page?.responseStatus === REFUSED && forms.length > 0) return true;
  const fields = forms.flatMap((form) => [...form.elements]);
  return fields.some(({ type, checked, defaultChecked, value, defaultValue, options }) => {
    if (options) return [...options].some((one) => one.selected !== one.defaultSelected);
    if (defaultValue === undefined || UNTYPED.has(type)) return false;
    return checked !== defaultChecked || value !== defaultValue;
  });
}

const UNTYPED = new Set(['hidden', 'password', 'file']);
/** The status of the console's answer to a form with faults. */
const REFUSED = 422;

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
  button.addEventListener('click', () => leaveFor(address));
  // Escape closes a dialog; this one stays until the person is signed in.
  dialog.addEventListener('close', () => dialog.showModal());
  const resume = async () => {
    const page = await signedInPage();
    if (!page || !dialog.isConnected) return;
    const user = (of) => of.querySelector('.account-name')?.textContent;
    // A reload would send the form again whose answer this page may be.
    if (user(page) !== user(document)) return leaveFor(placeOfPage());
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

/** What the console shows at this page's address to whoever is signed in; undefined while nobody is, or something else answers. */
async function signedInPage() {
  try {
    const response = await fetch(placeOfPage(), { headers: { 'x-by-itself': '1' } });
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    return response.status !== 401 && page.querySelector('meta[name="csrf-token"]') ? page : undefined;
  } catch {
    return undefined;
  }
}

const SIGNED_OUT = 'limitline-signed-out';

/**
 * Empties the page and what the tab keeps at sign-out, so that "back" shows nothing, even where the console does not answer. Other tabs
 * are emptied, too, with what was typed there.
 */
export function forgetOnSignOut() {
  addEventListener('storage', ({ key }) => {
    if (key !== SIGNED_OUT) return;
    forgetChanges();
    document.body.replaceChildren();
  });
  document.addEventListener('submit', ({ target }) => {
    if (!target.matches('form[action="/sign-out"]')) return;
    isSigningOut = true;
    sessionStorage.clear();
    localStorage.setItem(SIGNED_OUT, String(Date.now()));
    addEventListener('pagehide', () => document.body.replaceChildren());
  });
}
