// The one module that every page loads. Without it every page works all the same: it only keeps pages fresh, opens plans in
// dialogs, and listens to a few keys. Pages that need more have a module of their own, which this one loads where an element
// asks for it by data-module.

import { copyTexts } from './copy.js';
import { openDialogs } from './dialogs.js';
import { keepFresh } from './events.js';
import { listenToKeys } from './keys.js';
import { forgetOnSignOut } from './sign-in.js';

// A page for somebody who is not known has none.
if (document.body.dataset.events !== undefined) keepFresh(document.body.dataset.events);
openDialogs();
listenToKeys();
copyTexts();
forgetOnSignOut();

for (const element of document.querySelectorAll('[data-module]')) {
  const name = element.dataset.module ?? '';
  // A name and nothing else: no address of another place.
  if (/^[a-z-]+$/.test(name)) import(`./${name}.js`).then((module) => module.start(element));
}
