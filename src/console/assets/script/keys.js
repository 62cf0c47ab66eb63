import { show } from './dialogs.js';

/** What a letter after `g` goes to; pages/keys/add-keys-page.ts lists them. */
const PLACES = { p: '/', n: '/new', h: '/held', q: '/work' };
const SECOND_KEY_MS = 1_500;

/** `/` to the search, `?` for the list of keys, `g` and a letter to a place. Fields keep all of their keys. */
export function listenToKeys() {
  let goingUntil = 0;
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target.closest('input, textarea, select, dialog, [contenteditable]')) return;
    const isSecond = Date.now() < goingUntil;
    goingUntil = 0;
    if (event.key === '/') {
      const search = document.querySelector('input[type="search"]');
      if (!search) return;
      event.preventDefault();
      search.focus();
      search.select();
    } else if (event.key === '?') show('/keys', document.activeElement);
    else if (event.key === 'g') goingUntil = Date.now() + SECOND_KEY_MS;
    else if (isSecond && isShown(PLACES[event.key])) location.assign(PLACES[event.key]);
  });
}

/** The navigation has the places that one may go to. */
function isShown(href) {
  return href !== undefined && document.querySelector(`.places a[href="${href}"]`) !== null;
}
