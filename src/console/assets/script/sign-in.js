/**
 * Shows the sign-in, which leads back here: the session ended, and what stands in the page is for nobody to read any more. A
 * page with words that were not saved asks first, as it does whenever it is left.
 */
export function signIn() {
  location.assign(`/sign-in?to=${encodeURIComponent(location.pathname + location.search)}`);
}
