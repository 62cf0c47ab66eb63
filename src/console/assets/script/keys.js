import { show } from './dialogs.js';

/**
 * The page that each letter opens when it is typed after the key `g`. The page of shortcuts (pages/keys/keys-routes.ts) lists
 * the same letters.
 */
const PLACES = { p: '/', n: '/new', h: '/held', q: '/work' };
const SECOND_KEY_MS = 1_500;

/** `/` focuses the search, `?` shows the list of keys, `g` and a letter open a page. Keys in fields are left alone. */
export function listenToKeys() {
  let goingUntil = 0;
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target.closest('input, textarea, select, dialog, [contenteditable]')) return;
    const isSecond = Date.now() < goingUntil;
    goingUntil = 0;
    if (event.key === '/') {
      const search =
        document.querySelector('main input[type="search"]') ?? document.querySelector('input[type="search"]');
      if (!search) return;
      event.preventDefault();
      search.focus();
      search.select();
    } else if (event.key === '?') show('/keys', document.activeElement);
    else if (event.key === 'g') goingUntil = Date.now() + SECOND_KEY_MS;
    else if (isSecond && isShown(PLACES[event.key])) location.assign(PLACES[event.key]);
  });
}

/** Whether the navigation offers the page to this person. */
function isShown(href) {
  return href !== undefined && document.querySelector(`.places a[href="${href}"]`) !== null;
}
