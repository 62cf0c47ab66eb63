/** Who signs out is led on by the answer; that the session ended is heard on the way there, and is no news. */
let isSigningOut = false;

/**
 * Shows the sign-in, which leads back here: the session ended, and what stands in the page is for nobody to read any more. A
 * page with words that were not saved keeps them, and asks first, as it does whenever it is left.
 */
export function signIn() {
  if (isSigningOut) return;
  if (!document.querySelector('[data-changed]')) document.querySelector('main')?.replaceChildren();
  location.assign(`/sign-in?to=${encodeURIComponent(location.pathname + location.search)}`);
}

/** Whoever signs out leaves nothing to be read, also where the console does not answer, or somebody goes back. */
export function forgetOnSignOut() {
  document.addEventListener('submit', ({ target }) => {
    if (!target.matches('form[action="/sign-out"]')) return;
    isSigningOut = true;
    addEventListener('pagehide', () => document.body.replaceChildren());
  });
}
