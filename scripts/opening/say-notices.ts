import { readSettings } from '../../src/config.ts';
import { makeLog } from '../../src/log.ts';
import type { Terminal } from '../terminal/terminal.ts';

/**
 * Reports settings without effect before a command begins: as text, or for `work` in its log.
 *
 * @throws LimitlineError `SETTINGS`, as the command itself would
 */
export function sayNotices(command: string, { say }: Pick<Terminal, 'say'>): void {
  const { notices, LOG_LEVEL: level } = readSettings();
  const log = command === 'work' && notices.length > 0 ? makeLog({ level }) : undefined;
  for (const notice of notices) {
    if (log) log.warn(notice);
    else say(`limitline: ${notice}.`);
  }
}
