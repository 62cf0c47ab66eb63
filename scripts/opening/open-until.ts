import { type Context, openContext } from '../../src/context.ts';
import { isLimitlineError } from '../../src/errors.ts';

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
