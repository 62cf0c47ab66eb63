import type { Calls } from '../../src/ledger/calls/calls.ts';
import type { Thing } from '../../src/ledger/calls/claim-answers.ts';
import { callsOf } from '../rows/calls-of.ts';
import type { FoundRow } from '../rows/walk-rows.ts';

export type CallInDoubt = Pick<Thing, 'kind' | 'key'>;

/**
 * The first call of the row's step that is in doubt: an answer about the row concerns this call. Without one in doubt, the
 * first call of the step; such a row goes on by itself.
 */
export async function callInDoubt(
  found: FoundRow,
  { calls }: { calls: Pick<Calls, 'isUnknown'> },
): Promise<CallInDoubt | undefined> {
  const all: CallInDoubt[] = callsOf(found);
  for (const call of all) {
    if (await calls.isUnknown(call)) return call;
  }
  return all[0];
}
