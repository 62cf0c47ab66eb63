import { LimitlineError } from '../../src/errors.ts';
import { STAND_IN_ACCOUNT } from '../../src/stand-in-account.ts';
import { STANDARD_INPUT } from '../file/standard-input.ts';
import type { ImportOptions } from '../options/import-options.ts';
import { canAsk } from '../terminal/ask.ts';

/**
 * Whether to ask a person before anything is requested of this account: on a terminal, without `--yes`. Never for the stand-in,
 * whose limits are not real.
 *
 * @throws LimitlineError `USAGE` for a file from standard input on a terminal: then nobody can answer
 */
export function isToAsk(file: string, { yes = false }: Pick<ImportOptions, 'yes'>, account: string): boolean {
  if (yes || account === STAND_IN_ACCOUNT) return false;
  if (file === STANDARD_INPUT && process.stderr.isTTY === true) {
    throw new LimitlineError(
      'USAGE',
      `The file comes through standard input, so nobody can be asked before its limits are requested of ${account}; add --yes, or save the file and name it.`,
    );
  }
  return canAsk();
}
