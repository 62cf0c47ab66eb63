// The module that every page loads. Pages work without it: it refreshes them, opens plans in dialogs, and handles a few keys.
// elements.js is loaded where an element names one of its functions in data-module.

import { openDialogs } from './dialogs.js';
import { keepFresh } from './events.js';
import { listenToKeys } from './keys.js';
import { keepLocal } from './locale.js';
import { forgetOnSignOut } from './sign-in.js';
import { copyTexts, keepSwitch } from './terminal.js';

// Pages for people who are not signed in have no events.
if (document.body.dataset.events !== undefined) keepFresh(document.body.dataset.events);
openDialogs();
listenToKeys();
copyTexts();
keepSwitch();
keepLocal();
forgetOnSignOut();

// The address of a sent form with files contains the CSRF token. The token is removed from the address, so that neither the
// history nor bookmarks keep it.
if (new URLSearchParams(location.search).has('_csrf')) history.replaceState(null, '', location.pathname);

for (const element of document.querySelectorAll('[data-module]')) {
  import('./elements.js').then((modules) => modules[element.dataset.module](element));
}
