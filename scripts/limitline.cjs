#!/bin/sh
':' //; [ -r /proc/$$/status ] && while read -r key value; do if [ "$key" = SigIgn: ]; then export STARTED_IGNORING="$value"; fi; done </proc/$$/status
':' //; self=$(readlink -f "$0" 2>/dev/null); self=${self:-$0}
':' //; for node in "${0%/*}/node" "${self%/*}/../node_modules/.bin/node" node; do if [ -x "$node" ] || [ "$node" = node ]; then exec "$node" --max-semi-space-size=8 --preserve-symlinks "$0" "$@"; fi; done
// A shell reads the lines above, which Node takes for strings and comments. The shell starts the Node beside this command
// (node_modules/.bin/node, installed by the set-up if the machine's is older), or the Node where a link to the command leads,
// or the machine's. An old Node that is called by hand can parse all of this. The first line passes on which signals are
// ignored, as SIGHUP under nohup, because Node resets that. No file of ours or of our packages is a link, so Node need not
// resolve paths, which takes 30 ms.
'use strict';

/** The least version of Node: older ones do not strip types, and lack features that are used here. */
var NEEDED = 24;

var found = parseInt(process.versions.node, 10);
if (found < NEEDED) {
  process.stderr.write(
    'limitline: this is Node ' + process.versions.node + ', and Limitline needs Node ' + NEEDED + ' or later: ' +
      'install it (https://nodejs.org), or, if Limitline is in a folder of its own, bring it there by npm install node-' + process.platform + '-' + process.arch +
      '@' + NEEDED + ' (in a clone: npm run setup).\n'
  );
  process.exitCode = 1;
} else {
  // Caches compiled code, which halves the start-up time; does nothing where the folder is not writable.
  require('module').enableCompileCache(require('path').join(__dirname, '..', 'node_modules', '.cache', 'limitline'));
  // A package contains compiled code, since Node strips no types below node_modules.
  import(require('fs').existsSync(__dirname + '/limitline.ts') ? './limitline.ts' : '../dist/scripts/limitline.js');
}
