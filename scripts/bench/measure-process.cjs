/**
 * Loaded into a contender's process before its own program (`node --import`): when the process ends, it writes what it
 * used to the bench that started it.
 */
import { readFileSync, writeSync } from 'node:fs';
import { FIGURES_FD, type ProcessFigures } from './process-figures.ts';

process.once('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const figures: ProcessFigures = {
    peakMemoryBytes: (peakOfLinux() ?? maxRSS) * 1024,
    cpuMs: (userCPUTime + systemCPUTime) / 1_000,
  };
  writeSync(FIGURES_FD, JSON.stringify(figures));
});

/** In KiB. `maxRSS` would do, but Linux counts into it what the parent used when it started us (getrusage(2)). */
function peakOfLinux(): number | undefined {
  try {
    return Number(/^VmHWM:\s*(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1]);
  } catch {
    return undefined;
  }
}
