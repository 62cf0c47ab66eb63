import type { Calls } from '../../src/ledger/calls/calls.ts';
import { callsOf } from './calls-of.ts';
import type { FoundRow } from './walk-rows.ts';

/**
 * Whether a call of a held row's step is still in doubt. A call that the ledger has forgotten counts as in doubt. Documents are
 * the exception: some of a row's documents may never have been sent.
 */
export async function isInDoubt(found: FoundRow, calls: Pick<Calls, 'isUnknown' | 'isForgotten'>): Promise<boolean> {
  const doubts = callsOf(found).map(async (call) => {
    return (await calls.isUnknown(call)) || (found.result.step !== 'documents' && (await calls.isForgotten(call)));
  });
  return (await Promise.all(doubts)).includes(true);
}
