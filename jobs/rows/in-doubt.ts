import type { Calls } from '../../src/ledger/calls/calls.ts';
import { callsOf } from './calls-of.ts';
import type { FoundRow } from './walk-rows.ts';

/**
 * Whether nobody knows yet what became of a call that a row is held for. One that the ledger has forgotten was sent all the same: by
 * itself nothing goes past it. Of the documents of a row all may be unsent but one.
 */
export async function isInDoubt(found: FoundRow, calls: Pick<Calls, 'isUnknown' | 'isForgotten'>): Promise<boolean> {
  const doubts = callsOf(found).map(async (call) => {
    return (await calls.isUnknown(call)) || (found.result.step !== 'documents' && (await calls.isForgotten(call)));
  });
  return (await Promise.all(doubts)).includes(true);
}
