import type { Calls } from '../../src/ledger/calls.ts';
import type { Thing } from '../../src/ledger/verdicts.ts';
import { callsOf } from '../rows/calls-of.ts';
import type { FoundRow } from '../rows/walk-rows.ts';

/** A call of a held row, and when the send was that is in doubt, in ms, where that is known. */
export type CallInDoubt = Pick<Thing, 'kind' | 'key'> & { sentMs?: number | undefined };

/**
 * The first of the step's calls whose outcome is unknown: the one that a word on the row speaks of, whatever is answered until it is
 * believed. Where none is unknown any more the row goes on by itself.
 */
export async function callInDoubt(
  found: FoundRow,
  { calls }: { calls: Pick<Calls, 'doubtOf'> },
): Promise<CallInDoubt | undefined> {
  const all: CallInDoubt[] = callsOf(found);
  for (const call of all) {
    const { isUnknown, sentMs } = await calls.doubtOf(call);
    if (isUnknown) return { ...call, sentMs };
  }
  return all[0];
}
