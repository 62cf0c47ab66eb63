import { type Context, openContext } from '../../src/context.ts';
import { isLimitlineError } from '../../src/errors.ts';
import type { Log } from '../../src/log.ts';
import type { Terminal } from '../terminal/terminal.ts';

/**
 * Opens the context of a command that runs until `ending`. Answers undefined if that came while Redis still loaded its data: the command then
 * ends as it does at any other time.
 */
export async function openUntil(
  ending: AbortSignal,
  given: Omit<Parameters<typeof openContext>[0], 'awaitsData'>,
): Promise<Context | undefined> {
  try {
    return await openContext({ ...given, awaitsData: ending });
  } catch (error) {
    if (ending.aborted && isLimitlineError(error, 'STOPPED')) return undefined;
    throw error;
  }
}

/** Says that the command has stopped, in its log and as its answer. */
export function sayStopped(log: Log, terminal: Pick<Terminal, 'json' | 'print'>): void {
  log.info('stopped');
  if (terminal.json) terminal.print('', { stopped: true });
}
