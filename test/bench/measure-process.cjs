/**
 * This module is loaded into a contender's process before its own program (`node --require`). When the process ends, it writes the memory
 * and processor time used to the bench that started it (`contenders.ts`). It has no types, because Node would load its type stripper for
 * them: some 30 ms and 10 MB, which would count as the contender's.
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
