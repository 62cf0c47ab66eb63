import { LimitlineError } from '../../src/errors.ts';
import { STAND_IN_ACCOUNT } from '../../src/stand-in-account.ts';
import { STANDARD_INPUT } from '../file/standard-input.ts';
import type { ImportOptions } from '../options/import-options.ts';
import { canAsk } from '../terminal/ask.ts';

/**
 * Whether a person is asked before anything is requested of this account: on a terminal, unless `--yes` says so beforehand.
 * What the stand-in grants is worth nothing, so nobody is asked for it.
 *
 * @throws LimitlineError `USAGE` where somebody watches who cannot answer, since the file comes by standard input
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
