import { pino } from 'pino';
import type { Log } from '../../src/log.ts';

/** A log that keeps its lines, as objects without the time and the like. */
export function makeKeptLog(): { log: Log; lines: { level: string; msg: string; [field: string]: unknown }[] } {
  const lines: { level: string; msg: string }[] = [];
  const log = pino(
    { level: 'info', base: null, timestamp: false, formatters: { level: (level) => ({ level }) } },
    { write: (line) => void lines.push(JSON.parse(line)) },
  );
  return { log, lines };
}
