import { counted } from '../../src/counted.ts';
import { LimitlineError } from '../../src/errors.ts';
import { heldRemedy } from '../../src/held-remedy.ts';
import type { NotArchived } from '../../src/ledger/archive/leaving.ts';

/** Why a portfolio may not be archived now, and what to do first. */
export function notArchivedFault(name: string, { why, rows }: NotArchived, account: string): LimitlineError {
  if (why === 'gone') return new LimitlineError('NOT_FOUND', `There is no portfolio "${name}" in account ${account}.`);
  const some = counted(rows, 'row');
  const [is, it, await_] = rows === 1 ? ['is', 'it', 'awaits'] : ['are', 'them', 'await'];
  const words = {
    importing: `A file is being imported into ${name}: archive it when it is finished.`,
    open: `${some} of ${name} ${is} still to be worked on: let workers finish ${it} (npx limitline work), or give ${it} up (npx limitline cancel "${name}"), and archive it then.`,
    awaiting: `${some} of ${name} ${await_} another person's approval: npx limitline approve "${name}", or decline, and archive it then.`,
    held: `${some} of ${name} ${is} held, since nobody knows what became of ${rows === 1 ? 'its call' : 'their calls'}: archive it after that is known. ${heldRemedy(name)}.`,
    supplier: `The company of the supplier of ${name} is still to be made: let workers do that (npx limitline work), and archive it then.`,
    interrupted: `An import of ${name} did not come to its end: import its file again, and archive it when it is finished.`,
    unfinished: `${name} is not finished: npx limitline report "${name}" shows how far it is.`,
  }[why];
  return new LimitlineError('USAGE', words);
}
