/**
 * Loaded into a contender's process before its own program (`node --require`): when the process ends, it writes what it
 * used to the bench that started it (`contenders.ts`). Without types: to strip them, Node would load what a command
 * whose compiled code is kept never loads, some 30 ms and 10 MB that were counted as the contender's.
 */
'use strict';
const { readFileSync, writeSync } = require('node:fs');

/** The file descriptor to which the figures are written, as in `contenders.ts`. */
const FIGURES_FD = 3;

process.once('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const figures = { peakMemoryBytes: (peakOfLinux() ?? maxRSS) * 1024, cpuMs: (userCPUTime + systemCPUTime) / 1_000 };
  writeSync(FIGURES_FD, JSON.stringify(figures));
});

/** The peak of memory in KiB. Not `maxRSS`, which on Linux contains what the parent used when it started us (getrusage(2)). */
function peakOfLinux() {
  try {
    return Number(/^VmHWM:\s*(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1]);
  } catch {
    return undefined;
  }
}
