/** Whether the person has just signed out. Then `signIn` does nothing, since the answer to the sign-out opens the next page. */
let isSigningOut = false;

/**
 * Opens the sign-in after the session ended; the sign-in leads back to this page. The page's content is removed, unless it has
 * unsaved changes; then the browser asks before leaving.
 */
export function signIn() {
  if (isSigningOut) return;
  if (!document.querySelector('[data-changed]')) document.querySelector('main')?.replaceChildren();
  location.assign(`/sign-in?to=${encodeURIComponent(location.pathname + location.search)}`);
}

/** Empties the page and what the tab keeps at sign-out, so that "back" shows nothing, even where the console does not answer. */
export function forgetOnSignOut() {
  document.addEventListener('submit', ({ target }) => {
    if (!target.matches('form[action="/sign-out"]')) return;
    isSigningOut = true;
    sessionStorage.clear();
    addEventListener('pagehide', () => document.body.replaceChildren());
  });
}
