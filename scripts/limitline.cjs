#!/bin/sh
':' //; [ -r /proc/$$/status ] && while read -r key value; do if [ "$key" = SigIgn: ]; then export STARTED_IGNORING="$value"; fi; done </proc/$$/status
':' //; self=$(readlink -f "$0" 2>/dev/null); self=${self:-$0}
':' //; for node in "${0%/*}/node" "${self%/*}/../node_modules/.bin/node" node; do if [ -x "$node" ] || [ "$node" = node ]; then exec "$node" --max-semi-space-size=8 --preserve-symlinks "$0" "$@"; fi; done
// A shell reads the lines above, and starts the Node that lies beside this command (node_modules/.bin/node, which the set-up
// of a clone brings to a machine with an older one), or where a link to the command leads, or the machine's. To Node they are comments and texts that do nothing. So
// whatever `node` is on the PATH, the command runs on ours; and a Node that is called with it by hand, old as it may be, can
// read all of this. The first of them passes on which signals are ignored, as SIGHUP is under nohup: Node forgets it.
// No file of ours or of our packages is a link, so Node need not follow each path to its end: that were 30 ms.
'use strict';

/** Older ones do not strip types, and do not know some of what is used here. */
var NEEDED = 24;

var found = parseInt(process.versions.node, 10);
if (found < NEEDED) {
  process.stderr.write(
    'limitline: this is Node ' + process.versions.node + ', and Limitline needs Node ' + NEEDED + ' or later: ' +
      'install it (https://nodejs.org), or bring it beside Limitline by npm install node-' + process.platform + '-' + process.arch +
      '@' + NEEDED + ' (in a clone: npm run setup).\n'
  );
  process.exitCode = 1;
} else {
  // What was compiled once is kept, by which a command starts in half the time; where nothing can be written, nothing is.
  require('module').enableCompileCache(require('path').join(__dirname, '..', 'node_modules', '.cache', 'limitline'));
  // A package has what was built of the sources, since Node strips no types in a folder node_modules.
  import(require('fs').existsSync(__dirname + '/limitline.ts') ? './limitline.ts' : '../dist/scripts/limitline.js');
}
