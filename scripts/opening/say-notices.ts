import { readSettings, type Settings } from '../../src/config.ts';
import { makeLog } from '../../src/log.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** The commands that open the console. Only these judge how it can be reached, since other processes may lack what it needs for that. */
const CONSOLE_COMMANDS: ReadonlySet<string> = new Set(['console', 'up']);

/**
 * Reports settings without effect before a command begins: as text, or for `work` in its log.
 *
 * @param isPart whether `up` started the command: `up` has reported its own settings, and gives parts some that only they have
 * @throws LimitlineError `SETTINGS`, as the command itself would
 */
export async function sayNotices(command: string, { say }: Pick<Terminal, 'say'>, isPart = false): Promise<void> {
  const moreFaults = CONSOLE_COMMANDS.has(command) ? await consoleFaults() : undefined;
  const { notices, LOG_LEVEL: level } = readSettings({ moreFaults });
  if (isPart) return;
  const log = command === 'work' && notices.length > 0 ? makeLog({ level }) : undefined;
  for (const notice of notices) {
    if (log) log.warn(notice);
    else say(`limitline: ${notice}.`);
  }
}

async function consoleFaults(): Promise<(settings: Omit<Settings, 'dataFolderBy' | 'dotenv' | 'notices'>) => string[]> {
  const { reachFaults } = await import('../../src/console/server/reach.ts');
  const { certificateFaults } = await import('../../src/console/server/certificate.ts');
  return (settings) => [...reachFaults(settings), ...certificateFaults(settings)];
}
