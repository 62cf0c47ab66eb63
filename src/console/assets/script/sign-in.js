/** Whoever signs out goes where the answer leads; that the session ended is heard on its way, and is no news. */
let isSigningOut = false;
addEventListener('submit', ({ target }) => {
  if (new URL(target.action, location.href).pathname === '/sign-out') isSigningOut = true;
});

/**
 * Shows the sign-in, which leads back here: the session ended, and what stands in the page is for nobody to read any more. A
 * page with words that were not saved asks first, as it does whenever it is left.
 */
export function signIn() {
  if (isSigningOut) return;
  location.assign(`/sign-in?to=${encodeURIComponent(location.pathname + location.search)}`);
}
