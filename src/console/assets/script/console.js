// The module that every page loads. Pages work without it: it refreshes them, opens plans in dialogs, and handles a few keys.
// Further modules are loaded for elements that name one in data-module.

import { keepSwitch } from './commands.js';
import { copyTexts } from './copy.js';
import { openDialogs } from './dialogs.js';
import { keepFresh } from './events.js';
import { listenToKeys } from './keys.js';
import { keepLocal } from './locale.js';
import { forgetOnSignOut } from './sign-in.js';

// Pages for people who are not signed in have no events.
if (document.body.dataset.events !== undefined) keepFresh(document.body.dataset.events);
openDialogs();
listenToKeys();
copyTexts();
keepSwitch();
keepLocal();
forgetOnSignOut();

// A form with files has its token in the address, which is not for the history nor for bookmarks.
if (new URLSearchParams(location.search).has('_csrf')) history.replaceState(null, '', location.pathname);

for (const element of document.querySelectorAll('[data-module]')) {
  const name = element.dataset.module ?? '';
  // Only a plain name is taken, so that no other address is loaded.
  if (/^[a-z-]+$/.test(name)) import(`./${name}.js`).then((module) => module.start(element));
}
